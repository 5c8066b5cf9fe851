"""Several values in one argument: they stand between commas, and a ``!`` before one leaves it out."""

from __future__ import annotations

from collections.abc import Iterable


def parts_of(said: str) -> list[str]:
    """What stands between commas."""
    return [part.strip() for part in said.split(",") if part.strip()]


def chosen_and_left(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """What is chosen, and what a ``!`` leaves out."""
    chosen, left = list[str](), list[str]()
    for part in parts:
        (left if part[0] == "!" else chosen).append(part.removeprefix("!"))
    return chosen, left
