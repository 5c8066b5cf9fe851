"""Summaries of incident channels: ``python -m bench incidents [--replay] [--half tune|held] [--name NAME] [--show]``.

Every transcript is written as the channel JSON of a Slack export and given to ``oracle summarize``, once for each cut;
``judge.py`` scores what it prints. With ``--replay`` it is told through a local Slack instead, event by event, and what
the pinned message says at each cut is scored; every link in it is held against Slack's own permalinks. ``--show`` tells
what is missing and what is wrong, of the half that rules are fitted to alone: the held half says numbers and nothing
else. ``--model FILE.gguf``: a small model of llama.cpp words the summaries (`bench.llama`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.bridge import run_bridge
from bench.incidents.expected import END, Cut, Expected, expected
from bench.incidents.judge import Verdict, judge
from bench.incidents.replay import replay, run_replay
from bench.incidents.transcripts import Export, export, names, write_export
from bench.llama import CannotServe, run_llama

ORACLE = str(Path(sys.executable).with_name("oracle"))
CONFIG = "ORACLE_CONFIG"
HALVES = ("tune", "held")
MOST_CHARS, MOST_LINES = 14_000, 3
"""What a small model reads at a time, and how long the lists are that it writes."""
HEAD = (
    "| transcript | half | cut | facts by weight | of weight 3 | forbidden | wrong state or severity | other faults |"
)


def main(args: list[str]) -> None:
    """Judge all summaries and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench incidents")
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--name", choices=names())
    parser.add_argument("--show", action="store_true", help="what is missing or wrong; the tune half alone")
    parser.add_argument("--replay", action="store_true", help="as events through a local Slack")
    parser.add_argument("--model", type=Path, help="a GGUF file: its model words the summaries")
    given = parser.parse_args(args)
    if given.model and given.replay:
        parser.error("--model words what `oracle summarize` prints: not with --replay")
    with thinking(given.model):
        score(given)


def score(given: argparse.Namespace) -> None:
    """Judge what was chosen, and print it."""
    judged = replayed if given.replay else verdicts
    chosen = [name for name in names() if given.name in (None, name)]
    halves = {half: [name for name in chosen if expected(name).half == half] for half in HALVES}
    print(HEAD, "|".join(["", *["---"] * 8, ""]), sep="\n")
    for half in [given.half] if given.half else HALVES:
        scored = [one for name in halves[half] for one in judged(export(name), expected(name))]
        for name, cut, verdict in scored:
            print(_row(name, half, cut.until, [verdict]))
            if given.show and half == "tune":
                print(*_told(verdict), sep="\n")
        if scored:
            print(_row("all", half, f"{len(scored)} cuts", [verdict for _, _, verdict in scored]))


@contextmanager
def thinking(weights: Path | None) -> Iterator[None]:
    """For a while, ``oracle`` asks this model; none: nobody.

    Raises:
        SystemExit: there is no model to ask; a sentence says why.
    """
    if weights is None:
        yield
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        try:
            llama = stack.enter_context(run_llama(weights, Path(folder) / "llama.log"))
        except CannotServe as error:
            sys.exit(str(error))
        url = stack.enter_context(run_bridge(llama, MOST_CHARS, MOST_LINES)).url
        role = {"model": weights.stem, "max_tokens": 1_500, "deadline_s": 250}
        roles = dict.fromkeys(("router", "intent", "planner", "executor", "synthesis", "style", "compression"), role)
        endpoint = {"base_url": url, "api_key": "local"}
        models = {"reasoner": "claude", "endpoint": endpoint, "roles": roles, "budget": {"request_s": 250}}
        (Path(folder) / "models.yaml").write_text(json.dumps(models), encoding="utf-8")
        os.environ[CONFIG] = folder
        stack.callback(os.environ.pop, CONFIG)
        yield


def verdicts(channel: Export, wanted: Expected) -> Iterator[tuple[str, Cut, Verdict]]:
    """Each cut of one transcript, judged; a command that fails says why and scores nothing."""
    known = [message["ts"] for message in channel.messages]
    with tempfile.TemporaryDirectory() as folder:
        file = write_export(channel, Path(folder))
        for cut in wanted.cuts:
            try:
                summary = summarize(file, until_ts(cut, channel))
            except RuntimeError as error:
                print(f"{channel.name}, {cut.until}: {error}", file=sys.stderr)
                summary = {}
            if summary.get("reasoner", "rules") != "rules" or CONFIG in os.environ:
                told = f"by {summary.get('reasoner')}, {len(summary.get('struck', ()))} lines struck"
                print(f"{channel.name}, {cut.until}: {told}", file=sys.stderr)
            yield channel.name, cut, judge(summary, cut, ts=channel.ts, known=known, chatter=channel.chatter)


def replayed(channel: Export, wanted: Expected) -> Iterator[tuple[str, Cut, Verdict]]:
    """Each cut of one transcript as the pinned message tells it, judged; a link that leads elsewhere is a fault."""
    known = [message["ts"] for message in channel.messages]
    with tempfile.TemporaryDirectory() as home, run_replay(Path(home)) as house:
        for seen in replay(house, channel, wanted.cuts):
            summary = seen.summary.model_dump(mode="json", exclude={"evidence"})
            verdict = judge(summary, seen.cut, ts=channel.ts, known=known, chatter=channel.chatter)
            wrong = verdict.wrong_citations + seen.wrong_links
            print(
                f"{channel.name}, {seen.cut.until}: {seen.links} links, {len(seen.wrong_links)} wrong", file=sys.stderr
            )
            yield channel.name, seen.cut, replace(verdict, wrong_citations=wrong)


def until_ts(cut: Cut, channel: Export) -> str:
    """The moment just after the last message of a cut; empty for all of them."""
    if cut.until == END:
        return ""
    seconds, _, micro = channel.ts[cut.until].partition(".")
    return f"{seconds}.{int(micro) + 1:06d}"


def summarize(file: Path, until: str) -> dict[str, Any]:
    """What ``oracle summarize`` prints.

    Raises:
        RuntimeError: it failed, or printed no JSON object; its last words are told.
    """
    command = [ORACLE, "summarize", str(file), "--json", *(["--until", until] if until else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        printed = json.loads(done.stdout)
    except ValueError:
        printed = None
    if done.returncode or not isinstance(printed, dict):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return printed


def _row(name: str, half: str, cut: str, all_of: Sequence[Verdict]) -> str:
    wanted, present = sum(one.wanted for one in all_of), sum(one.present for one in all_of)
    vital = [found for one in all_of for found in one.facts if found.fact.weight == 3]
    about = sum(bool(said) for one in all_of for said in (one.wrong_state, one.wrong_severity))
    forbidden = sum(len(one.forbidden) for one in all_of)
    other = sum(len(one.faults) for one in all_of) - about - forbidden
    kept = sum(bool(found.place) for found in vital)
    return f"| {name} | {half} | {cut} | {present}/{wanted} | {kept}/{len(vital)} | {forbidden} | {about} | {other} |"


def _told(verdict: Verdict) -> Iterator[str]:
    for found in verdict.facts:
        if not found.place:
            why = "rests on other messages" if found.miscited else "missing"
            yield f"    - {found.fact.id} ({found.fact.weight}, {'/'.join(found.fact.sections)}): {why}"
    for said in verdict.faults:
        yield f"    ! {said}"
