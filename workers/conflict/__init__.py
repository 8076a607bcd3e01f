"""Conflict: keeps claims as evidence, folds the slots they touch, and writes what that decides."""
