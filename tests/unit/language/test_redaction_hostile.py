"""Text made to keep a recogniser busy costs in proportion to its length.

Calls are counted exactly. What a pattern does inside one call is linear by construction (every repetition is bounded,
or is followed by nothing it could give characters back to), and compared by the processor's time for four times the
text: a quadratic one takes sixteen times as long.
"""

import cProfile
import pstats
import time

import pytest

from pipelines.language.redaction import PatternRedactor

REDACTOR = PatternRedactor()
UNITS = [
    *(
        "1",
        "a@",
        ".",
        " ",
        "1 ",
        "138 ",
        "1-",
        "1/",
        "1.1.",
        "a.",
        "a@a.",
        "::",
        "1:",
        "4111 ",
        "2026-01-01 ",
        "0",
        "+86",
    ),
    *(
        "13800138000 ",
        "13800138000,",
        "order 1",
        "密码",
        "密码是",
        "password ",
        "key=",
        'password "',
        "x is my password ",
    ),
    *(
        "passport ",
        "护照1",
        "地址",
        "住1号",
        "address 1 A ",
        "I live at 1 A St, ",
        "rue de ",
        "GB82 ",
        "GB82WEST",
        "[card]",
    ),
    *("eyJ", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "://", "a://b:c@", "sk-", "sk_a_", "bearer ", "mysql -p"),
    *("at dot ", "(at)", "a at b dot ", "(", "[", '"', "Aa ", "一", "recovery phrase apple ", "\u200b", "０", "\ud83d"),
]


def calls(text: str) -> int:
    """How many functions were called, built-in ones too."""
    profile = cProfile.Profile()
    profile.runcall(REDACTOR.redact, text)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # not in the stubs


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_is_no_more_than_twice_the_work(unit: str) -> None:
    small, large = (calls((unit * size)[:size]) for size in (600, 2_400))
    assert large <= 5 * small + 500


def seconds(text: str) -> float:
    """Processor time of the fastest of five: other work on the machine makes one longer, never shorter."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        REDACTOR.redact(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("unit", UNITS)
def test_patterns_do_not_try_again(unit: str) -> None:
    small, large = (seconds((unit * size)[:size]) for size in (2_000, 8_000))
    assert large <= 11 * small or large < 0.02


@pytest.mark.parametrize("unit", ["1", "a@", ".", " ", "a", "@", "一", "-", "eyJ", "A1", "password"])
def test_a_megabyte_ends(unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    assert REDACTOR.redact(text).counts == {}
