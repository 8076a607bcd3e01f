"""Finds secrets and personal numbers, and replaces them by typed placeholders before anything else sees the text."""

from pipelines.language.redaction.redactor import PatternRedactor

__all__ = ["PatternRedactor"]
