"""That all is well must have been looked at: "no data" is not "nothing wrong"."""

from __future__ import annotations

from workers.grounding.health import all_clear, find_trouble, no_incident
from workers.grounding.lexicon import ALL_WELL, NO_INCIDENT
from workers.grounding.relations.reading import Reading


def check_assurance(reading: Reading) -> str:
    """A word that everything is well: incidents and health were both looked at, and nothing speaks against it."""
    found = ALL_WELL.search(reading.unquoted())
    if not found:
        return ""
    if NO_INCIDENT.search(found.group()) and no_incident(reading.cited):
        return ""
    if all_clear(reading.cited) and not find_trouble(reading.request):
        return ""
    shown = any(found.group().lower() in i.text.lower() for i in reading.scope.indexes)
    return "" if shown else f"“{found.group()}” is more than any evidence shows"
