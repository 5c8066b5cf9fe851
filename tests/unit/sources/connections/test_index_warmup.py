"""Indexes are opened and asked once before the first question, anew when they are replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.errors import ToolUnavailable
from workers.sources.connections.index_warmup import QUESTION, Warmer
from workers.sources.connections.open_sources import OpenSources, Source


class Index:
    """An index that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []


def source(name: str) -> Source:
    return Source(Path(f"/srv/{name}"), name, Path(f"/nowhere/{name}"))


def test_each_index_is_asked_once_and_a_new_one_again() -> None:
    present = {"shop": Index(), "billing": Index()}
    shelf: OpenSources[Index] = OpenSources(
        (source("shop"), source("billing")), lambda one, _: present[one.name], lambda one: present[one.name]
    )
    warmer = Warmer(shelf, lambda index, question: index.asked.append(question))
    for _ in range(2):
        warmer.prepare()
    assert [index.asked for index in present.values()] == [[QUESTION], [QUESTION]]
    old, present["shop"] = present["shop"], Index()
    warmer.prepare()
    assert (old.asked, present["shop"].asked, present["billing"].asked) == ([QUESTION],) * 3


def test_a_source_that_cannot_be_opened_is_no_hindrance_to_others() -> None:
    index = Index()

    def ensure(one: Source, _: Index | None) -> Index:
        if one.name == "gone":
            raise ToolUnavailable("there is no repository at /srv/gone")
        return index

    shelf: OpenSources[Index] = OpenSources((source("gone"), source("shop")), ensure, lambda _: index)
    Warmer(shelf, lambda one, question: one.asked.append(question)).prepare()
    assert index.asked == [QUESTION]
    lost: OpenSources[Index] = OpenSources((source("gone"),), ensure, lambda _: index)
    with pytest.raises(ToolUnavailable):
        Warmer(lost, lambda one, question: one.asked.append(question)).prepare()
