"""The tests, by how much of the product each needs."""
