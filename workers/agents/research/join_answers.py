"""A question that asks two things: one plan for both, and one answer of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from workers.agents.research.plan import RELEASE
from workers.agents.research.resolve_question import part_of
from workers.contracts import SECTIONS, Claim, Draft, Evidence, Gap, Plan, Scalar, Step
from workers.ports import Brief

SECOND = "_b"  # ends the ids of the second part's steps


def join_plans(first: Plan, second: Plan, most: int) -> Plan:
    """The first part's steps, then those of the second that ask something else, as far as they may be.

    What a deploy brought comes before all: of a commit that two steps find, what the first says of it is kept.
    """
    taken = {s.id for s in first.steps}
    names = {
        s.id: twin_of(s, first.steps) or (s.id if s.id == RELEASE and s.id not in taken else f"{s.id}{SECOND}")
        for s in second.steps
    }
    steps = list(first.steps)
    for step in second.steps:
        if twin_of(step, first.steps) or len(steps) >= most:
            continue
        kept = {s.id for s in steps}
        after = tuple(names[a] for a in step.after if names.get(a) in kept)
        args: dict[str, Scalar] = {k: renamed(v, names) for k, v in step.args.items()}
        steps.append(step.model_copy(update={"id": names[step.id], "args": args, "after": after}))
    return first.model_copy(
        update={
            "steps": tuple(sorted(steps, key=lambda s: s.id != RELEASE)),
            "uncertainties": tuple(dict.fromkeys((*first.uncertainties, *second.uncertainties))),
        }
    )


def twin_of(step: Step, steps: Sequence[Step]) -> str:
    """The step that asks the same."""
    return next((s.id for s in steps if (s.tool, s.args) == (step.tool, step.args)), "")


def renamed(value: Scalar, names: dict[str, str]) -> Scalar:
    """Slots that point to a step, by its new id."""
    if not isinstance(value, str):
        return value
    return re.sub(r"(?<=[{|])(\w+)(?=\.)", lambda m: names.get(m[1], m[1]), value)


def write_both(brief: Brief, parts: Sequence[str], write: Callable[[Brief], Draft]) -> Draft:
    """Both answers: the headlines one after the other, then the sections of both."""
    own = [e for e in brief.evidence if e.step.endswith(SECOND)]
    others = [e for e in brief.evidence if not e.step.endswith(SECOND)]
    first = write(narrowed(brief, parts[0], others, brief.gaps))
    if not any(s.id.endswith(SECOND) for s in brief.plan.steps) and len({s.tool for s in brief.plan.steps}) > 1:
        own = others
    second = write(
        narrowed(
            brief,
            parts[1],
            [*(e.model_copy(update={"step": e.step.removesuffix(SECOND)}) for e in own), *shared(own, others)],
            (),
        )
    )
    return Draft(
        headline=joined(first.headline, second.headline),
        **{s: unlike((*getattr(first, s), *getattr(second, s)), (first.headline, second.headline)) for s in SECTIONS},
        missing=tuple(dict.fromkeys((*first.missing, *second.missing))),
        confidence=min(first.confidence, second.confidence, key=("low", "medium", "high").index),
    )


def narrowed(brief: Brief, text: str, evidence: Sequence[Evidence], gaps: Sequence[Gap]) -> Brief:
    """The brief of one part."""
    return replace(
        brief,
        question=brief.question.model_copy(update={"text": text}),
        intent=part_of(brief.intent, text, brief.landscape),
        evidence=tuple(evidence),
        gaps=tuple(gaps),
    )


def shared(own: Sequence[Evidence], others: Sequence[Evidence]) -> list[Evidence]:
    """What the first part found already and the second may rest on too."""
    taken = {e.id for e in own}
    return [e for e in others if e.id not in taken and (e.kind in {"doc", "deploy", "alert"} or e.step == RELEASE)]


def joined(first: Claim, second: Claim) -> Claim:
    """Two headlines as one."""
    status = "hypothesis" if "hypothesis" in {first.status, second.status} else "supported"
    lead = first.template.rstrip()
    template = f"{lead}{'' if lead.endswith(('.', '!', '?')) else '.'} {second.template.strip()}"
    cited = tuple(dict.fromkeys((*first.evidence, *second.evidence)))
    return Claim(template=template, evidence=cited, status=status)


def unlike(claims: Sequence[Claim], said: Sequence[Claim]) -> tuple[Claim, ...]:
    """Each claim once, and none that a headline says already."""
    told = {c.template for c in said}
    return tuple({c.template: c for c in claims if c.template not in told}.values())
