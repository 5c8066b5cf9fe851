"""Where something is: said when it is there, and offered as the closest when nothing names what is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.unit.agents.research.test_write_code_changes import asking, code
from workers.agents.research.write_code_places import write_places
from workers.contracts import Gap
from workers.ports import Brief
from workers.sources.connections.multi_index_search import Survey
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.search_result import unnamed

SHOP = Source(Path("/shop"), "shop", Path("/index"))


def gaps_of(*missing: str) -> tuple[Gap, ...]:
    """As `engine.execute.name_gaps` tells what repo_search says of these names."""
    told = unnamed(Survey(missing=missing), [(SHOP, cast("Any", None))])
    return tuple(Gap(text=f"repo_search: {said}", tool="repo_search") for said in told)


def asked(text: str, *missing: str) -> Brief:
    given = asking(text, code("E1", "pay/throttle.py", "code"), steps=("code",))
    return replace(given, gaps=gaps_of(*missing))


@pytest.mark.parametrize("missing", [("Zebra",), ("quota", "Zebra")])
def test_what_nothing_names_has_only_a_closest_place(missing: tuple[str, ...]) -> None:
    draft = write_places(asked("where is the zebra throttle limit?", *missing))
    assert "the closest is {E1.lines}" in draft.headline.template
    assert draft.confidence == "low"
    assert draft.missing


@pytest.mark.parametrize("missing", [(), ("ledger",), ("throttle",)])
def test_a_gap_on_something_else_leaves_the_place_as_it_is(missing: tuple[str, ...]) -> None:
    draft = write_places(asked("where is the zebra throttle limit?", *missing))
    assert "closest" not in draft.headline.template
    assert draft.confidence == "high"
