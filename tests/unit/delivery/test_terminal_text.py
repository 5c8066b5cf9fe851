"""What a reader sees in a terminal."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.support.engine_fakes import NOW
from tests.support.finished_requests import claim, incident
from tests.support.latency_evidence import EVIDENCE
from workers.contracts import Answer, Claim, Evidence, Fact, Gap, Proposal, Question, RequestLog, Verdict
from workers.delivery.terminal_text import render_answer, render_proof, render_struck, render_todo


def shown(log: RequestLog) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, force_terminal=False)
    console.print(render_answer(log, everything=True))
    console.print(render_proof(log))
    return console.file.getvalue()  # type: ignore[attr-defined]


def log_of(text: str, evidence: Evidence | None = None) -> RequestLog:
    claim = Claim(template=text, text=text, evidence=("E5",))
    answer = Answer(headline=claim, code=(claim,), missing=(Gap(text=text, tried=(text, text)),))
    return RequestLog(
        request_id="r1",
        question=Question(request_id="r1", text="?", received_at=NOW),
        evidence=(evidence or EVIDENCE["E5"],),
        answer=answer,
    )


def test_code_is_shown_with_its_own_line_numbers() -> None:
    text = shown(log_of("See `cache_key`."))
    assert "12 def cache_key(request):" in text
    assert "See cache_key." in text


def test_long_lines_of_code_stay_whole_and_left_out_ones_are_marked() -> None:
    rows = ["value = [" + ", ".join(f"item_{i}" for i in range(40)) + "]", *(f"row_{i} = {i}" for i in range(20))]
    evidence = EVIDENCE["E5"].model_copy(update={"excerpt": "\n".join(rows)})
    console = Console(file=io.StringIO(), width=100, highlight=False, force_terminal=False)
    console.print(render_answer(log_of("See it.", evidence), everything=True))
    code = console.file.getvalue()  # type: ignore[attr-defined]
    assert "item_39]" in code
    assert "row_14 = 14" in code
    assert "  …" in code


def test_why_claims_were_struck_is_shown_and_moves_no_cursor() -> None:
    struck = (
        Verdict(id="metrics.0", verdict="struck", reason="“3 s” is in no cited evidence"),
        Verdict(id="headline", verdict="struck", reason="“\x1b[2Jevil” is unknown"),
    )
    console = Console(file=io.StringIO(), width=100, highlight=False, force_terminal=False)
    console.print(render_struck(log_of("x").model_copy(update={"struck": struck})))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "struck metrics.0: “3 s” is in no cited evidence\nstruck headline: " in text
    assert "\x1b" not in text


def test_the_chart_marks_the_onset() -> None:
    series = tuple((1_763_640_000.0 + 60 * i, 1.0 if i < 50 else 9.0) for i in range(100))
    onset = Fact(value="2025-11-20T12:50:00+00:00", unit="time")
    metric = Evidence(
        id="E5",
        kind="metric",
        title="p95",
        locator="x",
        series=series,
        facts={"onset_at": onset, "peak": Fact(value=9.0, unit="s")},
    )
    text = shown(log_of("It rose.", metric))
    bars = next(line for line in text.splitlines() if "█" in line)
    mark = next(line for line in text.splitlines() if "▲" in line)
    assert abs(bars.index("█") - mark.index("▲")) <= 1


@given(st.text(max_size=200))
def test_no_text_moves_the_readers_cursor(text: str) -> None:
    evidence = EVIDENCE["E5"].model_copy(update={"excerpt": text, "title": text, "locator": text})
    out = shown(log_of(f"\x1b[2J{text}", evidence))
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in out)


# --- in short -------------------------------------------------------------------------------------------------


def printed(renderable: object) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, force_terminal=False)
    console.print(renderable)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_terminal_is_told_what_decides_and_how_to_see_the_rest() -> None:
    text = printed(render_answer(incident()))
    assert "Next, by Search latency: Check the cache key." in text
    assert "Could not check: No traces source is connected." in text
    assert "everything: oracle show 7f3a12bc" in text
    assert not any(left in text for left in ("Metrics", "tried", "may be behind it", "Roll back"))
    whole = printed(render_answer(incident(), everything=True))
    assert whole.index("What changed") < whole.index("Hypothesis: 4f2c1ab may be") < whole.index("Metrics")
    assert "Roll back" in whole


def test_a_headline_that_is_not_proven_is_marked_and_numbers_say_how_they_follow() -> None:
    guess = claim("It is nine times as slow.", "E1", guess=True).model_copy(
        update={"arithmetic": ("1.9 / 0.21 = 9.05",)}
    )
    log = incident(answer=Answer(headline=guess, metrics=(guess,)))
    assert printed(render_answer(log)).startswith("Hypothesis: It is nine times")
    assert "1.9 / 0.21 = 9.05" in printed(render_answer(log, everything=True))


def test_a_follow_up_draws_the_same_chart_once() -> None:
    assert "▁" in printed(render_answer(incident()))
    assert "▁" not in printed(render_answer(incident(), before=incident()))


def test_of_a_models_list_only_changes_are_printed_after_the_first_time() -> None:
    first = (("See p95", "active"), ("Read the runbook", "pending"))
    assert printed(render_todo(first)) == "▸ See p95\n☐ Read the runbook\n"
    assert printed(render_todo((("See p95", "done"), first[1]), first)) == "✓ See p95\n"


def test_changes_that_wait_are_shown_with_how_to_confirm_each() -> None:
    change = Proposal(tool="t", args={}, title="Move a.md to b.md", preview="- [[a]]\n+ [[b]]")
    one = shown(log_of("x").model_copy(update={"proposals": (change,)}))
    assert "Move a.md to b.md" in one
    assert "+ [[b]]" in one
    assert "oracle confirm r1\n" in one.replace(" \n", "\n").replace("r1 ", "r1\n")
    two = shown(log_of("x").model_copy(update={"proposals": (change, change)}))
    assert "oracle confirm r1 1" in two
    assert "oracle confirm r1 2" in two


@given(st.text(max_size=200), st.text(max_size=400))
def test_whatever_is_proposed_moves_no_cursor(title: str, preview: str) -> None:
    change = Proposal(tool="t", args={}, title=f"{title}\x1b[2J", preview=f"{preview}\x1b[2J\r\x9b")
    text = shown(log_of("x").model_copy(update={"proposals": (change,)}))
    assert not {"\x1b", "\r", "\x9b"} & set(text)
