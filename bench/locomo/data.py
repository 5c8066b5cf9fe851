"""LoCoMo's conversations and questions, with the evidence that an audit of them corrected."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workers.store.threads import Entry

TURN = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True)
class Asked:
    """One question; ``threads``: the sessions that answer it, ``entries``: the turns."""

    conversation: int
    text: str
    threads: frozenset[str]
    entries: frozenset[str]
    category: int


def read_locomo(folder: Path) -> tuple[list[Entry], list[Asked]]:
    """Every turn as an entry of its session's thread, and every question.

    Args:
        folder: a checkout of dial481/locomo-audit: ``data/locomo10.json`` and ``errors.json``.
    """
    conversations = json.loads((folder / "data" / "locomo10.json").read_text())
    corrected = {error["question_id"]: error for error in json.loads((folder / "errors.json").read_text())}
    entries: list[Entry] = []
    asked: list[Asked] = []
    for number, conversation in enumerate(conversations):
        entries += turns(number, conversation["conversation"])
        for place, question in enumerate(conversation["qa"]):
            error = corrected.get(f"locomo_{number}_qa{place}")
            if error is not None and error["question"].strip() != question["question"].strip():
                raise ValueError(f"the audit is of another version: locomo_{number}_qa{place}")
            evidence = (error and error.get("correct_evidence")) or question.get("evidence") or []
            asked.append(read_question(number, question, evidence, entries))
    return entries, asked


def turns(number: int, sessions: dict[str, Any]) -> list[Entry]:
    """The turns of a conversation."""
    found = []
    for key in (k for k, v in sessions.items() if re.fullmatch(r"session_\d+", k) and isinstance(v, list)):
        began = datetime.strptime(sessions[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        thread = f"c{number}-s{key.split('_')[1]}"
        for place, turn in enumerate(sessions[key]):
            at = began + timedelta(seconds=20 * place)
            entry_id = f"c{number}-{turn['dia_id'].replace(':', '-').lower()}"
            found.append(
                Entry(entry_id, thread, turn["text"].strip(), "user", "thought", at, at, speaker=turn["speaker"])
            )
    return found


def read_question(number: int, question: dict[str, Any], evidence: list[Any], entries: list[Entry]) -> Asked:
    """A question with the threads and entries that answer it, as far as they exist."""
    places = [(m[1], m[2]) for e in evidence if isinstance(e, str) and (m := TURN.match(e))]
    threads = {e.thread_id for e in entries}
    ids = {e.entry_id for e in entries}
    return Asked(
        number,
        question["question"].strip(),
        frozenset(t for s, _ in places if (t := f"c{number}-s{int(s)}") in threads),
        frozenset(i for s, p in places if (i := f"c{number}-d{int(s)}-{int(p)}") in ids),
        int(question["category"]),
    )
