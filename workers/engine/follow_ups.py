"""A follow-up that points at the answer before it: looked at again, or told from what that answer showed.

Which of them a few words are is learned (``follow_up_kinds.yaml``); everything else in a thread is a question of its
own, and leans on its thread as its agent sees fit.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Answer, Claim, Draft, Evidence, Question, RequestLog
from workers.engine.engine import Engine
from workers.errors import OracleError
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.language.question_kinds import load_model, probabilities

MODEL = "follow_up_kinds"
RECHECK, WHO_CHANGED, SHOW_CODE = "recheck", "who_changed", "show_code"
LONGEST = 12
"""Words of a follow-up; what is longer says enough to be a question of its own."""
SURE = 0.8
"""From here a few words count as a follow-up: see ``bench/README.md``."""
MOST = 3
"""Places that are told."""
LAST = frozenset({"lines", "last_at", "last_author", "last_commit", "last_subject"})
"""What says when some lines last changed."""
SAME = "Yes: I looked again, with the same result."
MOVED = "Yes, but for its figures: I looked again; before, I said “{before}”"
OTHER = "I looked again, and it is not the same: before, I said “{before}”"


def follow_up_of(text: str) -> str:
    """Which follow-up a text is; empty for every other question."""
    if len(text.split()) > LONGEST:
        return ""
    likely = probabilities(load_model(MODEL).scores(text))
    kind = max(likely, key=lambda name: likely[name])
    return kind if kind != "none" and likely[kind] >= SURE else ""


def follow_up(engine: Engine, log: RequestLog) -> RequestLog:
    """The request with the answer that what was shown gives, or as the one before it, to be looked at again.

    It stays as it is when it is no such follow-up, or when nothing that was shown can answer it.
    """
    question = log.question
    alone = question.unasked or question.edits or question.clarified or question.again
    kind = follow_up_of(question.text) if question.follows and not alone else ""
    before = answered_before(engine, question) if kind else None
    if before is None or before.answer is None or not before.answer.headline.evidence:
        return log  # of nothing found there is nothing to doubt or to show
    if kind == RECHECK:
        old = before.question
        update = {"text": old.text, "context": old.context, "again": before.request_id, "clarified": old.clarified}
        return log.model_copy(update={"question": question.model_copy(update=update)})
    told_before = before.plan is None  # from what was shown then, which is all that it holds
    evidence = before.evidence if told_before else cited_in(before.answer, before.evidence)
    draft = who_changed(evidence) if kind == WHO_CHANGED else shown_code(evidence)
    if draft is None:
        return log
    voice = Voice(engine.clock.now(), question.timezone)
    answer, struck = check_grounding(draft, evidence, voice, (), asked=question.text)
    update = {"route": before.route, "intent": before.intent, "evidence": evidence, "answer": answer, "struck": struck}
    return log.model_copy(update={**update, "grounded": not struck})


def answered_before(engine: Engine, question: Question) -> RequestLog | None:
    """The request that it follows, when that was answered."""
    try:
        before = engine.store.load(question.follows)
    except OracleError:
        return None
    return before if before.answer and before.answer.kind == "answer" else None


def rechecked(engine: Engine, log: RequestLog) -> RequestLog:
    """What was looked at again with a line above it: whether the result is the same."""
    if log.answer is None or not (log.question.again and log.question.follows == log.question.again):
        return log
    before = answered_before(engine, log.question)
    if before is None or before.answer is None:
        return log
    old, new = before.answer.headline, log.answer.headline
    form = SAME if old.text == new.text else MOVED if old.template == new.template else OTHER
    said = form.format(before=old.text)
    banner = " ".join(line for line in (said, log.answer.banner) if line)
    return log.model_copy(update={"answer": log.answer.model_copy(update={"banner": banner})})


def cited_in(answer: Answer, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What an answer rests on, in its order."""
    known = {item.id: item for item in evidence}
    claims = (answer.headline, *answer.what_changed, *answer.code, *answer.docs, *answer.metrics)
    ids = dict.fromkeys(name for claim in claims for name in claim.evidence)
    return tuple(known[name] for name in ids if name in known)


def who_changed(evidence: Sequence[Evidence]) -> Draft | None:
    """Who made the commits that were shown, else who last changed the lines; None when that was not shown."""
    for item in evidence:
        if item.kind == "change" and item.facts.keys() >= {"short", "subject", "author", "at"}:
            return told([Claim(template=by_whom(item), evidence=(item.id,))])
    lines = [e for e in evidence if e.kind == "code" and e.facts.keys() >= LAST]
    return told(
        [
            Claim(
                template=f"{{{e.id}.lines}} last changed {{{e.id}.last_at}} by {{{e.id}.last_author}}"
                f" in {{{e.id}.last_commit}} “{{{e.id}.last_subject}}”.",
                evidence=(e.id,),
            )
            for e in lines
        ]
    )


def by_whom(commit: Evidence) -> str:
    """Who made a commit, when, and what it went out with, as a template."""
    k = commit.id
    out = f"; it went out with {{{k}.carried_by}} {{{k}.carried_at}}" if "carried_at" in commit.facts else ""
    return f"{{{k}.short}} “{{{k}.subject}}” is by {{{k}.author}}, committed {{{k}.at}}{out}."


def shown_code(evidence: Sequence[Evidence]) -> Draft | None:
    """The code that was shown, each place with its symbol; None when there was none."""
    places = [e for e in evidence if e.kind == "code" and "lines" in e.facts and e.excerpt.strip()]
    return told([Claim(template=f"{{{e.id}.lines}}{symbol(e)}{quoted(e)}", evidence=(e.id,)) for e in places])


def quoted(item: Evidence) -> str:
    """The telling lines of what stands there."""
    lines = [f"`{{{item.id}.{name}}}`" for name in ("telling", "telling_2") if name in item.facts]
    return f": {' and '.join(lines)}" if lines else ""


def symbol(item: Evidence) -> str:
    """The name of what stands there, when it has one."""
    return f" (`{{{item.id}.symbol}}`)" if "symbol" in item.facts else ""


def told(claims: Sequence[Claim]) -> Draft | None:
    """The first of some claims as the headline, a few others below it."""
    return Draft(headline=claims[0], code=tuple(claims[1:MOST]), confidence="high") if claims else None
