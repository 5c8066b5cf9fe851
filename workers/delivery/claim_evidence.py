"""Each claim of an answer with what it rests on, in full where it is cited first: the first part of a proof."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from workers.contracts import Claim, Evidence, Fact, RequestLog, Scalar, ToolCall, rfc3339
from workers.delivery.block_packing import Row, row
from workers.delivery.cited_evidence import (
    cited_evidence,
    label_of,
    link_of,
    said,
    titled_sections,
    voice_of,
    window_of,
    with_kind,
)
from workers.delivery.rich_text import Element, link, markers, safe, statement, words
from workers.grounding.template_slots import REF, SLOT
from workers.grounding.value_format import Voice

SHORTEST_VALUE = 2  # what is said in fewer characters stands in many a sentence by chance
BARE = frozenset({"text", "time", "path", "lines", "line", "commit", "url", "count"})  # units that are not written
LONG_VALUE = 60


def claim_parts(log: RequestLog) -> Iterator[tuple[str, list[Row]]]:
    """Every claim in the answer's order, by section; evidence in full where it is cited first."""
    if log.answer is None or log.answer.kind != "answer":
        return
    shown: dict[str, int] = {}
    number = 0
    for title, claims in (
        ("Answer", (log.answer.headline,)),
        *((t, getattr(log.answer, k)) for k, t in titled_sections(log)),
    ):
        rows: list[Row] = []
        for claim in (c for c in claims if c.text.strip()):
            number += 1
            rows.extend(claim_rows(log, claim, number, shown))
        yield title, rows
    cited = set(shown)
    spare = [e.id for e in log.evidence if e.id not in cited]
    if spare:
        yield "Found, and cited by no claim", [row(words(", ".join(spare)))]


def claim_rows(log: RequestLog, claim: Claim, number: int, shown: dict[str, int]) -> Iterator[Row]:
    """A claim, whether it is proven, how its numbers follow, and its evidence.

    ``shown`` notes with which claim each piece of evidence stands in full.
    """
    known = {e.id: e for e in log.evidence}
    label = words(label_of(claim), italic=True)
    yield row([*words(f"{number}. ", bold=True), *label, *statement(claim.text, claim.evidence, known)])
    if claim.status == "supported":
        yield row(words("Supported" if claim.evidence else "Cites no evidence", italic=True))
    yield from (row(words(f"Arithmetic: {line}"), "bullet") for line in claim.arithmetic if line.strip())
    for key in claim.evidence:
        item = known.get(key)
        if item is None:
            yield row(words(f"[{key}] is not kept"), "bullet")
            continue
        before = shown.setdefault(key, number)
        again = [] if before == number else words(f" (in full under {before})")
        title = f" {with_kind(item, item.title or item.locator)}"
        yield row([*markers([key], known)[1:], *words(title), *again], "bullet")
        values = used_values(log, claim, item)
        if values:
            yield row(words(f"Said here: {values}"), "detail")
        if before == number:
            yield from evidence_rows(log, item)


def used_values(log: RequestLog, claim: Claim, item: Evidence) -> str:
    """The facts of one evidence that a claim's slots name, or that its words say, with their exact values."""
    slots = [ref for match in SLOT.finditer(claim.template) for ref in REF.findall(match[0])]
    used = list(dict.fromkeys(name for key, name in slots if key == item.id and name in item.facts))
    voice = voice_of(log)
    for name, fact in item.facts.items() if not used else ():
        text = said(fact, voice)
        if len(text) > SHORTEST_VALUE and text in claim.text:
            used.append(name)
    return " · ".join(f"{name.replace('_', ' ')} {exact(item.facts[name], voice)}" for name in used)


def exact(fact: Fact, voice: Voice) -> str:
    """``1.9 s (1.90293 s)``: as it is said, and as it was measured; a quotation stands in the claim already."""
    text = said(fact, voice)
    if fact.unit == "text" and len(text) > LONG_VALUE:
        return "(word for word)"
    value = str(fact.value) if fact.unit in BARE else f"{fact.value} {fact.unit}"
    return safe(text if value == text else f"{text} ({value})")


def evidence_rows(log: RequestLog, item: Evidence) -> Iterator[Row]:
    """Where it stands, over which window, by which query it was found, and what it says."""
    window, url = window_of(item), link_of(item)
    if window:
        yield row(words(f"Window: {window}"), "detail")
    if item.kind != "metric" and item.locator:
        commit = str(item.facts["commit"].value) if "commit" in item.facts else ""
        place = commit if commit.startswith(item.locator) else item.locator
        at = words(f" at {commit}" if commit and commit not in place else "")
        yield row([*words("Where: "), *link(url, place, code=True), *at], "detail")
    elif url:
        yield row([*words("Open: "), *link(url, "the source of it")], "detail")
    call = found_by(log, item)
    if call:
        first = next((e for e in cited_evidence(log) if found_by(log, e) is call), item)
        asked = asked_words(call) if first is item else words(f"the same call as [{first.id}]")
        yield row([*words("Found by: "), *asked], "detail")
    if item.observed_at:
        yield row(words(f"Observed: {rfc3339(item.observed_at)}"), "detail")
    excerpt = numbered(item)
    if item.kind == "metric":
        yield row([*words("Query: "), *words(item.locator, code=True)], "detail")
    elif "\n" in excerpt:
        yield row(words(excerpt), "code")
    elif excerpt.strip():
        yield row(words(f"Says: {excerpt}"), "detail")


def numbered(item: Evidence) -> str:
    """Its words; lines of code with their numbers."""
    lines = safe(item.excerpt).rstrip().split("\n")
    start = item.facts["start_line"].value if "start_line" in item.facts else None
    if item.kind != "code" or not isinstance(start, int):
        return "\n".join(lines)
    width = len(str(start + len(lines)))
    return "\n".join(f"{start + i:>{width}}  {line}" for i, line in enumerate(lines))


def found_by(log: RequestLog, item: Evidence) -> ToolCall | None:
    """The call that returned it: the last good one of its step."""
    calls = [c for c in log.tool_calls if c.step == item.step and item.step]
    return next((c for c in reversed(calls) if c.status == "ok"), calls[-1] if calls else None)


def asked_words(call: ToolCall) -> list[Element]:
    """``metrics_query query="metric=latency_p95 …"``."""
    return words(" ".join([call.name, *written(call.args)]), code=True)


def written(args: Mapping[str, Scalar]) -> list[str]:
    """Arguments as they would be typed."""
    return [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in args.items()]
