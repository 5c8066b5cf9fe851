"""Show proof: every claim with what it rests on, exactly, on as many pages as it takes."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from tests.support.finished_requests import (
    HOSTILE,
    claim,
    clarifying,
    fewer_examples,
    incident,
    logs,
    texts,
    wide_logs,
)
from tests.support.latency_evidence import time
from tests.support.rendered_messages import (
    assert_in_order,
    assert_sound,
    assert_view,
    bare,
    buttons,
    leaves,
    shown,
    shown_in,
)
from workers.contracts import (
    Answer,
    Claim,
    Fact,
    Intent,
    Option,
    Plan,
    RequestLog,
    Route,
    Step,
    ToolCall,
    Verdict,
    Window,
)
from workers.delivery import action_ids
from workers.delivery.block_packing import text_in
from workers.delivery.cited_evidence import SECTIONS
from workers.delivery.proof import proof_pages, proof_text, render_proof
from workers.ports import Post

QUERY = "metric=latency_p95 window=24h endpoint=/api/search"
PROMQL = 'histogram_quantile(0.95, rate(x_bucket{endpoint="/api/search"}[5m]))'


def proven(**changes: Any) -> RequestLog:
    """The incident with slots, calls, a plan and something struck."""
    log = incident()
    window = {"window_start": time("05:00:00"), "window_end": time("15:00:00")}
    more = {
        "E1": {"locator": PROMQL, "step": "metric", "observed_at": NOW},
        "E3": {"locator": "rate(y[5m])", "step": "metric"},
        "E5": {"step": "code"},
    }
    evidence = []
    for item in log.evidence:
        facts = {**item.facts, **window} if item.id == "E1" else dict(item.facts)
        if item.id == "E5":
            facts["commit"] = Fact(value="4f2c1ab9d0e1", unit="commit")
        evidence.append(item.model_copy(update={"facts": facts, **more.get(item.id, {})}))
    headline = Claim(
        template="p95 {move(E1.baseline,E1.current)} at {E1.onset_at}",
        text="p95 rose from 210 ms to 1.9 s at 14:06 UTC yesterday",
        evidence=("E1",),
    )
    answer = Answer(
        headline=headline,
        what_changed=(claim("It may be the cache.", "E1", guess=True),),
        metrics=(claim("Database p95 rose to 240 ms.", "E3"),),
        code=(claim("search/cache.py:12-16", "E5"),),
    )
    calls = (
        ToolCall(name="metrics_query", args={"query": QUERY}, start_ms=0, end_ms=400, status="timeout", step="metric"),
        ToolCall(
            name="metrics_query",
            args={"query": QUERY, "k": 3},
            start_ms=400,
            end_ms=1_652.4,
            status="ok",
            step="metric",
            attempt=2,
            cached=True,
            summary="p95 rose",
        ),
        ToolCall(name="repo_search", args={"query": "cache"}, start_ms=0, end_ms=9, status="empty", step="code"),
    )
    steps = (
        Step(id="metric", tool="metrics_query", args={}, purpose="see when p95 moved"),
        Step(id="code", tool="repo_search", args={}, purpose="open the changed lines"),
        Step(id="docs", tool="doc_search", args={}, purpose="find the runbook"),
    )
    fields: dict[str, Any] = {
        "evidence": tuple(evidence),
        "answer": answer,
        "tool_calls": calls,
        "route": Route(task="research", confidence=0.7, notes="the default agent"),
        "intent": Intent(
            question_type="debug_incident",
            subjects=("/api/search",),
            window=Window(start=NOW, end=NOW, why="“since yesterday”"),
        ),
        "plan": Plan(pattern="debug_incident", query_intent="find what changed", steps=steps),
        "struck": (Verdict(id="metrics.1", verdict="struck", reason="“9 s” is in no cited evidence"),),
    }
    return log.model_copy(update={**fields, **changes})


def lines(view: dict[str, Any]) -> list[str]:
    """One text for each paragraph, point and title of a window."""
    out = []
    for block in view["blocks"]:
        for part in block.get("elements", [block]) if block["type"] == "rich_text" else [block]:
            parts = part["elements"] if part.get("type") == "rich_text_list" else [part]
            out.extend(text_in(p) for p in parts)
    return out


def test_a_metric_claim_shows_query_window_and_exact_values() -> None:
    view = render_proof(proven())
    assert_view(view)
    assert (view["callback_id"], view["private_metadata"]) == (action_ids.PROOF_VIEW, "7f3a12bc90de")
    shown_lines = lines(view)
    at = shown_lines.index("1. p95 rose from 210 ms to 1.9 s at 14:06 UTC yesterday [E1]")
    assert shown_lines[at - 1 : at + 8] == [
        "Answer",
        "1. p95 rose from 210 ms to 1.9 s at 14:06 UTC yesterday [E1]",
        "Supported",
        "[E1] metric · p95 latency of /api/search",
        "Said here: baseline 210 ms (0.21 s) · current 1.9 s (1.87 s)"
        " · onset at 14:06 UTC yesterday (2026-11-20T14:06:00+00:00)",
        "Window: Nov 20 05:00 – Nov 20 15:00 UTC",
        f'Found by: metrics_query query="{QUERY}" k=3',
        "Observed: 2026-11-21T11:00:00Z",
        f"Query: {PROMQL}",
    ]


def test_lines_of_code_stand_at_their_commit_with_their_link() -> None:
    view = render_proof(proven())
    assert "Where: search/cache.py:12-16 at 4f2c1ab9d0e1" in lines(view)
    assert 'Found by: repo_search query="cache"' in lines(view)
    assert any(line.startswith("12  def cache_key(request):") for line in lines(view))
    links = {e["url"] for e in leaves(view["blocks"]) if e.get("type") == "link"}
    assert links == {"https://example.org/shop/blob/4f2c1ab/search/cache.py#L12-L16"}


def test_evidence_stands_in_full_once_and_the_same_call_too() -> None:
    text = lines(render_proof(proven()))
    assert "[E1] metric · p95 latency of /api/search (in full under 1)" in text
    assert "Found by: the same call as [E1]" in text
    assert text.count(f"Query: {PROMQL}") == 1


def test_guesses_say_so_and_so_does_a_claim_without_evidence() -> None:
    text = lines(render_proof(proven()))
    assert "2. Hypothesis: It may be the cache. [E1]" in text
    bold = render_proof(incident(answer=Answer(headline=claim("I found nothing."))))
    assert lines(bold)[2:4] == ["1. I found nothing.", "Cites no evidence"]


def test_how_a_number_follows_stands_below_its_claim() -> None:
    line = "1.87 s / 0.21 s = 8.9, written as nine times"
    counted = claim("p95 is nine times what it was.", "E1").model_copy(update={"arithmetic": (line,)})
    text = lines(render_proof(incident(answer=Answer(headline=counted))))
    assert text[text.index("1. p95 is nine times what it was. [E1]") + 2] == f"Arithmetic: {line}"


def test_values_that_words_say_without_a_slot_are_found_too() -> None:
    text = lines(render_proof(proven()))
    at = text.index("3. Database p95 rose to 240 ms. [E3]")
    assert text[at + 3] == "Said here: current 240 ms (0.24 s) · direction rose"


def test_what_was_struck_and_what_the_tools_were_asked_and_returned() -> None:
    text = lines(render_proof(proven()))
    assert "Metrics 2: “9 s” is in no cited evidence" in text
    assert f'metrics_query query="{QUERY}" timeout · 400 ms' in text
    assert f'metrics_query query="{QUERY}" k=3 ok · 1,252 ms · cached · attempt 2' in text
    assert "Returned: p95 rose" in text
    assert "To see when p95 moved" in text
    assert "Route: research (70% sure): the default agent" in text
    assert "E2, E4, E6, E7" in text  # cited by no claim


def test_a_question_back_shows_how_it_was_read() -> None:
    options = (Option(value="a", label="/api/a", reason="p95 ×9"),)
    log = clarifying(*options).model_copy(update={"intent": proven().intent, "route": proven().route})
    view = render_proof(log)
    assert_view(view)
    text = lines(view)
    assert {"Asked back: Which one?", "Could be: /api/a: p95 ×9", "Read as: debug_incident, about /api/search"} <= set(
        text
    )
    refused = log.model_copy(update={"answer": Answer(kind="refusal", headline=claim("I only read."))})
    assert "Refused: I only read." in lines(render_proof(refused))


def test_pages_lead_to_each_other() -> None:
    long = tuple(claim(f"{i} " + "word " * 500) for i in range(30))
    log = proven(answer=Answer(headline=claim("Head."), metrics=long))
    views = proof_pages(log)
    assert len(views) > 2
    pressed = [[(b["text"]["text"], b["value"]) for b in buttons(Post("x", tuple(v["blocks"])))] for v in views]
    assert pressed[0] == [("Next page", "7f3a12bc90de:1")]
    assert pressed[1] == [("Next page", "7f3a12bc90de:2"), ("Previous page", "7f3a12bc90de:0")]
    assert pressed[-1] == [("Previous page", f"7f3a12bc90de:{len(views) - 2}")]
    assert render_proof(log, 99) == views[-1]
    assert render_proof(log, -1) == views[0]
    assert not any(v["blocks"][len(v["blocks"]) - 2]["type"] == "header" for v in views)


def test_an_excerpt_and_a_claim_of_any_length_stand_there_whole() -> None:
    log = proven()
    excerpt = "\n".join(f"line {i} " + "x" * 80 for i in range(1_000))
    evidence = tuple(e.model_copy(update={"excerpt": excerpt}) if e.id == "E5" else e for e in log.evidence)
    answer = Answer(headline=claim("y" * 30_000, "E5"))
    views = proof_pages(log.model_copy(update={"evidence": evidence, "answer": answer}))
    for view in views:
        assert_view(view)
    text = shown_in(*views)
    assert "y" * 30_000 in text
    assert all(f"line {i} " in text for i in range(1_000))


@given(logs(), st.lists(texts(60), max_size=3))
def test_any_proof_is_a_window_and_holds_every_claim_in_order(log: RequestLog, reasons: list[str]) -> None:
    struck = tuple(Verdict(id="metrics.0", verdict="struck", reason=r) for r in reasons)
    assert_whole(log.model_copy(update={"struck": struck}))


@fewer_examples()
@given(wide_logs())
def test_a_proof_of_hundreds_of_pieces_of_evidence_has_as_many_pages_as_it_takes(log: RequestLog) -> None:
    assert_whole(log)


def assert_whole(log: RequestLog) -> None:
    """Every page is a window that Slack takes; together they hold all claims, gaps and reasons, in order."""
    views = proof_pages(log)
    for view in views:
        assert_view(view)
    answer = log.answer
    assert answer
    if answer.kind == "answer" and "oracle show has them" not in text_in([v["blocks"] for v in views]):
        claims = [answer.headline, *(c for k, _ in SECTIONS for c in getattr(answer, k))]
        texts = [*(c.text for c in claims), *(g.text for g in answer.missing), *(v.reason for v in log.struck)]
        assert_in_order([bare(t) for t in texts if t.strip()], shown_in(*views))


def test_the_short_form_says_how_it_was_read_what_was_done_and_where_to_see_all() -> None:
    post = proof_text(proven())
    assert_sound(post)
    text = shown(post)
    assert "Read as: debug_incident, about /api/search" in text
    assert "metrics_query see when p95 moved: found something" in text
    assert "repo_search open the changed lines: found nothing" in text
    assert "doc_search find the runbook: was not run" in text
    assert "In full: Show proof, or oracle show 7f3a12bc90de." in text_in(post.blocks)
    assert [(b["action_id"], b["value"]) for b in buttons(post)] == [(action_ids.PROOF, "7f3a12bc90de")]


def test_the_short_form_stays_short() -> None:
    steps = tuple(Step(id=f"s{i}", tool="t", args={}, purpose="p" * 190) for i in range(90))
    plan = Plan(pattern="NOVEL", query_intent=HOSTILE, steps=steps)
    post = proof_text(proven(plan=plan))
    assert_sound(post)
    assert re.search(r"and \d+ more", shown(post))
