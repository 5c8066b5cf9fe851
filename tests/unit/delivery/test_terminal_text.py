"""What a reader sees in a terminal."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.support.engine_fakes import NOW
from tests.support.latency_evidence import EVIDENCE
from workers.contracts import Answer, Claim, Evidence, Fact, Gap, Question, RequestLog, Verdict
from workers.delivery.terminal_text import render_answer, render_proof, render_struck


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
