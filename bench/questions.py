"""How questions are understood: which agent, which kind, whether one is asked back; by authors not learned from."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from workers.agents.registry import build_agents, build_likelihood, playbook_of
from workers.contracts import Intent, Landscape, MetricInfo, Question
from workers.engine.plan_stage import FEWEST_OPTIONS
from workers.engine.policy import Policy, choose_route
from workers.language import question_kinds
from workers.language.labelled_questions import (
    FOLDER,
    HELD,
    LabelledQuestion,
    question_files,
    question_of,
    read_questions,
)
from workers.language.request_routes import learn_routes, route_probabilities
from workers.language.train_question_kinds import LABELLED, learn_kinds, route_files, shipped_examples
from workers.ports import Likely, Playbook
from workers.reasoning.rules import RulesReasoner
from workers.reasoning.wish import kind_chances
from workers.settings.load import Settings, load_settings

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
NAMES = Landscape(
    labels={"endpoint": ("/api/a", "/api/b"), "service": ("svc",), "deployment": ("model-a", "model-b")},
    metrics=(MetricInfo(name="latency_p95", unit="s", role="latency", aliases=("latency", "p95")),),
)
"""Names in the sources: none of an author's own systems."""
AUTHORS = ("logistics", "streaming_hospital", "energy_marketplace")
"""Who wrote without having seen a file of another: each is left out in turn."""
REFUSED = frozenset({"unsafe", "out_of_scope"})
LOOKED_INTO = frozenset({"research", "operations"})
"""Agents whose questions have a kind, and are asked back by the same classifier."""
STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


UNSURE = 0.5
"""Below it a question gets the looks of every kind first."""


@dataclass(frozen=True)
class Reading:
    """What became of one question. ``sure``: how likely the likeliest label was, and that of its kind."""

    row: LabelledQuestion
    agent: str
    kind: str
    unsure: bool
    asked: bool
    label: str
    sure: float
    kind_sure: float
    ms: float

    @property
    def right(self) -> bool:
        """By the right agent, or refused."""
        return self.agent in self.row.agents or (self.agent == "refused" and bool(self.row.agents & REFUSED))

    @property
    def kind_right(self) -> bool:
        """Of the right kind."""
        return self.kind in self.row.kinds


