"""What came of one case: the log of its request held against what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workers.contracts import Answer, Claim, Evidence, RequestLog
from workers.evals.cases import KINDS, Case, Expect
from workers.evals.yaml_models import Piece
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice

PLACE = re.compile(r"(?P<path>[^\s:]{1,400}):(?P<first>\d+)(?:-(?P<last>\d+))?")
SIGNS = str.maketrans({"−": "-", "–": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "`": None})
CLOCK_BEGIN = re.compile(r"\d{1,2}:\d$")


class Counted(Piece):
    """So many of so many."""

    have: int = 0
    of: int = 0


class CaseResult(Piece):
    """One case after it was asked. ``wrong`` holds one sentence a mistake, none when all is right.

    ``intent_ok`` is None when no question type was expected. ``cites``, ``facts`` and ``gaps``: those found of those
    demanded; ``sound``: shown claims whose citations exist and bear them out, of those that cite. Milliseconds; tokens
    include what a prompt cache served.
    """

    id: str
    file: str = ""
    question: str
    question_type: str
    evidence: str
    kind: str = ""
    intent: str = ""
    intent_ok: bool | None = None
    kind_ok: bool = False
    tools_ok: bool = False
    grounded: bool = False
    cites: Counted = Counted()
    sound: Counted = Counted()
    facts: Counted = Counted()
    gaps: Counted = Counted()
    forbidden: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    late_tools: int = 0
    latency_ms: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    reasoner: str = ""
    answer: str = ""

    @property
    def right(self) -> bool:
        """Nothing is wrong."""
        return not self.wrong


def score_case(case: Case, log: RequestLog, voice: Voice, file: str = "") -> CaseResult:
    """Hold a finished request against its case.

    Args:
        case: what was expected.
        log: with its answer.
        voice: the moment and zone it was answered in, to fill its claims again.
        file: where the case stands.
    """
    answer = log.answer or Answer(headline=Claim(template=""))
    return CaseResult(
        **named(case, file),
        **held_against(case.expect, answer, log, voice),
        grounded=log.grounded,
        late_tools=sum(call.status == "timeout" for call in log.tool_calls),
        latency_ms=log.timings_ms.get("total", 0.0),
        input_tokens=log.usage.tokens - log.usage.output_tokens,
        output_tokens=log.usage.output_tokens,
        cost_usd=log.usage.cost_usd,
        reasoner=log.reasoner,
        answer=f"{shown_text(answer)}\n\n{missing_text(answer)}".strip(),
    )


def named(case: Case, file: str) -> dict[str, Any]:
    """Which case it is."""
    types = case.expect.question_type
    row = types[0] if types else "any"
    return {"id": case.id, "file": file, "question": case.question, "question_type": row, "evidence": case.evidence}


def held_against(expect: Expect, answer: Answer, log: RequestLog, voice: Voice) -> dict[str, Any]:
    """Every field of a result that an expectation decides."""
    intent = log.intent.question_type if log.intent else "other"
    intent_ok = intent in expect.question_type if expect.question_type else None
    claims, evidence = answer.claims, {e.id: e for e in log.evidence}
    text, missing = plain(shown_text(answer)), plain(missing_text(answer))
    unsound = [c for c in claims if c.evidence and not is_sound(c, evidence, voice)]
    cites = [c for c in expect.cites if not is_cited(c, claims, evidence)]
    facts = [f for f in expect.facts if not any(stands(t, text) for t in f)]
    gaps = [g for g in expect.gaps if not any(stands(t, missing) for t in g)]
    forbidden = tuple(t for f in expect.not_facts for t in f if stands(t, text))
    tools = tuple(wrong_tools(expect, log))
    wrong = (
        *([f"kind is {answer.kind}, expected {expect.kind}"] if answer.kind != expect.kind else []),
        *([f"intent is {intent}, expected {' or '.join(expect.question_type)}"] if intent_ok is False else []),
        *tools,
        *(f"does not cite {name}" for name in cites),
        *(f"lacks {either(fact)}" for fact in facts),
        *(f"says {name!r}" for name in forbidden),
        *(f"does not name the gap {either(gap)}" for gap in gaps),
        *(f"not borne out by what it cites: {shorten(c.text)!r}" for c in unsound),
    )
    return {
        "kind": answer.kind, "kind_ok": answer.kind == expect.kind, "intent": intent, "intent_ok": intent_ok,
        "tools_ok": not tools, "forbidden": forbidden, "wrong": wrong, "sound": sound_of(claims, unsound),
        "cites": found(expect.cites, cites), "facts": found(expect.facts, facts), "gaps": found(expect.gaps, gaps),
    }  # fmt: skip


def found(wanted: Sequence[object], lost: Sequence[object]) -> Counted:
    """What was found of what was wanted."""
    return Counted(have=len(wanted) - len(lost), of=len(wanted))


def failed_case(case: Case, why: str, file: str = "") -> CaseResult:
    """A case that ended in no log at all."""
    expect = case.expect
    return CaseResult(
        **named(case, file),
        intent_ok=False if expect.question_type else None,
        cites=Counted(of=len(expect.cites)),
        facts=Counted(of=len(expect.facts)),
        gaps=Counted(of=len(expect.gaps)),
        wrong=(why,),
    )


# --- what is shown --------------------------------------------------------------------------------------------


def shown_text(answer: Answer) -> str:
    """All claims, and the options of a clarifying question, one a line."""
    options = [" ".join((o.label, o.value, o.reason)) for o in answer.options]
    return "\n".join([*(claim.text for claim in answer.claims), *options])


def missing_text(answer: Answer) -> str:
    """Where a gap may be named: the headline, what could not be found or checked, and what was tried."""
    return "\n".join([answer.headline.text, *(g.text for g in answer.missing)])


def plain(text: str) -> str:
    """Text for comparison: case, marks of code and emphasis, kinds of spaces and dashes, and the space between a
    number and its unit do not count."""
    text = re.sub(r"\s+", " ", text.translate(SIGNS).replace("**", "")).casefold()
    return re.sub(r"(?<=\d) (?=[a-z\u03bc%])", "", text)  # casefold makes a Greek mu of the micro sign


def stands(wanted: str, text: str) -> bool:
    """Whether something stands in a `plain` text; a number only as a whole one.

    What ends in the first digit of minutes (``09:1``) is the begin of a time.
    """
    word = plain(wanted)
    before = r"(?<![\d])(?<!\d[.,])" if word[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if word[-1:].isdigit() and not CLOCK_BEGIN.search(word) else ""
    return re.search(f"{before}{re.escape(word)}{after}", text) is not None


# --- tools and citations --------------------------------------------------------------------------------------


def wrong_tools(expect: Expect, log: RequestLog) -> Iterator[str]:
    """Required tools that did not run, forbidden ones that did."""
    ran = {call.name for call in log.tool_calls if call.status != "denied"}
    yield from (f"did not call {name}" for name in expect.tools if name not in ran)
    yield from (f"called {name}" for name in expect.not_tools if name in ran)


def is_cited(wanted: str, claims: Sequence[Claim], evidence: dict[str, Evidence]) -> bool:
    """Whether a shown claim cites evidence of this kind, or with this in its locator.

    ``path:14`` and ``path:10-20`` are cited by lines of that path that overlap.
    """
    cited = [evidence[i] for claim in claims for i in claim.evidence if i in evidence]
    if wanted in KINDS:
        return any(item.kind == wanted for item in cited)
    return any(wanted in item.locator or overlaps(wanted, item.locator) for item in cited)


def overlaps(wanted: str, locator: str) -> bool:
    """Whether two places are lines of one file that overlap; a path may lack its first folders."""
    one, other = PLACE.fullmatch(wanted), PLACE.fullmatch(locator)
    if one is None or other is None or not f"/{other['path']}".endswith(f"/{one['path']}"):
        return False
    first, last = int(one["first"]), int(one["last"] or one["first"])
    return first <= int(other["last"] or other["first"]) and int(other["first"]) <= last


def is_sound(claim: Claim, evidence: dict[str, Evidence], voice: Voice) -> bool:
    """Whether a claim's citations exist and, filled and checked once more, bear out the text that is shown."""
    again = check_claim(claim, evidence, voice)
    return again.verdict.verdict != "struck" and again.claim.text == claim.text


def sound_of(claims: Sequence[Claim], unsound: Sequence[Claim]) -> Counted:
    """Claims that cite, and those of them that are sound."""
    cite = sum(bool(claim.evidence) for claim in claims)
    return Counted(have=cite - len(unsound), of=cite)


def either(texts: Sequence[str]) -> str:
    """``'a' or 'b'``."""
    return " or ".join(repr(text) for text in texts[:3]) + (" …" if len(texts) > 3 else "")


def shorten(text: str, most: int = 80) -> str:
    """One line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
