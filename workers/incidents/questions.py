"""PURE: what nobody has answered, and when people will hear more."""

from __future__ import annotations

from workers.incidents import cues
from workers.incidents.causes import Causes
from workers.incidents.clocks import ahead_of
from workers.incidents.model import Line
from workers.incidents.remarks import Remark, Talk
from workers.incidents.text import overlap, stems_of

MOST = 5
ANSWERED_S = 20 * 60
NEAR = 6
LABELS = frozenset({"open question", "open questions", "unknown", "unknowns", "unclear", "question"})


def questions_of(talk: Talk, causes: Causes) -> tuple[Line, ...]:
    """What is still asked about the incident itself, in the order it was asked."""
    found: list[Remark] = []
    for remark in talk.people:
        if is_open_question(remark) and not is_answered(remark, talk, causes):
            found = [old for old in found if overlap(old.stems, remark.stems) < 0.6] + [remark]
    return tuple(Line(text=r.text, ts=(r.ts,)) for r in found[-MOST:])


def is_open_question(remark: Remark) -> bool:
    """Whether a remark asks, or says that nobody knows, something about the incident."""
    low = remark.low
    if remark.label in LABELS:
        return True
    if cues.WHAT_NOT_KNOWN.search(low) and not remark.asks and len(remark.stems) >= 3:
        return True
    if not low.rstrip().endswith("?") or len(remark.stems) < 2 or cues.SMALL_TALK.search(low) or "@" in low[:2]:
        return False
    about = cues.SYMPTOM.search(low) or cues.WHO.search(low) or cues.DEPLOY.search(low) or cues.CAUSE.search(low)
    why = cues.words(
        "why",
        "how (?:come|did|is|are|many|long|much|could)",
        "what (?:changed|happened|caused|else|is|about|does)",
        "warum",
        "por qué",
        "which",
    ).search(low)
    return bool(cues.GOOD_QUESTION.search(low) and (about or why or any(c in remark.text for c in "_/")))


def is_answered(question: Remark, talk: Talk, causes: Causes) -> bool:
    """Whether someone else answered: in its thread, or right after it in words of the question."""
    asker = question.message.user
    replies = talk.replies.get(question.ts, ())
    if any(r.message.user != asker and r.stated and len(r.stems) >= 1 and not is_open_question(r) for r in replies):
        return True
    seen: set[str] = set()
    for other in talk.people:
        if other.key <= question.key or other.ts == question.ts:
            continue
        if overlap(other.stems, question.stems) >= 0.6 and not other.asks and not is_open_question(other):
            return True
        seen.add(other.ts)
        late = (other.message.at - question.message.at).total_seconds() > ANSWERED_S
        if len(seen) > NEAR or late or other.message.user == asker or other.asks or is_open_question(other):
            continue
        same_place = (other.message.thread_ts or "") == (question.message.thread_ts or "")
        if same_place and (
            cues.AGREES.match(other.message.text.lower()) or other.low.startswith(("no", "not ", "because", "only"))
        ):
            return True
        if overlap(other.stems, question.stems) >= 0.34 and same_place:
            return True
    asks_why = cues.words("why", "what caused", "what changed", "root cause", "warum").search(question.low)
    known = [line for line in causes.known if asks_why]
    return any(overlap(stems_of(line.text), question.stems) >= 0.34 for line in known)


def next_update_of(talk: Talk, *, over: bool) -> Line | None:
    """The last promise of an update, unless it is over, kept or past by long."""
    promised: Remark | None = None
    for remark in talk.people:
        if (
            cues.NEXT_UPDATE.search(remark.low)
            or remark.label in {"next update", "nächstes update", "update"}
            and ahead_of(remark)
        ):
            promised = remark if not remark.asks and (ahead_of(remark) or remark.numbers) else promised
    if promised is None or over:
        return None
    return Line(
        text=promised.text if not promised.label else f"{promised.label.capitalize()}: {promised.text}",
        ts=(promised.ts,),
    )
