"""Slots in the store: their evidence and rows, folded by `lithify.domain.slots` and written back as differences."""
