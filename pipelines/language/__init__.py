"""Understanding text: redaction, time words, importance, and the claims a turn makes.

Code here is an engine; what belongs to a language is data in `schemas/patterns` and `schemas/catalog`.
"""
