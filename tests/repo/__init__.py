"""The repository itself: what its files promise each other."""
