"""Runs a valid plan: independent steps side by side, one refined retry after an empty or failed step, gaps named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from workers.contracts import (
    Evidence,
    Fact,
    Gap,
    Proposal,
    Scalar,
    Step,
    ToolCall,
    ToolOutput,
    ValidPlan,
    Window,
    rfc3339,
)
from workers.engine.anomaly import find_suspect
from workers.grounding.fact_extraction import sound
from workers.ports import Asked, Reasoner, ToolSession

SLOT = re.compile(r"\{(\w+\.\w+(?:\|(?:\w+\.\w+)?)*)\}")
"""What waits for the run has a dot; other braces are those of a question: ``/users/{id}``."""
MAX_SOURCES = 10
Source = tuple[str, str]
"""Title and web address of a piece of evidence."""
Report = Callable[[Step, str, str, tuple[Source, ...]], None]
"""Told of each step: that it runs; then its status, what it found in a line, and where that can be opened."""


@dataclass(frozen=True)
class StepResult:
    """One step's calls, its last output, and its evidence (not yet numbered)."""

    step: Step
    calls: tuple[ToolCall, ...]
    output: ToolOutput
    tried: tuple[str, ...]

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The step's evidence and what it proposes to change, marked with its step."""
        found = (*self.output.evidence, *(as_evidence(p) for p in self.output.proposals))
        return tuple(e.model_copy(update={"step": self.step.id}) for e in found)


def as_evidence(proposal: Proposal) -> Evidence:
    """A change that waits for a person, as evidence of what it would do. Facts: change."""
    facts = {"change": Fact(value=proposal.title)}
    place = f"{proposal.tool}: {proposal.title}"
    return Evidence(kind="tool", title=proposal.title, locator=place, excerpt=proposal.preview, facts=facts)


@dataclass
class Run:
    """What executing a plan needs, and what it has gathered so far."""

    session: ToolSession
    reasoner: Reasoner
    asked: Asked
    window: Window
    report: Report
    done: dict[str, StepResult] = field(default_factory=dict)

    def evidence(self) -> list[Evidence]:
        """Evidence so far, in the order of the plan."""
        return [e for result in self.done.values() for e in result.evidence]


def proposals_of(results: Sequence[StepResult]) -> tuple[Proposal, ...]:
    """The changes that calls propose, each once, in their order; of those with one key the last."""
    found = {p.key or p.model_dump_json(): p for result in results for p in result.output.proposals}
    return tuple(found.values())


def run_plan(valid: ValidPlan, run: Run) -> tuple[StepResult, ...]:
    """Run every step that is not done yet once its predecessors are; what came late is taken in between and after.

    When nothing at all was found, what is late is waited for, as long as the time for all tools lasts.
    """
    waiting = [s for s in valid.plan.steps if s.id not in run.done]
    with ThreadPoolExecutor(max_workers=4 if run.asked.limits.parallel else 1) as pool:
        while waiting:
            take_late(run)
            ready = [s for s in waiting if all(a in run.done for a in s.after)]
            ready = ready if run.asked.limits.parallel else ready[:1]
            filled = [(s, fill_args(s, run)) for s in ready]
            for result in pool.map(lambda pair: run_step(pair[0], pair[1], run), filled):
                run.done[result.step.id] = result
            waiting = [s for s in waiting if s.id not in run.done]
    take_late(run)
    while not run.evidence() and take_late(run, wait=True):
        pass
    return tuple(run.done[s.id] for s in valid.plan.steps)


def take_late(run: Run, *, wait: bool = False) -> bool:
    """Put what calls returned after their limit in place of their timeouts.

    Returns: whether there was anything; with ``wait`` it is waited for.
    """
    late = run.session.late(wait=wait)
    for call, output in late:
        result = run.done.get(call.step)
        if result is None or result.output.status == "ok":
            continue
        calls = tuple(call if c.attempt == call.attempt else c for c in result.calls)
        run.done[call.step] = replace(result, calls=calls, output=output)
        run.report(result.step, output.status, output.summary or output.reason, sources_of(output))
    return bool(late)


def run_step(step: Step, args: dict[str, Scalar], run: Run) -> StepResult:
    """Call the tool; when nothing came back, once more with a refined query."""
    if lacking := next((key for key, value in args.items() if not value and waits_for(step, key)), ""):
        reason = f"there was nothing to look up: no earlier step found its {lacking}"
        run.report(step, "empty", reason, ())
        return StepResult(step, (), ToolOutput(status="empty", reason=reason), ())
    run.report(step, "running", "", ())
    call, output = run.session.call(step.id, step.tool, args)
    calls, tried = [call], [describe(args)]
    if output.status in {"empty", "error"} and run.asked.limits.refine:
        better = run.reasoner.refine_query(step.model_copy(update={"args": args}), output, run.asked.intent)
        if better is not None and better != args:
            again, second = run.session.call(step.id, step.tool, better, attempt=2)
            calls.append(again)
            tried.append(describe(better))
            output = second
    run.report(step, output.status, output.summary or output.reason, sources_of(output))
    return StepResult(step, tuple(calls), output, tuple(tried))


def run_call(step: Step, run: Run) -> StepResult:
    """Call the tool once, with the arguments as they stand."""
    run.report(step, "running", "", ())
    call, output = run.session.call(step.id, step.tool, step.args)
    run.report(step, output.status, output.summary or output.reason, sources_of(output))
    return StepResult(step, (call,), output, (describe(step.args),))


