"""The pure rules: scoring, claims, slots, promotion, fusion, redaction policy.

Standard library only, synchronous, and blind to the clock: time, randomness and policy are arguments.
"""
