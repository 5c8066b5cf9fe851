"""What sentences are taken for: ``python -m bench wordings [NAME…] [--show]``.

Each file of ``data/wordings`` is a table of what a sentence should be taken for, and the sentences. The rules were
made on these very sentences: a figure that falls shows what a change costs, and none says how unseen ones fare.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from tests.support.channel_lines import channel
from tests.support.operations_agent import inquire, question
from tests.unit.agents.operations.test_routing_confidence import NAMES
from tests.unit.incidents.summary.test_status_patterns import state_after
from workers.agents.operations.inquiry import how_operational
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

FOLDER = Path(__file__).parent / "data" / "wordings"
BEFORE = """
09:00 Grafana*: [FIRING:1] RegionDown west
09:01 Maya: west looks gone for customers in Lisbon
09:02 Tomas: looking at the gateway
09:05 Priya: I see timeouts in the gateway log
"""
LED = "09:08 Maya: SEV2, I'm IC\n"
RELIEVED = "09:20 Tomas: rolled back the gateway to v7\n09:24 Maya: errors are gone, mitigated\n"
AFTER = "\n09:44 Tomas: still reading the gateway log"
OPEN = frozenset({"investigating", "identified"})


def summary_of(text: str, before: str = "", after: str = "") -> Summary:
    """The summary of a short channel in which Maya writes a message."""
    return summarize(channel(f"{BEFORE}{before}09:40 Maya: {text}{after}"), why="declared")


def lead_of(summary: Summary) -> str:
    """The name of who leads, or nobody."""
    return summary.lead.name if summary.lead else "nobody"


READERS: Mapping[str, Callable[[str], str]] = {
    "incident_handover": lambda text: lead_of(summary_of(text, LED, AFTER)),
    "incident_lead": lambda text: lead_of(summary_of(text, after=AFTER)),
    "incident_state": lambda text: summary_of(text, LED).status.state,
    "incident_state_after_relief": lambda text: summary_of(text, RELIEVED).status.state,
    "incident_turn": lambda text: state_after(text) or "none",
    "operations_pattern": lambda text: inquire(text).pattern,
    "operations_side": lambda text: "operations" if how_operational(question(text), NAMES) >= 0.5 else "research",
}
"""What a sentence of a table is taken for."""


def agrees(found: str, wanted: str) -> bool:
    """Whether it is what the table says; an incident that goes on may be investigated or have its cause."""
    return found in OPEN if wanted == "open" else found == wanted


def main(args: list[str]) -> None:
    """Score all tables, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench wordings")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(READERS))
    parser.add_argument("--show", action="store_true", help="what is taken for something else")
    given = parser.parse_args(args)
    print("| table | right | of |\n|---|---|---|")
    for name in given.names or READERS:
        table = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
        read = [(text, wanted, READERS[name](text)) for wanted, texts in table.items() for text in texts]
        wrong = [row for row in read if not agrees(row[2], row[1])]
        print(f"| {name} | {len(read) - len(wrong)} | {len(read)} |")
        for text, wanted, found in wrong if given.show else ():
            print(f"    {wanted}, taken for {found}: {text}")
