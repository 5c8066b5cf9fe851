"""Several values in one argument: they stand between commas, and a ``!`` before one leaves it out."""

from __future__ import annotations

from collections.abc import Iterable

from workers.contracts import Fact


def parts_of(said: str) -> list[str]:
    """What stands between commas."""
    return [part.strip() for part in said.split(",") if part.strip()]


def chosen_and_left(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """What is chosen, and what a ``!`` leaves out."""
    chosen, left = list[str](), list[str]()
    for part in parts:
        (left if part[0] == "!" else chosen).append(part.removeprefix("!"))
    return chosen, left


def facts_of_each(counts: Iterable[tuple[str, int]]) -> dict[str, Fact]:
    """How many there are of each value, and the values: ``of_each_0``, ``of_each_0_name``, …"""
    found = dict[str, Fact]()
    for place, (name, number) in enumerate(counts):
        found[f"of_each_{place}"] = Fact(value=number, unit="count", entity=name)
        found[f"of_each_{place}_name"] = Fact(value=name, entity=name)
    return found
