"""Behaviour needs measurement: a movement of latency, errors or traffic cannot rest on code and documents alone."""

from __future__ import annotations

from workers.grounding.lexicon import DOWN, UP, words
from workers.grounding.relations.reading import Reading, sentence_around

BEHAVIOUR = words(r"latenc\w+|p50|p9\d|error rate|errors|throughput|traffic|response times?|requests per second")
STANDS = words(
    r"(?:is|are|has been|have been|was|were) (?:now |currently |still )?(?:high|low|slow|elevated|failing|up|down)"
)
UNMEASURED = frozenset({"code", "change", "deploy", "flag"})


def check_behaviour(reading: Reading) -> str:
    """A claim that tells how something behaves, and cites nothing that was measured, unless it retells a text's words."""
    if not all(i.kind in UNMEASURED for i in reading.scope.indexes):
        return ""
    text = reading.unquoted()
    shown = "\n".join(i.text for i in reading.scope.indexes).lower()
    for match in BEHAVIOUR.finditer(text):
        start, end = sentence_around(text, match.start())
        moved = next((m for p in (UP, DOWN, STANDS) for m in p.finditer(text, start, end)), None)
        if moved and match.group().lower() not in shown:
            return f"speaks of “{match.group()}” without having measured it"
    return ""