def sources_of(output: ToolOutput) -> tuple[Source, ...]:
    """What was found and has a web address, each address once, best first."""
    found: dict[str, str] = {}
    for item in output.evidence:
        if item.url and item.url.startswith(("https://", "http://")):
            found.setdefault(item.url, item.title)
    return tuple((title, url) for url, title in found.items())[:MAX_SOURCES]


def describe(args: Mapping[str, Scalar]) -> str:
    """Arguments as one line for a reader."""
    return ", ".join(f"{k}: {v}" if k != "query" else str(v) for k, v in args.items() if v not in {"", 0})


# --- slots that wait for the run ------------------------------------------------------------------------------


ENGINE_SLOTS = frozenset({"suspect.since", "suspect.until", "suspect.words", "window.start", "window.end"})
"""What the engine fills in the arguments of a known plan while it runs, beside facts of earlier steps."""


def fill_args(step: Step, run: Run) -> dict[str, Scalar]:
    """Fill ``{metric.onset_at|window.start}`` from what earlier steps returned."""
    gathered = run.evidence()
    suspect = find_suspect(gathered, run.asked.landscape, run.window)
    known = {
        "suspect.since": rfc3339(suspect.since),
        "suspect.until": rfc3339(suspect.until),
        "suspect.words": suspect.words,
        "window.start": rfc3339(run.window.start),
        "window.end": rfc3339(run.window.end),
    }

    def one(match: re.Match[str]) -> str:
        for name in match[1].split("|"):
            value = known.get(name) or step_fact(name, gathered)
            if value:
                return value
        return ""

    filled = {
        key: re.sub(r" {2,}", " ", SLOT.sub(one, value)).strip() if isinstance(value, str) else value
        for key, value in step.args.items()
    }
    return filled if filled.get("query", True) else {**filled, "query": run.asked.question}


def waits_for(step: Step, key: str) -> bool:
    """Whether an argument is nothing but what a step before finds: one slot, ``{quality.lowest_request}``."""
    slot = SLOT.fullmatch(str(step.args.get(key, "")))
    return key != "query" and slot is not None and all(n.partition(".")[0] in step.after for n in slot[1].split("|"))


def step_fact(name: str, evidence: Sequence[Evidence]) -> str:
    """``metric.onset_at``: the first such fact of that step."""
    step, _, fact = name.partition(".")
    found = next((e.facts[fact] for e in evidence if e.step == step and fact in e.facts), None)
    return str(found.value) if found else ""


# --- what came of it ------------------------------------------------------------------------------------------

OF_QUESTION = frozenset({"meaning", "nearest"})
"""Facts of a passage that say how it stands to the question, and not what it holds."""


def number_evidence(results: Sequence[StepResult]) -> tuple[Evidence, ...]:
    """E1, E2, … in the order of the plan; the same locator of the same kind once, with what each step knows of it."""
    found: dict[tuple[str, str], Evidence] = {}
    for result in results:
        for item in result.evidence:
            known = found.setdefault((item.kind, item.locator), item)
            if known is not item:
                facts = {name: fact for name, fact in item.facts.items() if name in OF_QUESTION}
                found[item.kind, item.locator] = known.model_copy(update={"facts": {**known.facts, **facts}})
    return tuple(sound(item).model_copy(update={"id": f"E{n}"}) for n, item in enumerate(found.values(), 1))


def name_gaps(results: Sequence[StepResult]) -> tuple[Gap, ...]:
    """What each empty or failed step means for the answer, with everything that was tried.

    A step that found something may still say which sources it could not read, and what of the question nothing names.
    """
    gaps = [name_gap(r) for r in results if r.output.status != "ok"]
    for result in results:
        data = result.output.data if result.output.status in {"ok", "empty"} else {}
        told = (*data.get("unavailable", ()), *data.get("unnamed", ()))
        gaps += [Gap(text=f"{result.step.tool}: {said}", tool=result.step.tool) for said in told]
    return tuple({gap.text: gap for gap in reversed(gaps)}.values())[::-1]


def orders_left_out(results: Iterable[StepResult]) -> tuple[str, ...]:
    """The places of sentences that gave orders to their reader, each once."""
    return tuple(dict.fromkeys(place for result in results for place in result.output.left_out))


def name_gap(result: StepResult) -> Gap:
    """One gap as a sentence."""
    reason = result.output.reason or result.output.summary
    text = {
        "empty": f"{result.step.tool}: {reason or 'nothing found'}",
        "timeout": f"{result.step.tool} did not answer in time{took(result)}, so I could not {result.step.purpose}",
        "denied": f"{result.step.tool} was not run: {reason}",
        "error": f"{result.step.tool} failed: {reason}",
    }[result.output.status]
    if any(name not in text for name in result.output.nearest[:3]):
        text += f" (nearest: {', '.join(result.output.nearest[:3])})"
    return Gap(text=text, tool=result.step.tool, tried=result.tried)


def took(result: StepResult) -> str:
    """How long its last call was waited for: `` (15 s)``; nothing when that is no second."""
    seconds = (result.calls[-1].end_ms - result.calls[-1].start_ms) / 1_000 if result.calls else 0.0
    return f" ({seconds:.0f} s)" if seconds >= 1 else ""


def take_notes(results: Sequence[StepResult]) -> tuple[str, ...]:
    """Internal notes (R0.6): one line a step."""
    return tuple(f"{r.step.id}: {r.output.summary or r.output.reason or r.output.status}" for r in results)
