"""The command line: lithify remember | recall | explain.

Exit states: 0 done, 1 failed, 2 wrong usage or input, 3 nothing of that name, 4 gateway, database or broker cannot be
reached.
"""

from lithify.cli.app import main

__all__ = ["main"]
