"""The words of a text, for lexical comparison: stemmed words of spaced scripts, bigrams of Chinese.

Deliberately small: it compares a question with the names and values of slots, which are short. A text without words
(punctuation, emoji) has no terms and therefore matches nothing.
"""

import re
import unicodedata
from functools import lru_cache

_RUNS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")

# fmt: off
STOP_WORDS = frozenset(
    [
        "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
        "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
        "is", "it", "its", "just", "me", "my", "of", "on", "or", "our", "she", "should", "so", "some", "tell",
        "that", "the", "their", "them", "they", "this", "to", "us", "was", "we", "what", "when", "where",
        "which", "who", "why", "will", "with", "would", "you", "your", "please", "now", "user",
    ]
)
# fmt: on
"""English words that say nothing about a topic."""
_STOP_CHARACTERS = str.maketrans(dict.fromkeys("的了吗呢啊吧呀我你您他她它们是在有和与就也都这那个什么怎么请", " "))


@lru_cache(maxsize=32_768)
def terms(text: str) -> frozenset[str]:
    """Distinct terms of `text`: lower case, NFKC, stop words removed, a light English stem.

    A run of Chinese gives its bigrams, a run of one character that character.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_STOP_CHARACTERS)
    found: set[str] = set()
    for run in _RUNS.findall(folded):
        if _CJK.match(run):
            found.update(_bigrams(run))
        elif run not in STOP_WORDS:
            found.add(_stem(run))
    return frozenset(found)


def mostly_chinese(text: str) -> bool:
    """Whether `text` holds at least as many Chinese characters as other words."""
    runs = _RUNS.findall(text)
    characters = sum(len(run) for run in runs if _CJK.match(run))
    words = sum(1 for run in runs if not _CJK.match(run))
    return characters > 0 and characters >= words


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _stem(word: str) -> str:
    """Strip plural, -ing and -ed where enough of the word is left; both sides are stemmed alike."""
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + put
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
