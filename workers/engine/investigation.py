"""What a language model investigates with: the agent's tools through the same wrappers as a plan's steps, evidence
numbered as it comes, the claim checker, and the people who watch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from workers.contracts import SECTIONS, Answer, Claim, Draft, Evidence, Gap, Plan, Step, ToolOutput, Verdict
from workers.engine.assemble import one_line
from workers.engine.execute import Run, StepResult, describe, run_call, take_late
from workers.grounding.fact_extraction import sound
from workers.ports import CheckedClaim, TodoItem

LOOP = "LOOP"
"""The pattern of a plan whose steps are chosen while it runs."""
FREE_CALLS = 40
"""Calls of a model whose agent's limit is soft."""
SIDE_BY_SIDE = 16
MOST_UNCITED = 60
"""Pieces of evidence that no claim cites and that are kept with the answer, for whoever looks at its proof."""
Ground = Callable[[Draft, str, Sequence[Evidence]], tuple[Answer, tuple[Verdict, ...]]]
"""A draft, its type of question, evidence -> the answer that holds of it, and the verdicts of what was struck."""


@dataclass
class Bench:
    """Implements `workers.ports.Workbench`.

    Args:
        run: what calls need; its results are kept there by the ids of their steps.
        ground: holds a draft against the evidence.
        show: told of the list of what is still to do.
    """

    run: Run
    ground: Ground
    show: Callable[[Sequence[TodoItem]], None]
    steps: list[Step] = field(default_factory=list)
    found: list[Evidence] = field(default_factory=list)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All pieces so far, in the order they came."""
        return tuple(self.found)

    @property
    def calls_left(self) -> int:
        """Of the agent's limit, or of `FREE_CALLS` where the agent only notes calls above it. Calls that failed or were
        refused are none; turns end a loop of them."""
        limits = self.run.asked.limits
        most = limits.max_tool_calls if limits.overflow == "stop" else max(limits.max_tool_calls, FREE_CALLS)
        made = sum(self.run.done[step.id].output.status in {"ok", "empty"} for step in self.steps)
        return max(most - made, 0)

    def call(self, steps: Sequence[Step]) -> tuple[ToolOutput, ...]:
        """Run calls side by side where the agent's limits allow it, one after the other where they don't."""
        with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE if self.run.asked.limits.parallel else 1) as pool:
            results = list(pool.map(partial(run_call, run=self.run), steps))
        for step, result in zip(steps, results, strict=True):
            self.steps.append(step)
            self.run.done[step.id] = result
        take_late(self.run)
        return tuple(self.numbered(self.run.done[step.id]) for step in steps)

    def numbered(self, result: StepResult) -> ToolOutput:
        """An output whose evidence has its numbers; a piece that is known keeps the one it has."""
        return result.output.model_copy(update={"evidence": tuple(self.number(one_line(e)) for e in result.evidence)})

    def number(self, item: Evidence) -> Evidence:
        """A piece with its number: the same text at the same place is the same piece."""
        key = (item.kind, item.locator, item.excerpt)
        known = next((e for e in self.found if (e.kind, e.locator, e.excerpt) == key), None)
        if known is not None:
            return known
        self.found.append(sound(item).model_copy(update={"id": f"E{len(self.found) + 1}"}))
        return self.found[-1]

    def check(self, draft: Draft, question_type: str) -> tuple[CheckedClaim, ...]:
        """Every claim of a draft, held against the evidence."""
        answer, verdicts = self.ground(draft, question_type, self.found)
        return checked_claims(draft, answer, {v.id: v.reason for v in verdicts})

    # --- what came of it --------------------------------------------------------------------------------------

    def plan(self, plan: Plan) -> Plan:
        """The calls that were made, as a plan."""
        return plan.model_copy(update={"pattern": LOOP, "steps": tuple(self.steps)})

    def results(self) -> tuple[StepResult, ...]:
        """Of every call, in its order."""
        return tuple(self.run.done[step.id] for step in self.steps)

    def gaps(self) -> tuple[Gap, ...]:
        """Sources that failed and were not reached by another call of the same tool; copies that are old or unread."""
        reached = {r.step.tool for r in self.results() if r.output.status in {"ok", "empty"}}
        lost = {r.step.tool: r for r in self.results() if r.output.status in {"timeout", "error"}}
        failed = [
            Gap(text=f"{tool} failed: {r.output.reason}", tool=tool, tried=(describe(r.step.args),))
            for tool, r in lost.items()
            if tool not in reached
        ]
        unread = [
            Gap(text=f"{r.step.tool}: {said}", tool=r.step.tool)
            for r in self.results()
            if r.output.status == "ok"
            for said in r.output.data.get("unavailable", ())
        ]
        return tuple(dict.fromkeys((*failed, *unread)))

    def kept(self, draft: Draft) -> tuple[Evidence, ...]:
        """The evidence that the draft cites, and the first of the rest."""
        cited = {i for claim in draft.claims for i in claim.evidence}
        rest = [e.id for e in self.found if e.id not in cited and f"{{{e.id}." not in str(draft.claims)]
        dropped = set(rest[MOST_UNCITED:])
        return tuple(e for e in self.found if e.id not in dropped)


def named_claims(draft: Draft) -> list[tuple[str, Claim]]:
    """Each claim with its id: ``headline``, or its section and place."""
    sections = [(f"{s}.{i}", claim) for s in SECTIONS for i, claim in enumerate(getattr(draft, s))]
    return [("headline", draft.headline), *sections]


def checked_claims(draft: Draft, answer: Answer, struck: dict[str, str]) -> tuple[CheckedClaim, ...]:
    """The claims of a draft as they stand in the answer; those that don't, with the reason."""
    shown = {"headline": iter([answer.headline]), **{s: iter(getattr(answer, s)) for s in SECTIONS}}
    out = []
    for name, claim in named_claims(draft):
        if name in struck:
            out.append(CheckedClaim(name, claim.template, claim.evidence, claim.status, struck[name]))
            continue
        done = next(shown[name.partition(".")[0]])
        out.append(CheckedClaim(name, done.text, done.evidence, done.status))
    return tuple(out)


def without(draft: Draft, refuted: Collection[str]) -> Draft:
    """A draft without the claims of some ids."""
    kept = {s: tuple(c for i, c in enumerate(getattr(draft, s)) if f"{s}.{i}" not in refuted) for s in SECTIONS}
    headline = draft.headline
    if "headline" in refuted:
        best = next((c for s in SECTIONS[:-1] for c in kept[s] if c.status == "supported"), None)
        headline = best or Claim(template="I could not verify an answer.")
        kept = {s: tuple(c for c in claims if c is not best) for s, claims in kept.items()}
    return draft.model_copy(update={**kept, "headline": headline})
