"""Derived ids are stable, distinct, and separate their parts."""

import pytest

from lithify.domain.ids import derive, slot_id


def test_ids_never_change() -> None:
    assert derive("a", 1) == "0c0db291-03e7-50d5-be3d-ce117e80e43b"


def test_parts_are_separated() -> None:
    assert len({derive("ab"), derive("a", "b"), derive("b", "a"), derive("a", "b", "")}) == 4


def test_an_id_needs_parts() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        derive()


def test_slots_differ_by_each_part() -> None:
    parts = ["tenant", "key", "user", "diet"]
    ids = {slot_id(*parts)}
    for index in range(4):
        ids.add(slot_id(*[part + "x" if number == index else part for number, part in enumerate(parts)]))
    assert len(ids) == 5
