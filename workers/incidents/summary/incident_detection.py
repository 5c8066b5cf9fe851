"""Which channels hold an incident, by their names and by what stands above them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.language.sentences import stems_of

LONGEST_TITLE = 150
PREFIX = re.compile(r"[-_ ]+")
DATE = re.compile(r"\b(19|20)\d\d[ -]?\d\d[ -]?\d\d\b|\b\d{6,8}\b")


def is_incident_name(name: str, pattern: str) -> bool:
    """Whether a channel is called as incidents' are."""
    return bool(name) and re.search(pattern, name) is not None


def has_marker(text: str, markers: Iterable[str]) -> bool:
    """Whether a topic or purpose says that there is an incident."""
    said = text.casefold()
    return any(marker.casefold() in said for marker in markers if marker.strip())


def title_of(name: str, topic: str, pattern: str) -> str:
    """What an incident is called: as its channel's topic says, else as its name does without prefix and dates."""
    said = " ".join(topic.split())
    if said:
        return said[:LONGEST_TITLE]
    rest = PREFIX.sub(" ", DATE.sub(" ", PREFIX.sub(" ", re.sub(pattern, "", name)))).strip()
    return (rest[:1].upper() + rest[1:] if rest else name)[:LONGEST_TITLE]


def title_in(name: str, said: str, pattern: str) -> str:
    """The title of an export: what its channel's name tells before what its messages say, unless they say that too.

    Args:
        name: of the channel.
        said: the title that the messages give.
        pattern: what channels of incidents are called.
    """
    told = title_of(name, "", pattern) if is_incident_name(name, pattern) else ""
    if not re.search(r"[^\W\d_]", told) or all(stem in said.lower() for stem in stems_of(told)):
        return said
    return f"{told}: {said}" if said else told
