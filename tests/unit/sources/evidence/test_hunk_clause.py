"""What a hunk does, from its two sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sources.evidence.hunk_clause import LONGEST_LINE, MOST_SHOWN, clause_of, shown_lines
from workers.sources.history.diff import Hunk


def hunk(old: str, new: str) -> Hunk:
    sizes = [len(text.split("\n")) if text else 0 for text in (old, new)]
    return Hunk(1, max(sizes[1], 1), new, old, at=1, lines=sizes[1], old_start=1, old_lines=sizes[0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("LEASE_S = 300", "LEASE_S = 1", "it sets LEASE_S to 1, which was 300"),
        ("    return stock.count(item)", "    return stock.tally(item)", "it renames count to tally"),
        ("send(parcel)", "send(parcel, carrier)", "it gives send other arguments"),
        (
            "offers = ask_all(names)",
            "offers = []\nfor name in names:\n    offers.append(ask_one(name))",
            "it calls ask_one in a loop",
        ),
        ("if user is None:\n    refuse()", "refuse()", "it drops the condition “if user is None:”"),
        ("", "a = b\nc = d", "it adds 2 lines"),
        ("# why", "# because", "it adds 1 line and removes 1 line"),
    ],
)
def test_what_code_can_tell_is_told(old: str, new: str, said: str) -> None:
    assert said in clause_of(hunk(old, new))


def test_a_call_that_still_stands_there_is_not_dropped() -> None:
    assert "drops the call of get" not in clause_of(hunk("a = get(1)\nb = get(2)", "a = get(1)"))


CODE = st.text(st.sampled_from("ab1=(,).{}\"'` \n#:"), max_size=80)


@given(CODE, CODE)
def test_any_two_sides_have_a_clause_and_lines_that_fit(old: str, new: str) -> None:
    assert clause_of(hunk(old, new)) or not (old or new)
    for text in (old, new):
        lines = shown_lines(text)
        assert len(lines) <= MOST_SHOWN
        assert all(line and "`" not in line and len(line) <= LONGEST_LINE for line in lines)
