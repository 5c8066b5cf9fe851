"""One other plan when steps failed or found nothing: what is known stays, what is missing is looked for another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from workers.contracts import Answer, Claim, Plan
from workers.engine.execute import Run, StepResult, name_gaps, number_evidence, run_plan
from workers.engine.validate import NOVEL, check_plan
from workers.errors import PlanRejected
from workers.ports import Brief


def look_again(
    brief: Brief, results: Sequence[StepResult], run: Run, changed: Callable[[Plan], None]
) -> tuple[Plan, tuple[StepResult, ...]]:
    """The plan with further steps and all results; both as they were when every step found something.

    Args:
        brief: the question and the plan that ran.
        results: what came of its steps.
        run: what calls need.
        changed: told of the plan when it has grown.
    """
    if not run.asked.limits.replan or not any(map(is_lost, results)):
        return brief.plan, tuple(results)
    calls = tuple(c for r in results for c in r.calls)
    other = run.reasoner.replan(replace(brief, evidence=number_evidence(results), calls=calls, gaps=name_gaps(results)))
    grown = joined(brief.plan, other, run) if other is not None else brief.plan
    novel = grown.model_copy(
        update={
            "pattern": NOVEL,
            "uncertainties": tuple(dict.fromkeys((*doubts(brief.plan, results), *grown.uncertainties))),
            "verification_tips": grown.verification_tips or (look_yourself(results),),
        }
    )
    if len(grown.steps) == len(brief.plan.steps):
        return novel, tuple(results)
    changed(novel)
    return novel, run_plan(check_plan(grown, run.asked), run)


def is_lost(result: StepResult) -> bool:
    """Whether a step failed or found nothing; one that had nothing to look up, as no step before named it, did not."""
    return result.output.status != "ok" and bool(result.calls)


def doubts(plan: Plan, results: Sequence[StepResult]) -> tuple[str, ...]:
    """Why a known plan is a novel one now; a novel one has doubts of its own."""
    lost = dict.fromkeys(r.step.tool for r in results if is_lost(r))
    return () if plan.pattern == NOVEL else (f"{' and '.join(lost)} found too little",)


def look_yourself(results: Sequence[StepResult]) -> str:
    """What a person can do when nothing else is left to try."""
    lost = next(r.step for r in results if is_lost(r))
    return f"ask {lost.tool} for a longer span or by another name: oracle tool {lost.tool}"


def caution(answer: Answer, plan: Plan) -> Answer:
    """An answer of a novel plan says that no known one fitted, with the first reason, and what to verify (R4.7).

    The line is short, for it stands before the answer; all doubts of the plan stand in its proof.
    """
    if plan.pattern != NOVEL:
        return answer
    why = f" ({plan.uncertainties[0]})" if plan.uncertainties else ""
    banner = f"No known pattern{why}: verify before you act."
    tips = tuple(Claim(template=tip, text=tip) for tip in map("To verify: {}".format, plan.verification_tips))
    lines = " ".join(text for text in (banner, answer.banner) if text)
    return answer.model_copy(update={"banner": lines, "next_steps": (*answer.next_steps, *tips)})


def joined(plan: Plan, other: Plan, run: Run) -> Plan:
    """A plan with the steps of another that were not taken yet, as far as the agent's rules allow.

    A known plan keeps its own steps as they are; the rules for the first steps of a novel one hold for those added.
    """
    taken = [(s.tool, s.args) for s in plan.steps]
    names = {s.id for s in plan.steps}
    new = [s for s in other.steps if (s.tool, s.args) not in taken]
    renamed = {s.id: f"{s.id}_again" if s.id in names else s.id for s in new}
    steps = [
        s.model_copy(update={"id": renamed[s.id], "after": tuple(renamed.get(a, a) for a in s.after)}) for s in new
    ]
    first = run.asked.first_tools
    steps.sort(key=lambda s: s.tool not in first or bool(s.after))
    seen = tuple(s for s in plan.steps if s.tool in first)
    for most in range(len(steps), 0, -1):
        grown = plan.model_copy(
            update={
                "steps": (*plan.steps, *steps[:most]),
                "uncertainties": tuple(dict.fromkeys((*plan.uncertainties, *other.uncertainties))),
                "verification_tips": tuple(dict.fromkeys((*plan.verification_tips, *other.verification_tips))),
            }
        )
        added = grown.model_copy(update={"pattern": NOVEL, "steps": (*seen, *steps[:most])})
        try:
            check_plan(grown, run.asked)
        except PlanRejected:
            continue
        own = (run.asked.rules[name] for name in run.asked.limits.validators if name in run.asked.rules)
        if any(rule(added, run.asked) for rule in own):
            continue
        return grown
    return plan
