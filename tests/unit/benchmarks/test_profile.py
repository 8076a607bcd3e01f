"""Shares of functions from collapsed stacks."""

import pytest

from benchmarks.profile import top_functions

COLLAPSED = """main (a.py:1);work (b.py:10) 30
main (a.py:1);work (b.py:99) 30
main (a.py:1);rest (c.py:5) 30
main (a.py:2) 10
"""


def test_lines_of_a_function_count_together() -> None:
    assert top_functions(COLLAPSED, 2) == [("work (b.py)", 0.6), ("rest (c.py)", 0.3)]


def test_only_the_innermost_frame_counts() -> None:
    assert dict(top_functions(COLLAPSED))["main (a.py)"] == pytest.approx(0.1)


def test_a_frame_without_a_line_is_kept_as_it_is() -> None:
    assert top_functions("a;epoll_wait (libc.so.6) 4\n") == [("epoll_wait (libc.so.6)", 1.0)]


def test_nothing_sampled_is_nothing_shown() -> None:
    assert top_functions("") == []
