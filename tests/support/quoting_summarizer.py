"""A summary that a careful reader could write by quoting sentences: all that is expected, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.incidents.expected import END, Cut, Fact
from bench.incidents.judge import LISTS
from bench.incidents.transcripts import Export, plain
from bench.incidents.written import Message, Transcript

Json = dict[str, Any]
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")


def before(cut: Cut, core: Transcript) -> list[Message]:
    """The messages with keys that are there at the cut."""
    keyed = [message for message in core.messages if message.key]
    if cut.until == END:
        return keyed
    return keyed[: [message.key for message in keyed].index(cut.until) + 1]


def quote(fact: Fact, messages: list[Message], core: Transcript) -> tuple[str, Message] | None:
    """The fewest sentences of one message that say a fact, of the messages that it may rest on."""
    found = [
        (part, message)
        for message in messages
        if (not fact.cites or message.key in fact.cites) and not message.deleted
        for part in _parts(plain(message, core.people))
        if any(all(re.search(word, part, re.IGNORECASE) for word in words) for words in fact.any_of)
    ]
    return min(found, key=lambda pair: len(pair[0]), default=None)


def quoted(cut: Cut, core: Transcript, export: Export) -> Json:
    """The summary; a fact that no message says is left out."""
    summary: Json = {"title": core.channel, "severity": next(iter(cut.severity), ""), "next_update": None}
    summary |= {section: [] for section in LISTS}
    messages = before(cut, core)
    summary["status"] = {"state": cut.state[0], "text": cut.state[0], "ts": [export.ts[messages[0].key]]}
    for fact in cut.present:
        if pair := quote(fact, messages, core):
            _put(summary, fact, *pair, core, export)
    return summary


def _put(summary: Json, fact: Fact, text: str, message: Message, core: Transcript, export: Export) -> None:
    section = fact.sections[0]
    line: Json = {"text": text, "ts": [export.ts[message.key]]}
    if section == "status":
        summary["status"] |= line
    elif section == "next_update":
        summary[section] = line
    else:
        if section == "action_items":
            names = [person.display for person in core.people.values()]
            owner = next((name for name in names if fact.owner and re.search(fact.owner, name, re.IGNORECASE)), "")
            line |= {"owner": owner, "done": bool(fact.done)}
        if section == "timeline":
            at = core.by_key().get(fact.at, message).at.isoformat() if ":" not in fact.at else fact.at
            line |= {"kind": next(iter(fact.kind), "other"), "at": at}
        same = [other for other in summary[section] if other["text"] == text and other["ts"] == line["ts"]]
        if same:
            same[0].update(line)
        else:
            summary[section].append(line)


def _parts(text: str) -> Iterator[str]:
    sentences = [part.strip() for part in SENTENCE.split(text) if part.strip()]
    for first in range(len(sentences)):
        for last in range(first, len(sentences)):
            yield " ".join(sentences[first : last + 1])
