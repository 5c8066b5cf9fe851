"""What a short answer says first: the lines that decide, within a phone's screen, and nothing twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.finished_requests import claim, incident, logs
from workers.contracts import SECTIONS, Answer, Claim, Gap, RequestLog
from workers.delivery.rich_text import safe
from workers.delivery.short_form import (
    GAPS_CHARS,
    HEADLINE_CHARS,
    LINES_CHARS,
    MOST_LINES,
    first_sentences,
    gap_line,
    repeats,
    shorten,
    step_lead,
)


def answered(headline: str = "p95 rose at 14:06.", *cited: str, **sections: object) -> RequestLog:
    return incident(answer=Answer(headline=claim(headline, *cited or ("E1",)), **sections))  # type: ignore[arg-type]


def texts(log: RequestLog, before: RequestLog | None = None, *, chart: bool = False) -> list[str]:
    return [line.text for _, line in shorten(log, before, chart=chart).lines]


def test_one_line_of_each_section_comes_before_a_second_of_any() -> None:
    log = answered(
        what_changed=(claim("Deploy one.", "E4"), claim("Deploy two.", "E4")),
        metrics=(claim("Alpha is 1.", "E3"), claim("Beta is 2.", "E3")),
        code=(claim("In a.py:1.", "E5"),),
        next_steps=(claim("Check it.", "E7"), claim("Roll back.", "E7")),
    )
    assert texts(log) == ["Deploy one.", "Alpha is 1.", "In a.py:1.", "Check it."]


def test_of_a_section_those_come_first_that_rest_on_what_the_headline_rests_on() -> None:
    log = answered(metrics=(claim("Alpha is 1.", "E3"), *(claim(f"Other {n} is {n}.", "E6") for n in range(4, 9))))
    assert texts(log)[0] == "Alpha is 1."
    nearer = answered(metrics=(claim("Alpha is 1.", "E3"), claim("Beta is 2.", "E3"), claim("Gamma is 3.", "E1")))
    assert texts(nearer) == ["Alpha is 1.", "Beta is 2.", "Gamma is 3."], "all fit, in their order"
    tight = answered(metrics=(*(claim(f"{name} is {'high ' * 50}.", "E3") for name in "abc"), claim("Near.", "E1")))
    assert "Near." in texts(tight)


def test_a_chart_takes_the_place_of_the_metrics() -> None:
    log = answered(
        what_changed=(claim("Deploy one.", "E4"),),
        metrics=(claim("Alpha is 1.", "E1"),),
        code=(claim("In a.py:1.", "E5"),),
        next_steps=(claim("Check it.", "E7"),),
    )
    assert texts(log, chart=True) == ["Deploy one.", "In a.py:1.", "Check it."]


def test_cause_effect_and_remedy_are_told_where_the_cause_can_be_read() -> None:
    log = answered(
        what_changed=(claim("0a1b2c3 touched retry.py.", "E4"),),
        metrics=(claim("Alpha rose from 1 to 9.", "E3", "E1"), claim("Queue depth rose from 2 to 90.", "E6", "E1")),
        code=(claim("queue.py:3-9 in `work`: `job = take(queue)`", "E4"), claim("retry.py:4: `RETRIES = 50`", "E4")),
        next_steps=(claim("Look at the retries.", "E7"), claim("Undo the change; the queue drains at once.", "E7")),
    )
    told = [
        "Queue depth rose from 2 to 90.",
        "retry.py:4: `RETRIES = 50`",
        "Undo the change; the queue drains at once.",
    ]
    assert texts(log, chart=True) == told
    assert set(told) <= set(texts(log))
    unread = answered(**{key: getattr(log.answer, key) for key in ("what_changed", "next_steps")})
    assert texts(unread)[-1] == "Look at the retries.", "a remedy without a cause is not told first"


def test_a_step_is_told_as_that_of_its_document() -> None:
    log = incident()
    known = {item.id: item for item in log.evidence}
    runbook = next(item for item in log.evidence if item.kind == "doc")
    assert step_lead(claim("Undo it.", runbook.id), known) == f"Next, by {runbook.title}: "
    assert step_lead(claim("Undo it.", "E1"), known) == "Next: "


def test_hypotheses_stay_under_everything() -> None:
    log = answered(what_changed=(claim("It may be the cache.", "E1", guess=True),))
    assert texts(log) == []
    assert not shorten(log).whole


def test_a_line_that_says_the_headline_again_is_left_out_and_a_new_number_is_news() -> None:
    headline = "p95 latency of /api/search rose from 210 ms to 1.87 s at 14:06 UTC"
    assert repeats(headline, f"{headline}, and has not come back.")
    assert repeats(f"{headline} today, as everyone saw.", headline)
    assert not repeats("p95 latency of /api/search rose from 210 ms to 3.4 s at 14:06 UTC", headline)
    assert not repeats("Database p95 rose too.", headline)


def test_where_all_are_too_long_one_begins() -> None:
    (line,) = texts(answered(docs=(claim("word " * 400, "E7"),)))
    assert len(line) <= LINES_CHARS
    assert line.endswith("…")


def test_three_sentences_of_a_headline_are_enough() -> None:
    assert first_sentences("It rose. It fell. It is 1.5 s.") == "It rose. It fell. It is 1.5 s."
    assert first_sentences("It rose. It fell. It is 1.5 s. And more.") == "It rose. It fell. It is 1.5 s. …"


def test_what_is_missing_is_one_line_that_counts_the_rest() -> None:
    log = answered(missing=tuple(Gap(text=f"Source {n} is not connected{' at all' * 8}.") for n in range(6)))
    line = shorten(log).gaps
    assert line.startswith("Could not check: Source 0")
    assert line.endswith("; and 5 more.")
    one = answered(missing=(Gap(text="Could not verify: it is 3 s."),))
    assert shorten(one).gaps == "Could not verify 1 statement."


def test_what_the_thread_was_told_of_the_same_evidence_is_not_told_again() -> None:
    before = answered(what_changed=(claim("Deploy one.", "E4"),), metrics=(claim("Alpha is 1.", "E1"),))
    renumbered = {"E4": "E90", "E1": "E91"}
    evidence = tuple(e.model_copy(update={"id": renumbered.get(e.id, e.id)}) for e in before.evidence)
    now = answered("And now?", what_changed=(claim("Deploy one.", "E90"),), metrics=(claim("Alpha is 1.", "E3"),))
    now = now.model_copy(update={"evidence": evidence})
    assert texts(now, before) == ["Alpha is 1."], "the same words of other evidence are news"


# --- whatever an answer holds ---------------------------------------------------------------------------------


@given(logs(), st.one_of(st.none(), logs(80)), st.booleans())
def test_any_short_form(log: RequestLog, before: RequestLog | None, chart: bool) -> None:
    form, answer = shorten(log, before, chart=chart), log.answer
    assert answer
    lines = [line for _, line in form.lines]
    assert len(lines) <= MOST_LINES
    assert sum(len(line.text) for line in lines) <= LINES_CHARS
    assert len(form.headline.text) <= HEADLINE_CHARS
    own = [claim for key in SECTIONS for claim in getattr(answer, key)]
    assert [key for key, _ in form.lines] == sorted((key for key, _ in form.lines), key=SECTIONS.index)
    assert sum(key == "next_steps" for key, _ in form.lines) <= 1
    for line in lines:
        assert line.status == "supported"
        assert line in own or line.text.endswith("…")
    if form.whole:
        assert lines == [claim for claim in own if claim.text.strip()]
        assert form.headline == answer.headline


@given(logs(80))
def test_an_answer_given_twice_says_the_second_time_its_headline_alone(log: RequestLog) -> None:
    answer = log.answer
    assert answer
    if answer.kind == "answer":
        form = shorten(log, log)
        assert (form.lines, form.gaps) == ((), "")


@given(st.lists(st.builds(Gap, text=st.text(max_size=400)), max_size=12))
def test_any_gaps_are_one_line(gaps: list[Gap]) -> None:
    line = gap_line(Answer(headline=Claim(template="", text="Head.")), [gap for gap in gaps if gap.text.strip()])
    assert "\n" not in line.text
    assert len(safe(line.text)) <= GAPS_CHARS + 120
