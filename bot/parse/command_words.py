"""Which words are a call for help, thanks, a subcommand, or a question."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from workers.language.nearest_names import nearest_names
from workers.settings.contributions import find_contributions

HELP = frozenset({"", "help", "hi", "hello", "hey", "good morning", "test", "ping"})
THANKS = frozenset({"thanks", "thank you", "thx", "ty", "cheers", "ok", "okay", "great", "cool", "nice", "perfect"})
AROUND = " \t\n?!.,:)("
ID = re.compile(r"[0-9a-f]{6,64}", re.IGNORECASE)
CATCH_UP = re.compile(r"\Acatch up\b", re.IGNORECASE)
CORE_SUBCOMMANDS = (
    "help",
    "status",
    "sources",
    "catchup",
    "incident",
    "resolve",
    "pause",
    "resume",
    "feedback",
    "cancel",
    "why",
)
FAMILY_SUBCOMMANDS = {
    word: one for one in find_contributions("subcommands") if (word := one.name.split()[0]) not in CORE_SUBCOMMANDS
}
"""Those of families, by their first word."""
NAMES = (*CORE_SUBCOMMANDS, *FAMILY_SUBCOMMANDS)
ALONE = frozenset(
    {"status", "sources", "pause", "resume"} | {word for word, one in FAMILY_SUBCOMMANDS.items() if one.name == word}
)
FREE = frozenset({"catchup", "feedback"} | {word for word, one in FAMILY_SUBCOMMANDS.items() if one.name != word})
"""Subcommands whose words are read by whoever answers them."""
SHORTEST_SLIP = 3


def folded(text: str) -> str:
    """Words without their case and the marks around them."""
    return text.strip(AROUND).casefold()


def is_help(text: str) -> bool:
    """No words at all, ``help``, or a greeting."""
    return folded(text) in HELP


def is_thanks(text: str) -> bool:
    """Words that end a conversation."""
    return folded(text) in THANKS


def asked(text: str) -> str:
    """What a command asks: all of it, without a leading ``ask``; empty when a window should open."""
    words = text.split(maxsplit=1)
    return "".join(words[1:]).strip() if words and words[0].casefold() == "ask" else text.strip()


def notes_about(text: str) -> str:
    """What ``/oracle notes WORDS`` looks for in the notes; empty for anything else."""
    first, _, rest = text.strip().partition(" ")
    return rest.strip(AROUND) if first.casefold() == "notes" else ""


def subcommand(text: str) -> tuple[str, str] | None:
    """The subcommand of ``/oracle TEXT``, unless it reads as a question or is empty.

    A first word is a subcommand only with what may follow it: ``why 7f3a12bc`` is one, ``why is search slow`` is a
    question; so is everything after ``ask``.

    Args:
        text: as a person reads it.

    Returns: one of `NAMES`, and the words after it; ``mistyped`` and the nearest of them for a single word that is
        nearly one.
    """
    words = CATCH_UP.sub("catchup", text.strip()).split(maxsplit=1)
    if not words:
        return None
    if is_help(text):
        return "help", ""
    name, rest = folded(words[0]), "".join(words[1:])
    if not rest and name not in NAMES and (meant := nearest_names([name], NAMES, 1)):
        return "mistyped", meant[0]
    return (name, fitting(name, rest)) if fits(name, rest) else None


def slip_in(text: str) -> str:
    """The command that a mention of one word is by a slip of the fingers; empty when it is none, or a question.

    Stricter than for what was typed as a command, where nothing else is meant: a letter is left out, too many, or
    swapped with its neighbour, so that "cause" is no "pause"; and no ending, so that "incidents" is a question.
    """
    word = folded(text)
    if text.rstrip().endswith("?") or len(word) < SHORTEST_SLIP or not word.isalpha() or word in {*NAMES, *THANKS}:
        return ""
    return next((name for name in NAMES if len(name) > SHORTEST_SLIP and is_slip(word, name)), "")


def is_slip(word: str, name: str) -> bool:
    """Whether one mistake of the fingers lies between a word and a name: no other letter in its place, no ending."""
    ending = word.startswith(name) or name.startswith(word)
    slips = (len(word) != len(name) and not ending) or sorted(word) == sorted(name) or word == name + name[-1]
    return slips and OSA.distance(word, name) == 1


def fits(name: str, rest: str) -> bool:
    """Whether what follows a first word makes it a subcommand."""
    if name in FREE:
        return True
    if name in ALONE:
        return not rest.strip(AROUND)
    if name == "resolve":
        return not rest.endswith("?")
    if name == "cancel":
        return not rest or ID.fullmatch(rest.strip(AROUND)) is not None
    if name == "why":
        return ID.fullmatch(rest.strip(AROUND)) is not None
    return name == "incident" and not rest.endswith("?")


def fitting(name: str, rest: str) -> str:
    """What follows, without the marks that people put around an id."""
    return rest.strip(AROUND).lower() if name in {"cancel", "why"} else "" if name in ALONE else rest