def main(args: list[str]) -> None:
    """Print the table by author, the calibration, and the mistakes.

    Args:
        args: nothing: three authors, each read by what was learned from all others; ``held``: the held author, by the
            shipped weights and without single questions; files of questions, by the shipped weights.
    """
    print("| author | questions | agent | kind | wrong kind, unsure | asks back when it must | needlessly | "
          "unsafe refused | refused needlessly | p50 ms |\n|---|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    found: list[Reading] = []
    with TemporaryDirectory() as home:
        settings = load_settings(home=Path(home))
        if args:
            likely = build_likelihood(settings)
            files = [FOLDER / f"{name}.jsonl" for name in sorted(HELD)] if args == ["held"] else map(Path, args)
            for file in files:
                found += summarise(file.stem, read_all(settings, likely, rows_of(file)))
        else:
            for author in AUTHORS:
                likely = learn_without(author, Path(home))
                found += summarise(author, read_all(settings, likely, rows_of(FOLDER / f"{author}.jsonl")))
    summarise("all", found)
    calibrate(found)
    if args != ["held"]:
        print_mistakes(found)


def rows_of(file: Path) -> tuple[LabelledQuestion, ...]:
    """The questions of a file; older ones call their fields otherwise."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    renamed = ({{"label": "agent", "question_type": "kind"}.get(k, k): v for k, v in line.items()} for line in lines)
    return tuple(question_of({k: v for k, v in row.items() if k in LabelledQuestion._fields}) for row in renamed)


def learn_without(author: str, folder: Path) -> Likely:
    """Have all models of questions learned without one author, and say how likely a request is for each agent."""
    questions = read_questions(*(file for file in question_files() if file.stem != author))
    question_kinds.read_once.cache_clear()
    for name in LABELLED:
        question_kinds.write_model(folder / f"{name}.npz", learn_kinds(name, questions), author)
    shipped = question_kinds.weights_file
    question_kinds.weights_file = lambda name: folder / f"{name}.npz" if name in LABELLED else shipped(name)
    for name in LABELLED:
        question_kinds.load_model(name)
    question_kinds.weights_file = shipped
    routes = learn_routes(shipped_examples(route_files()), questions)
    return lambda question: route_probabilities(routes, question.text)


def read_all(settings: Settings, likely: Likely, rows: Sequence[LabelledQuestion]) -> list[Reading]:
    """Each question as the engine understands it, with every agent's data connected."""
    agents = {name: replace(agent, lacks="") for name, agent in build_agents(settings).items()}
    modules = {name: agent.module for name, agent in agents.items()}
    rules = RulesReasoner(settings.default_agent, modules, Playbook({}), lambda: NAMES, likely)
    policy = Policy(agents, settings.default_agent, settings.core.fallback_agent, likely)
    books = {name: playbook_of(settings, name, agent.limits) for name, agent in agents.items()}
    tasks = {agent.task: name for name, agent in agents.items()}

    def read(row: LabelledQuestion) -> Reading:
        question = Question(request_id="bench", text=row.text, received_at=NOW)
        began = time.perf_counter()
        chosen = tasks.get(choose_route(question, policy, rules.choose_agent).task, "refused")
        reader = chosen if chosen in row.agents or not row.kind else row.agent or settings.default_agent
        intent = (
            modules[reader].read_intent(question, NAMES, NOW, books[reader])
            if reader in modules
            else Intent(question_type="other")
        )
        ms = (time.perf_counter() - began) * 1e3
        probabilities = likely(question)
        label = max(probabilities, key=lambda name: probabilities[name])
        surest = max(kind_chances(row.text).values())
        asked = intent.ambiguity is not None and len(intent.ambiguity.options) >= FEWEST_OPTIONS
        return Reading(
            row, chosen, intent.question_type, surest < UNSURE, asked, label, probabilities[label],
            surest, ms,
        )  # fmt: skip

    return [read(row) for row in rows]


def summarise(author: str, found: list[Reading]) -> list[Reading]:
    """Print one line of the table."""
    kinds = [r for r in found if r.row.kind]
    wrong = [r for r in kinds if not r.kind_right]
    looked = [r for r in found if r.row.agent in LOOKED_INTO or not r.row.agent]
    unclear = [r for r in looked if r.row.ambiguous]
    clear = [r for r in looked if not r.row.ambiguous]
    routed = [r for r in found if r.row.agent]
    unsafe = [r for r in found if r.row.agent == "unsafe"]
    fine = [r for r in routed if not r.row.agents & REFUSED]
    times = sorted(r.ms for r in found)
    cells = (
        str(len(found)),
        share([r.right for r in routed]),
        share([r.kind_right for r in kinds]),
        f"{sum(r.unsure for r in wrong)} of {len(wrong)}",
        share([r.asked for r in unclear]),
        share([r.asked for r in clear]),
        f"{sum(r.agent == 'refused' for r in unsafe)} of {len(unsafe)}",
        f"{sum(r.agent == 'refused' for r in fine)} of {len(fine)}",
        f"{times[len(times) // 2]:.1f}",
    )
    print(f"| {author} | {' | '.join(cells)} |", flush=True)
    return found


def share(marks: Sequence[bool]) -> str:
    """``95.0 % of 200``."""
    return f"{sum(marks) / len(marks):.1%} of {len(marks)}" if marks else "-"


def calibrate(found: list[Reading]) -> None:
    """Print how often the likeliest agent and kind are right, by how likely they are said to be."""
    print("\n| likelihood | agents | right | kinds | right |\n|---|---|---|---|---|")
    for low, high in pairwise(STEPS):
        agents = [r.label in r.row.agents for r in found if low <= r.sure < high and r.row.agent]
        kinds = [
            r.kind_right for r in found if low <= r.kind_sure < high and r.row.kind and r.row.agent != "operations"
        ]
        cells = " | ".join(f"{len(marks)} | {sum(marks) / max(len(marks), 1):.0%}" for marks in (agents, kinds))
        print(f"| {low:.2f} to {min(high, 1.0):.2f} | {cells} |")


def print_mistakes(found: list[Reading]) -> None:
    """Each question that was misunderstood, and how."""
    for r in found:
        looked = r.row.agent in LOOKED_INTO or not r.row.agent
        if r.row.agent and not r.right:
            print(f"agent: {r.row.agent} -> {r.agent} ({r.sure:.2f}) {r.row.text[:120]}")
        if r.row.kind and not r.kind_right:
            print(f"kind: {r.row.kind} -> {r.kind} ({r.kind_sure:.2f}) {r.row.text[:120]}")
        if looked and r.asked != r.row.ambiguous:
            print(f"{'needlessly' if r.asked else 'not'} asked back: {r.row.text[:120]}")
