"""Reading turns with a model: the request, the reply, and which of its statements may become claims.

The model proposes; every statement must pass the same words, guards and catalog as one that the rules found.
"""
