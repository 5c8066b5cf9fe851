"""The other way to work: turn by turn, a reasoner chooses tool calls and sees what came back, until it has enough.

Every call goes through the same wrappers, budgets and limits as a plan's steps. A tool that is not the agent's is never
called; the reasoner is told so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workers.contracts import Plan, Step, ToolOutput
from workers.engine.execute import Run, StepResult, run_plan, take_late
from workers.engine.validate import check_turn, still_needed
from workers.ports import Brief, Turn

LOOP = "LOOP"
"""The pattern of a plan whose steps are chosen while it runs."""


def run_loop(brief: Brief, run: Run, changed: Callable[[Plan], None]) -> tuple[Plan, tuple[StepResult, ...], str]:
    """Take turns until the reasoner has enough, or none are left.

    Args:
        brief: the question, its intent and its empty plan.
        run: what calls need.
        changed: told of the plan whenever it has grown.

    Returns: every step that was taken, as a plan, its results, and what the agent's rules still miss.
    """
    plan, turns = brief.plan, list[Turn]()
    for _ in range(run.asked.limits.max_turns):
        steps = run.reasoner.choose_steps(brief, turns)
        if not steps:
            needed = still_needed(plan, run.asked)
            if not needed or brief.notes:
                break
            brief = replace(brief, notes=(needed,))
            continue
        ours = tuple(s for s in steps if s.tool in run.asked.limits.tools)
        plan = plan.model_copy(update={"steps": (*plan.steps, *ours)})
        changed(plan)
        turn = plan.model_copy(update={"steps": ours})
        run_plan(check_turn(turn, run.asked), run)
        turns.append(Turn(steps, tuple(output_of(step, run) for step in steps)))
    take_late(run)
    missed = still_needed(plan, run.asked)
    return plan, tuple(run.done[s.id] for s in plan.steps), missed


def output_of(step: Step, run: Run) -> ToolOutput:
    """What a step came to; one that was not called is answered so."""
    if step.id in run.done:
        return run.done[step.id].output
    return ToolOutput(status="denied", reason=f"there is no such tool; there are {', '.join(run.asked.limits.tools)}")
