"""What was asked of a home, before and after its targets are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workers.agents.home.language.conditions import Conditions

Kind = Literal["change", "state", "since", "unclear"]


@dataclass(frozen=True)
class Target:
    """One thing that is named, or a group: what all its parts say together.

    Args:
        names: each name that stands there -> ids of entities called so.
        areas: where it is.
        floors: where it is.
        nouns: kinds of things, each a key of `vocabulary.NOUNS` or a device class.
        words: other words that may be parts of names.
        whole: everything that the rest allows ("everything upstairs", "all the lights").
        one: one thing of its kind is meant ("the lamp").
        rooms: what is asked of is rooms, so nothing outside counts.
    """

    names: tuple[tuple[str, frozenset[str]], ...] = ()
    areas: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    whole: bool = False
    one: bool = False
    rooms: bool = False

    @property
    def empty(self) -> bool:
        """Whether it names nothing at all."""
        return not (self.names or self.areas or self.floors or self.nouns or self.words or self.whole)


@dataclass(frozen=True)
class HomeRequest:
    """What is asked.

    Args:
        kind: to change something, how things stand, since when; ``unclear``: none of these was read.
        action: what is to be done, a key of `vocabulary.ACTION_DOMAINS`.
        value: what to set: a number, or a colour's name.
        state: which state is asked for, in the words of `vocabulary.STATE_DOMAINS`; empty: how it is.
        targets: what it is asked of.
        excepted: what is left out.
        lacks: what a change does not say, in a sentence; such a change is not made.
        conditions: which of them; the highest of them; how two of them differ.
        holds: a question that has to be answered with yes for a change to be made.
        whether: whether it is a question of yes or no.
        every: whether it is asked if all are so; ``state`` is then the opposite, of which none may be.
    """

    kind: Kind
    action: str = ""
    value: str = ""
    state: str = ""
    targets: tuple[Target, ...] = ()
    excepted: tuple[Target, ...] = ()
    lacks: str = ""
    conditions: Conditions = field(default_factory=Conditions)
    holds: HomeRequest | None = None
    whether: bool = False
    every: bool = False


@dataclass(frozen=True)
class Found:
    """The entities that a request means.

    Args:
        ids: of those that are meant for certain.
        ambiguous: a name -> the several things it fits, of which one is meant.
        unknown: words that fit nothing.
    """

    ids: tuple[str, ...] = ()
    ambiguous: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
