"""The last stage of a question: what was written, or is written now, held against the evidence; then the wording."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Answer, Claim, Draft, Evidence, Gap, RequestLog, Verdict
from workers.engine.brief import asks_for_knowledge, brief_of, brief_over, nameable
from workers.engine.confirmation import is_change
from workers.engine.engine import Engine
from workers.engine.follow_ups import rechecked
from workers.engine.investigation import checked_claims, without
from workers.engine.replan import caution
from workers.engine.rewording import reword
from workers.engine.stage_context import as_seen, intent_of, thinking_of, thought, timed, tools_used
from workers.grounding.ground import check_grounding
from workers.grounding.uncited_text import list_struck, with_tools
from workers.grounding.value_format import Voice
from workers.ports import ReasoningContext

MOST_NAMED, MOST_PLACES = 5, 3


def synthesize_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Write, where no model has, and ground; then the wording."""
    if log.answer is not None:
        return log
    return as_seen(engine, log, write_request)


def write_request(engine: Engine, log: RequestLog) -> RequestLog:
    """The request with its answer."""
    began = engine.clock.monotonic_ms()
    engine.check()
    thinking = thinking_of(engine, log)
    reasoner, voice = engine.reasoners(thinking), Voice(engine.clock.now(), log.question.timezone)
    if log.draft is None:
        brief = brief_of(log, thinking)
        log = log.model_copy(update={"evidence": brief.evidence})
        answer, struck = ground_draft(engine, log, thinking, reasoner.write_answer(brief), "", brief.evidence)
        answer = caution(answer, brief.plan) if thinking.limits.replan else answer
    else:
        draft, lost = upheld(engine, log, thinking)
        answer, struck = ground_draft(engine, log, thinking, draft, "", log.evidence)
        brief = brief_over(log, thinking, log.evidence)
        told = draft if log.proposals or is_change(log) else reasoner.tell_found(draft, answer, brief)
        if told != draft:
            heads = tuple(verdict for verdict in struck if verdict.id == "headline")
            answer, struck = ground_draft(engine, log, thinking, told, "", log.evidence)
            struck = tuple({verdict.id: verdict for verdict in (*heads, *struck)}.values())
        answer = answer.model_copy(update={"missing": tuple(dict.fromkeys((*answer.missing, *lost)))})
        styled = engine.clock.monotonic_ms()
        answer, struck = reword(answer, reasoner.restyle, log.evidence, voice), (*log.refuted, *struck)
        log = timed(log, "style", engine.clock.monotonic_ms() - styled)
    if log.route and log.route.caveat:
        banner = " ".join(line for line in (log.route.caveat, answer.banner) if line)
        answer = answer.model_copy(update={"banner": banner})
    grounded = is_grounded(answer, struck)
    if unread := list_unread(log.question.unread):
        answer = answer.model_copy(update={"missing": (*answer.missing, Gap(text=unread))})
    if log.left_out:
        answer = answer.model_copy(update={"missing": (name_left_out(log.left_out), *answer.missing)})
    log = log.model_copy(
        update={
            "answer": answer,
            "struck": struck,
            "grounded": grounded,
            "reasoner": log.reasoner if log.draft else reasoner.name,
        }
    )
    log = rechecked(engine, log)
    spent = engine.clock.monotonic_ms() - began - log.timings_ms.get("style", 0.0)
    return timed(thought(log, reasoner), "synthesize", spent)


def name_left_out(places: Sequence[str]) -> Gap:
    """Where sentences gave orders to their reader, as one line."""
    more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    return Gap(text=f"Left out, as it gives orders to its reader: text in {', '.join(places[:MOST_PLACES])}{more}")


def upheld(engine: Engine, log: RequestLog, thinking: ReasoningContext) -> tuple[Draft, tuple[Gap, ...]]:
    """A model's draft with the sources that failed and without what its verifier refuted, which is named as a gap."""
    if log.draft is None:
        raise ValueError("there is no draft")
    draft = log.draft.model_copy(update={"missing": (*log.draft.missing, *log.gaps)})
    if not log.refuted:
        return draft, ()
    answer, verdicts = ground_draft(engine, log, thinking, draft, "", log.evidence)
    held = {c.id: c for c in checked_claims(draft, answer, {v.id: v.reason for v in verdicts}) if not c.failure}
    known = with_tools(nameable(brief_over(log, thinking, log.evidence)), answer.tools_used)
    evidence, voice = {e.id: e for e in log.evidence}, Voice(engine.clock.now(), log.question.timezone)
    gaps = (
        list_struck(Claim(template=c.text, evidence=c.evidence), v, evidence, voice, known, log.question.text)
        for v in log.refuted
        if (c := held.get(v.id))
    )
    return without(draft, {v.id for v in log.refuted}), tuple(gaps)


def ground_draft(
    engine: Engine,
    log: RequestLog,
    thinking: ReasoningContext,
    draft: Draft,
    question_type: str,
    evidence: Sequence[Evidence],
) -> tuple[Answer, tuple[Verdict, ...]]:
    """A draft held against the evidence. ``question_type``: the one to go by, when it is not the intent's."""
    intent = intent_of(log)
    intent = intent.model_copy(update={"question_type": question_type}) if question_type else intent
    brief = brief_over(log.model_copy(update={"intent": intent}), thinking, evidence)
    return check_grounding(
        draft,
        evidence=evidence,
        voice=Voice(engine.clock.now(), log.question.timezone),
        tools_used=tools_used(log),
        known=nameable(brief),
        asked=log.question.text,
        knowledge=asks_for_knowledge(brief, thinking.module.KNOWLEDGE_TYPES),
    )


def is_grounded(answer: Answer, struck: tuple[Verdict, ...]) -> bool:
    """Every statement of the answer passed: it rests on evidence, or says what is missing."""
    return not struck and bool(answer.headline.evidence or answer.missing)


def list_unread(names: tuple[str, ...]) -> str:
    """One sentence that names what was not read; empty when there is nothing."""
    shown = list(dict.fromkeys(names))
    if not shown:
        return ""
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 1], f"{len(shown) - MOST_NAMED + 1} more"]
    *first, last = shown
    return f"I did not read {', '.join(first)} and {last}." if first else f"I did not read {last}."
