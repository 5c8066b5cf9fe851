"""A pattern of time is tried only where its kind's sign stands: the sign must stand in whatever the pattern matches."""

from __future__ import annotations

import re
from itertools import product

from workers.language.time_phrases import PHRASES, SIGNS

LEADS = (
    "",
    "since ",
    "on ",
    "around ",
    "at ",
    "in ",
    "during ",
    "between ",
    "from ",
    "after the last ",
    "for the past ",
)
MIDDLES = (
    "deploy", "release of shop", "version bump", "roll-out", "push", "v1.2", "we shipped it", "yesterday", "Tonight",
    "overnight", "Monday", "the day before yesterday", "a few days ago", "an hour ago", "noon", "midnight", "lunch",
    "lunchtime", "five o'clock", "14:06 UTC", "9 am", "half an hour", "two weeks", "week", "quarter of an hour",
    "this month", "last year", "the weekend", "May", "sept", "November", "2025", "2026-11-20T14:00Z", "Nov 20",
    "the 3rd of June", "this morning", "last night", "3 pm", "now", "ſunday",
)  # fmt: skip
WHOLE = (
    "since Monday at 14:05",
    "on Monday, at 9?",
    "from 9am to 10am",
    "9am-10am",
    "Monday to Tuesday",
    "at 9 yesterday",
    "since 9",
    "at 9 in the morning",
    "at 9 UTC",
    "since Monday around 9",
    "since you deployed",
    "yesterday's release",
)
TAILS = ("", " and 9 pm", " until Tuesday", " ago", " in the evening", " to noon", " at night", " 14:00", "?")


def test_whatever_a_pattern_matches_has_the_sign_of_its_kind() -> None:
    matched: set[str] = set()
    patterns = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in PHRASES if kind in SIGNS]
    for text in (*map("".join, product(LEADS, MIDDLES, TAILS)), *WHOLE):
        for kind, pattern in patterns:
            if found := pattern.search(text):
                matched.add(pattern.pattern)
                assert re.search(SIGNS[kind], found.group(), re.IGNORECASE), (kind, found.group())
    assert len(matched) >= len(patterns) - 3, "most patterns are tried"
