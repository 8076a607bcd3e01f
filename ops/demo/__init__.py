"""The demo: 45 days of one user, replayed through the embedded stack in seconds, and what the memory made of them.

One module a step: the script (data), playing it, reading back what was decided, checking it, and showing it.
"""
