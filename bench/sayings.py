"""What people say in one message of an incident, of 23 kinds: ``python -m bench sayings [--show]``.

Each message of `bench/incidents/sayings/` is put into the same short channel, and counts when the summary has it where
its kind belongs. Three people who had not seen the rules wrote them: the rules are fitted to two of the files; of the
third no text is shown and none was read.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.support.channel_lines import channel
from workers.incidents.summary.incident_commander import MENTIONED
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import SECTIONS, Summary

FOLDER = Path(__file__).parent / "incidents" / "sayings"
FILES = {"terse": "tune", "sentences": "tune", "mixed": "held"}
WRITER = "Maya"
BEFORE = """
09:00 Grafana*: [FIRING:1] CheckoutErrors checkout-api prod, error rate 12%
09:01 Maya: customers in Lisbon cannot pay, checkout times out
09:02 Tomas: looking at the gateway pods
09:05 Priya: I see timeouts in the gateway log since 08:55
09:08 Tomas: restarting one gateway pod to get a heap dump
09:12 Maya: support has opened a ticket with the card provider
"""
LED = "09:20 Maya: SEV2, I'm IC\n"
EASED = "09:20 Tomas: rolled back the gateway to v7\n09:24 Maya: errors are gone, mitigated\n"
AFTER = "\n09:44 Tomas: still reading the gateway log\n09:47 Priya: the pods look the same to me"
BY_WHO_LEADS = frozenset({"handover", "ruled_out", "tried_worked", "decision", "task_other", "task_done"})


@dataclass(frozen=True)
class Heard:
    """A summary, and the message that it is asked about."""

    said: str
    ts: str
    summary: Summary

    def stands_in(self, *sections: str) -> bool:
        """Whether a line of these sections rests on the message."""
        return any(self.ts in line.ts for name in sections for line in getattr(self.summary, name))

    @property
    def state(self) -> str:
        """How the incident stands."""
        return self.summary.status.state

    @property
    def leads(self) -> str:
        """Who leads."""
        return self.summary.lead.name.lower() if self.summary.lead else ""

    def has_task(self, owner: str) -> bool:
        """Whether someone has to do what the message says."""
        return any(self.ts in item.ts and item.owner == owner for item in self.summary.action_items)


def handed(heard: Heard) -> bool:
    """Whether the one who is named leads."""
    named = MENTIONED.search(heard.said)
    return named is not None and heard.leads == named[1].lower()


KINDS: Mapping[str, Callable[[Heard], bool]] = {
    "state_false_alarm": lambda heard: heard.state == "false_alarm",
    "state_resolved": lambda heard: heard.state == "resolved",
    "state_mitigated": lambda heard: heard.state in {"mitigated", "monitoring"},
    "state_monitoring": lambda heard: heard.state == "monitoring",
    "state_identified": lambda heard: heard.state == "identified",
    "state_again": lambda heard: heard.state in {"investigating", "identified"},
    "severity": lambda heard: bool(heard.summary.severity),
    "lead": lambda heard: heard.leads == WRITER.lower(),
    "handover": handed,
    "next_update": lambda heard: heard.summary.next_update is not None,
    "impact": lambda heard: heard.stands_in("impact"),
    "impact_words": lambda heard: heard.stands_in("impact"),
    "hypothesis": lambda heard: heard.stands_in("hypotheses"),
    "ruled_out": lambda heard: heard.stands_in("ruled_out"),
    "tried_failed": lambda heard: heard.stands_in("tried"),
    "tried_worked": lambda heard: heard.stands_in("tried", "timeline"),
    "decision": lambda heard: heard.stands_in("decisions"),
    "task_self": lambda heard: heard.has_task(WRITER),
    "task_other": lambda heard: heard.stands_in("action_items"),
    "task_done": lambda heard: heard.stands_in("tried", "timeline", "known", "action_items"),
    "question": lambda heard: heard.stands_in("open_questions"),
    "known": lambda heard: heard.stands_in("known"),
    "chatter": lambda heard: not heard.stands_in(*SECTIONS) and heard.ts not in heard.summary.status.ts,
}
"""What a kind of message should come to."""


def main(args: list[str]) -> None:
    """Score all messages and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench sayings")
    parser.add_argument("--show", action="store_true", help="what is missed; of the tune half alone")
    given = parser.parse_args(args)
    right: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    of: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for file, half in FILES.items():
        for kind, texts in yaml.safe_load((FOLDER / f"{file}.yaml").read_text(encoding="utf-8")).items():
            for text in texts:
                good = KINDS[kind](hear(kind, text))
                for name in (kind, "all"):
                    of[name][half] += 1
                    right[name][half] += good
                if given.show and half == "tune" and not good:
                    print(f"{kind}: {text}")
    print("| kind | tune | held |\n|---|---|---|")
    for kind in (*KINDS, "all"):
        cells = (f"{right[kind][half]} of {of[kind][half]}" for half in ("tune", "held"))
        print(f"| {kind} | {' | '.join(cells)} |")


def hear(kind: str, text: str) -> Heard:
    """The summary of the channel with a message in it; one that says how it stands is its last."""
    before = EASED if kind == "state_again" else LED if kind in BY_WHO_LEADS else ""
    said = channel(f"{BEFORE}{before}09:40 {WRITER}: {text}{'' if kind.startswith('state_') else AFTER}")
    (ts,) = (message.ts for message in said if message.text == text)
    return Heard(text, ts, summarize(said, why="declared"))
