"""Counting tokens without a tokenizer: a deterministic estimate, the same for every model.

No model's tokenizer is the right one for every agent, and loading one costs more than the whole read path. The
estimate charges one token for each CJK character, one for each four characters of a word (begun ones counted), one
for each three digits, one for each punctuation mark or line break, and two for any other symbol (emoji). A model's own
count differs: leave a reserve in the budget.
"""

import re

_PIECES = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<word>[^\W\d_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<mark>[\n!-/:-@\[-`{-~\u3000-\u303f\uff00-\uffef\u2010-\u2027])"
    r"|(?P<other>\S)"
)


def estimate(text: str) -> int:
    """Tokens of `text`, at least 0.

    Pieces never cross a line break and a line break is one token, so the estimate of lines joined by line breaks is
    the sum of their estimates and the number of breaks.
    """
    return sum(_cost(match) for match in _PIECES.finditer(text))


def _cost(match: re.Match[str]) -> int:
    length = match.end() - match.start()
    match match.lastgroup:
        case "digits":
            return -(-length // 3)
        case "word":
            return -(-length // 4)
        case "other":
            return 2
        case _:
            return 1
