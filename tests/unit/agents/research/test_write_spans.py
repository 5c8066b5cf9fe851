"""What happened in a span that is named: alerts that began or fired in it, what changed in it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_changes import write_changes
from workers.contracts import Draft, Evidence, EvidenceKind, Fact, Intent, QuestionType, Window, rfc3339
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.ports import Brief
from workers.reasoning.claim_phrases import most_urgent


def item(key: str, kind: EvidenceKind, title: str, times: dict[str, float], **texts: str) -> Evidence:
    """Times are minutes before now."""
    facts = {n: Fact(value=v, entity=title) for n, v in texts.items()}
    moments = {n: rfc3339(NOW - timedelta(minutes=m)) for n, m in times.items()}
    facts |= {n: Fact(value=v, unit="time", entity=title) for n, v in moments.items()}
    excerpt = " ".join((title, *texts.values(), *moments.values()))
    return Evidence(id=key, kind=kind, title=title, locator=key, excerpt=excerpt, facts=facts, step="alerts")


def alert(key: str, name: str, since: float, until: float | None = None, severity: str = "warning") -> Evidence:
    times = {"since": since} | ({"until": until} if until is not None else {})
    state = "firing" if until is None else "resolved"
    return item(key, "alert", f"alert {name}", times, name=name, state=state, severity=severity, summary=f"{name} now.")


def commit(key: str, minutes: float) -> Evidence:
    return item(key, "change", f"change {key}", {"at": minutes}, short=f"{key.lower()}a1b2c", subject=f"Tidy {key}")


def deploy(key: str, minutes: float) -> Evidence:
    return item(key, "deploy", f"deploy shop {key}", {"at": minutes}, service="shop", version=f"v{key[1:]}.0")


def told(write: Callable[[Brief], Draft], text: str, minutes: float, kind: QuestionType, *found: Evidence) -> list[str]:
    base = brief(evidence=found, gaps=())
    question = base.question.model_copy(update={"text": text, "context": ()})
    span = Window(start=NOW - timedelta(minutes=minutes), end=NOW, why=text)
    intent = Intent(question_type=kind, time_hints=(text[-15:],), window=span)
    given = replace(base, question=question, intent=intent)
    answer, struck = check_grounding(
        write(given), found, Voice(NOW, "UTC"), (), known=" ".join(LANDSCAPE.names), asked=text
    )
    assert not struck
    claims = [answer.headline, *answer.what_changed, *answer.metrics]
    assert all(c.status == "supported" for c in claims)
    return [c.text for c in claims]


OLD = alert("E1", "SearchLatencyHigh", 800, severity="page")
OVER = alert("E2", "CheckoutErrorsHigh", 50, 20)
EARLIER = alert("E3", "DiskFull", 700, 600)


def test_alerts_that_began_in_the_span_lead_also_when_they_are_over() -> None:
    (text,) = told(write_alerting, "which alerts fired in the last 2 hours?", 120, "alerting", OLD, OVER, EARLIER)
    assert text.startswith("Alert CheckoutErrorsHigh (warning) fired from")
    assert "“CheckoutErrorsHigh now.”" in text
    assert text.index("CheckoutErrorsHigh") < text.index("SearchLatencyHigh (page) has been firing")
    assert "DiskFull" not in text


def test_without_one_the_last_before_is_told_as_such() -> None:
    lines = told(write_alerting, "which alerts fired in the last 2 hours?", 120, "alerting", EARLIER)
    assert lines[0] == "I found no alert of that time."
    assert lines[1].startswith("Before that: Alert DiskFull")


def test_what_changed_in_a_span_is_of_it_alone() -> None:
    found = (commit("E4", 10), commit("E5", 900), deploy("E6", 20), deploy("E7", 2_000), OVER, OLD)
    lines = told(write_changes, "what changed in the last 60 minutes?", 60, "other", *found)
    assert [line.split()[0] for line in lines] == ["Deploy", "e4a1b2c", "Alert"]
    assert "v6.0" in lines[0]
    assert "CheckoutErrorsHigh" in lines[2]


def test_when_nothing_changed_in_it_the_last_of_each_before_is_told() -> None:
    found = (commit("E5", 900), commit("E8", 950), deploy("E7", 2_000), OLD)
    lines = told(write_changes, "what changed in the last 30 minutes?", 30, "other", *found)
    assert lines[0] == "I found no deploy, commit or alert of that time."
    assert [line.split(": ")[0] for line in lines[1:]] == ["Last before"] * 3
    assert not any("e8a1b2c" in line for line in lines)


def test_the_most_severe_that_fires_comes_first() -> None:
    minor, page, over = alert("E1", "A", 5), alert("E2", "B", 90, severity="page"), alert("E3", "C", 9, 2, "critical")
    assert [a.id for a in most_urgent((over, minor, page))] == ["E2", "E1", "E3"]
