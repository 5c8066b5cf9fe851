"""What code can tell of an answer: whether the truth stands in its headline, its first lines, anywhere, or not."""

from __future__ import annotations

import re

from bench.boards.cases import Case, holds
from workers.contracts import RequestLog

VERDICTS = ("headline", "first", "shown", "missed", "wrong", "nothing")
"""Where the truth stands; ``missed``: other things are told as nearest; ``wrong``: they are told as the answer;
``nothing``: it is said that nothing was found."""
FIRST = 3
NEAREST = re.compile(r"nearest:", re.IGNORECASE)


def shown_lines(log: RequestLog) -> list[str]:
    """The lines of an answer in the order in which they are read."""
    answer = log.answer
    if answer is None:
        return []
    sections = (answer.what_changed, answer.metrics, answer.code, answer.docs, answer.next_steps)
    options = [f"{o.label} {o.reason}" for o in answer.options]
    lines = [answer.headline.text, *options, *(claim.text for section in sections for claim in section)]
    return [line for line in (*lines, *(gap.text for gap in answer.missing)) if line]


def judge(case: Case, log: RequestLog) -> str:
    """One of `VERDICTS`."""
    answer = log.answer
    lines = shown_lines(log)
    if answer is None or not lines:
        return "nothing"
    if case.expect == "ask_back":
        return "headline" if answer.kind == "clarify" else "missed"
    sure = bool(answer.headline.evidence) and not NEAREST.search(lines[0])
    if case.expect == "nothing":
        return "headline" if not sure or holds(lines[0], case) else "wrong"
    if any(wrong.lower() in lines[0].lower() for wrong in case.wrong):
        return "wrong"
    if holds(lines[0], case):
        return "headline"
    if holds(" ".join(lines[:FIRST]), case) or cites(case, log):
        return "first"
    if holds(" ".join(lines), case):
        return "shown"
    return "wrong" if sure else "missed" if answer.headline.evidence else "nothing"


def cites(case: Case, log: RequestLog) -> bool:
    """Whether the headline rests on lines of a right place."""
    answer = log.answer
    known = {item.id: item for item in log.evidence}
    for item in (known[key] for key in (answer.headline.evidence if answer else ()) if key in known):
        if {"path", "start_line", "end_line"} <= item.facts.keys():
            path, start, end = (item.facts[name].value for name in ("path", "start_line", "end_line"))
            if any(path == p and int(start) <= b and a <= int(end) for p, a, b in case.places):
                return True
    return False
