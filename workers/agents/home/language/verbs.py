"""What the words of a sentence beside its names say: what is to be done, and which state is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.home.language.phrases import Mark, Token
from workers.agents.home.language.request import Target
from workers.agents.home.language.vocabulary import (
    DIRECTIONS,
    OPPOSITES,
    SETTING,
    STATE_WORDS,
    SWITCHING,
    VERBS,
    kinds_of,
)

PARTICLES = {"on": "turn_on", "off": "turn_off", "out": "turn_off"}


def outside(tokens: Sequence[Token], marks: Sequence[Mark]) -> list[Token]:
    """Words that are in no phrase."""
    inside = {place for mark in marks for place in range(mark.start, mark.end)}
    return [token for place, token in enumerate(tokens) if place not in inside]


def outside_text(sentence: str, tokens: Sequence[Token], marks: Sequence[Mark]) -> str:
    """The sentence with blanks in place of names: the number of a room is no value."""
    text = list(sentence)
    for mark in marks:
        start, end = tokens[mark.start].start, tokens[mark.end - 1].end
        text[start:end] = " " * (end - start)
    return "".join(text)


def domains_of(targets: Sequence[Target]) -> set[str]:
    """The domains of what is named, and of its kinds."""
    kinds = (kind for t in targets for noun in t.nouns for kind in kinds_of(noun))
    ids = (i for t in targets for _, called in t.names for i in called)
    return {one.partition(".")[0] for one in (*kinds, *ids)}


def moved(free: Sequence[Token], targets: Sequence[Target]) -> str:
    """What "up" and "down" do with covers; empty for anything else."""
    way = next((DIRECTIONS[t.text] for t in free if t.text in DIRECTIONS), "")
    return way if domains_of(targets) == {"cover"} else ""


def acts(free: Sequence[Token]) -> bool:
    """Whether words begin as an order does."""
    return bool(free) and (free[0].text in VERBS or free[0].text in SWITCHING or free[0].text in SETTING)


def action_in(tokens: Sequence[Token], marks: Sequence[Mark]) -> str:
    """What is to be done, by the verb and the word "on" or "off"; empty when they say nothing, or two things."""
    free = outside(tokens, marks)
    first = free[0].text if free else ""
    switched = particle_in(tokens, marks)
    if first == "shut" and any(token.text == "down" for token in free):
        return "turn_off"
    if switched and (first in SWITCHING or first not in VERBS):
        words = [token.text for token in free]
        ends = any(w in PARTICLES for w in (words[-1], *words[:2]))
        if first in SWITCHING or ends:
            return switched
    return next((VERBS[token.text] for token in free[:2] if token.text in VERBS), "")


def particle_in(tokens: Sequence[Token], marks: Sequence[Mark]) -> str:
    """The switching that "on" or "off" says: the one after the verb, else the one that is not before a place."""
    inside = {place: mark for mark in marks for place in range(mark.start, mark.end)}
    found = [i for i, token in enumerate(tokens) if token.text in PARTICLES and i not in inside]
    if not found:
        return ""
    if found[0] == 1 and not any(t.text in SWITCHING for t in tokens[2:]):
        return PARTICLES[tokens[1].text]
    said = {PARTICLES[tokens[i].text] for i in found if not before_place(i + 1, tokens, inside)}
    said = said or {PARTICLES[tokens[i].text] for i in found}
    return said.pop() if len(said) == 1 else ""


def before_place(place: int, tokens: Sequence[Token], inside: dict[int, Mark]) -> bool:
    """Whether a room or floor begins there, or after an article."""
    if place < len(tokens) and tokens[place].text in {"the", "my", "our"}:
        place += 1
    return place in inside and bool(inside[place].meaning.area or inside[place].meaning.floor)


def without_places(tokens: Sequence[Token], marks: Sequence[Mark]) -> list[Token]:
    """Words outside of phrases, without the "on" of "on the first floor"."""
    floors = {mark.start for mark in marks if mark.meaning.floor}
    inside = {place for mark in marks for place in range(mark.start, mark.end)}
    said = [(place, token) for place, token in enumerate(tokens) if place not in inside]
    return [token for place, token in said if not (token.text == "on" and place + 2 in floors)]


def state_in(free: Sequence[Token]) -> str:
    """The state that is asked for: the last word that is one; after "not" its opposite."""
    said_so = [place for place, token in enumerate(free) if token.text in STATE_WORDS]
    plain = [place for place in said_so if free[place].text not in {"on", "off"}]  # "open on the first floor"
    for place in reversed(plain or said_so):
        if free[place].text in STATE_WORDS:
            said = STATE_WORDS[free[place].text]
            denied = place > 0 and (free[place - 1].text == "not" or free[place - 1].text.endswith("n't"))
            return OPPOSITES.get(said, "") if denied else said
    return ""
