"""Schemas and their compatibility."""
