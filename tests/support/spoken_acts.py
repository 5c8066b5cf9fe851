"""Channels whose acts are given: ``09:40 Maya [resolved]: all good again``. What is tested is what a summary makes of
acts, whatever the classifier thinks of the words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from unittest.mock import patch

from tests.support.channel_lines import channel
from workers.incidents.summary import utterances
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary
from workers.language.speech_acts import ACTS, Said, names_pattern, without_names

LINE = re.compile(r"(\d\d:\d\d [^\[:]+?) ?\[([a-z_, ]*)\](\*? ?>?: .*)")
DOES, DOES_NOT = 0.95, 0.01


def summed(text: str, **inputs: Any) -> Summary:
    """The summary of a channel in which each message does what stands in its brackets, and nothing else."""
    plain, acts = [], []
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        found = LINE.fullmatch(line)
        plain.append(f"{found[1]}{found[3]}" if found else line)
        acts.append(tuple(act.strip() for act in found[2].split(",") if act.strip()) if found else ())
    messages = channel("\n".join(plain))
    names = names_pattern(message.name for message in messages if not message.bot)
    rows: dict[str, tuple[float, ...]] = {}
    for message, does in zip(messages, acts, strict=True):
        assert set(does) <= set(ACTS), does
        row = tuple(DOES if act in does else DOES_NOT for act in ACTS)
        rows |= {without_names(one.text, names): row for one in utterances.heard_in(message)}

    def given(said: Iterable[Said]) -> list[tuple[float, ...]]:
        return [rows[one.text] for one in said]

    with patch.object(utterances, "act_probabilities", given):
        return summarize(messages, **{"why": "declared", **inputs})


def texts(summary: Summary, section: str) -> list[str]:
    """The lines of a section."""
    return [line.text for line in getattr(summary, section)]
