"""Speech acts on authors that were not learned from, and what they keep out of summaries.

``python -m bench speech_acts [AUTHOR …]``: without authors, each three that were learned from are left out in turn;
with some (held ones, by name), they are judged by the shipped model. Two tables: how often the likeliest act of a
message is right, and of the lines of summaries by patterns how many are right, alone and borne out by the model.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from workers.incidents.summary.actions_taken import decisions_of, tried_of
from workers.incidents.summary.incident_commander import takings
from workers.incidents.summary.second_reading import BORNE_OUT, Reading

from workers.contracts import ChannelMessage
from workers.incidents.summary import conversation
from workers.incidents.summary.action_items import tasks_of
from workers.incidents.summary.causes import causes_of
from workers.incidents.summary.conversation import Conversation, read_conversation
from workers.incidents.summary.impact import impact_of
from workers.incidents.summary.open_questions import questions_of
from workers.incidents.summary.status import turn_of
from workers.language.sentences import sentences_of
from workers.language.speech_acts import ACTS, probabilities_of
from workers.language.train_speech_acts import DATA, Example, examples_of, learn, read_lines, training_files

LABELS = {
    "resolved": {"state_resolved"},
    "false_alarm": {"state_false_alarm"},
    "monitoring": {"state_monitoring"},
    "mitigated": {"state_mitigated"},
    "identified": {"state_identified", "cause"},
    "investigating": {"state_investigating", "state_again"},
    "lead": {"lead"},
    "ruled_out": {"ruled_out"},
    "hypotheses": {"hypothesis"},
    "known": {"cause", "state_identified", "observation", "impact", "correction"},
    "impact": {"impact", "correction"},
    "decisions": {"decision"},
    "tried": {"deed", "task_done"},
    "action_items": {"task_request", "task_self", "accept", "task_done"},
    "open_questions": {"question", "proposal", "hypothesis"},
}
"""Labels of a message from which a line of each kind is right."""
EPOCH = 1_764_200_000
TOGETHER = 3
"""Authors that are left out at a time."""
NOTHING = 0.2
"""A likeliest act below it counts as none."""
MERGED = tuple(n for n, act in enumerate(ACTS) if act != "deed")  # every deed is "done" too


@dataclass(frozen=True)
class Judged:
    """A line that patterns put into a summary: whether it is right, and whether the model bears it out."""

    kind: str
    right: bool
    borne_out: bool


def main(args: list[str]) -> None:
    """Print both tables."""
    held = [DATA / f"{name}.jsonl" for name in args]
    files = held or [file for file in training_files() if file.parent == DATA]
    examples = examples_of(held or training_files())
    began = time.perf_counter()
    if held:
        chances = np.array([probabilities_of(one.said) for one in examples])
        print(f"{(time.perf_counter() - began) / len(examples) * 1e3:.2f} ms a sentence\n")
    else:
        chances = left_out(examples, [file.stem for file in files])
    names = {file.stem for file in files}
    kept = [n for n, one in enumerate(examples) if one.author in names]
    print_right([examples[n] for n in kept], chances[kept])
    print_lines(list(lines_in(files, [examples[n] for n in kept], chances[kept])))


def left_out(examples: Sequence[Example], authors: Sequence[str]) -> NDArray[np.float64]:
    """The probabilities of each sentence of some authors by what was learned without them and `TOGETHER` - 1 others."""
    found = np.zeros((len(examples), len(ACTS)))
    for start in range(0, len(authors), TOGETHER):
        some = authors[start : start + TOGETHER]
        own = np.array([one.author in some for one in examples])
        learned = learn([one for one in examples if one.author not in some])
        found[own] = learned.probabilities([one for one in examples if one.author in some])
    return found


def print_right(examples: Sequence[Example], chances: NDArray[np.float64]) -> None:
    """How often the likeliest act is one of those that the author labelled, by author."""
    messages: dict[int, tuple[str, set[str], list[NDArray[np.float64]]]] = {}
    for one, row in zip(examples, chances, strict=True):
        _, acts, rows = messages.setdefault(one.message, (one.author, set(), []))
        acts.update(one.acts)
        rows.append(row[list(MERGED)])
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for author, acts, rows in messages.values():
        best = np.max(rows, axis=0)
        act = ACTS[MERGED[int(best.argmax())]]
        right[author].append((bool(acts), act in acts if acts else best.max() < NOTHING))
    print("| author | messages with an act | right | of those without | right |\n|---|---|---|---|---|")
    for author, found in [*right.items(), ("all", [one for each in right.values() for one in each])]:
        does, none = [ok for has, ok in found if has], [ok for has, ok in found if not has]
        print(f"| {author} | {len(does)} | {np.mean(does):.0%} | {len(none)} | {np.mean(none):.0%} |")


def print_lines(judged: Sequence[Judged]) -> None:
    """How many lines of summaries are right, by patterns alone and borne out."""
    print("\n| line | by patterns | right | borne out as well | right | right ones kept |\n|---|---|---|---|---|---|")
    for kind in LABELS:
        found = [one for one in judged if one.kind == kind]
        both = [one for one in found if one.borne_out]
        right, kept = sum(one.right for one in found), sum(one.right for one in both)
        shares = [f"{a / b:.0%}" if b else "-" for a, b in ((right, len(found)), (kept, len(both)), (kept, right))]
        print(f"| {kind} | {len(found)} | {shares[0]} | {len(both)} | {shares[1]} | {shares[2]} |")


def lines_in(files: Sequence[Path], examples: Sequence[Example], chances: NDArray[np.float64]) -> Iterator[Judged]:
    """The lines that patterns find in the channels of some authors, in the order of their examples."""
    of_message: dict[int, NDArray[np.float64]] = {}
    for one, row in zip(examples, chances, strict=True):
        of_message[one.message] = np.maximum(of_message.get(one.message, row), row)
    found = {(one.author, one.said.text): one.message for one in examples}
    for file in files:
        for channel in read_lines(file):
            messages = [as_message(n, message) for n, message in enumerate(channel["messages"])]
            labels = {
                m.ts: {act["act"] for act in raw["acts"]} for m, raw in zip(messages, channel["messages"], strict=True)
            }
            reading = {m.ts: chances_of(m, file.stem, found, of_message) for m in messages}
            for kind, ts in claims_of(messages):
                least, acts = BORNE_OUT[kind]
                chance = max(max(reading[one][act] for act in acts) for one in ts)
                yield Judged(kind, any(labels[one] & LABELS[kind] for one in ts), chance >= least)


def as_message(number: int, raw: dict[str, object]) -> ChannelMessage:
    """A labelled message as a channel holds it."""
    hour, minute = map(int, str(raw["at"]).split(":"))
    who = str(raw["who"])
    ts = f"{EPOCH + hour * 3600 + minute * 60}.{number:06d}"
    return ChannelMessage(ts=ts, user=who, name=who, text=str(raw["text"]), bot=bool(raw.get("bot")))


def chances_of(
    message: ChannelMessage, author: str, found: dict[tuple[str, str], int], of_message: dict[int, NDArray[np.float64]]
) -> dict[str, float]:
    """How likely a message does each act."""
    rows = [of_message[found[author, s.text]] for s in sentences_of(message.text) if (author, s.text) in found]
    best = np.max(rows, axis=0) if rows else np.zeros(len(ACTS))
    return dict(zip(ACTS, best.tolist(), strict=True))


def claims_of(messages: Sequence[ChannelMessage]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What patterns alone put into the summary of a channel: the kind of line and the messages that it rests on."""
    everything: Reading = {message.ts: None for message in messages}
    with patch.object(conversation, "read_again", lambda _: everything):
        talk: Conversation = read_conversation(messages)
        for remark in talk.remarks:
            if (turn := turn_of(remark)) and (remark.bot or remark.message.user in talk.settled):
                yield turn.state, (remark.ts,)
        yield from (("lead", (taken.remark.ts,)) for taken in takings(talk))
        causes = causes_of(talk)
        sections = {
            "ruled_out": causes.ruled_out,
            "hypotheses": causes.hypotheses,
            "known": causes.known,
            "impact": impact_of(talk),
            "decisions": decisions_of(talk),
            "tried": tried_of(talk),
            "action_items": tasks_of(talk),
            "open_questions": questions_of(talk, causes),
        }
        yield from ((kind, line.ts) for kind, lines in sections.items() for line in lines)
