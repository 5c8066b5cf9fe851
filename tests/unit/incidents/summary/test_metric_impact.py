"""What was measured of an incident: kept, told in a table, and held against what people said."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.channel_lines import DAY
from workers.contracts import Deploy, Evidence, Fact, ToolOutput, rfc3339
from workers.incidents.summary.contradictions import contradictions
from workers.incidents.summary.metric_impact import Measured, gather
from workers.incidents.summary.metric_impact_text import NBSP, held, measured_section
from workers.incidents.summary.postmortem_draft import write_postmortem
from workers.incidents.summary.summary_types import IncidentStatus, Line, Summary
from workers.sources.metrics.backend import Alert
from workers.sources.metrics.metric_evidence import alert_evidence, deploy_evidence

START, END = DAY + timedelta(hours=8, minutes=30), DAY + timedelta(hours=10, minutes=30)
ERRORS: dict[str, Any] = {"name": "error_ratio", "title": "error ratio", "unit": "ratio", "role": "errors"}
LATENCY: dict[str, Any] = {"name": "latency_p95", "title": "p95 latency", "unit": "s", "role": "latency"}
POOL: dict[str, Any] = {
    "name": "pool_in_use_ratio",
    "title": "share of the fullest connection pool in use",
    "unit": "ratio",
    "role": "saturation",
}


def at(hour: int, minute: int) -> datetime:
    return DAY + timedelta(hours=hour, minutes=minute)


def metric(kind: dict[str, Any], before: float, peak: float, *, of: str = "/pay", **more: Any) -> Evidence:
    """A metric that rose at 09:05 and was back at 09:41, unless told otherwise."""
    times = {"peak_at": at(9, 20), "onset_at": at(9, 5), "recovered_at": at(9, 41), "newest_at": at(10, 30)}
    times |= more.pop("times", {})
    facts = {
        "metric": Fact(value=kind["title"], entity=of),
        "metric_name": Fact(value=kind["name"], entity=of),
        "role": Fact(value=kind["role"], entity=of),
        "direction": Fact(value=more.pop("direction", "rose"), entity=of),
        **{
            name: Fact(value=value, unit=kind["unit"], entity=of)
            for name, value in (("baseline", before), ("peak", peak), ("current", more.pop("current", before)))
            if value is not None
        },
        **{name: Fact(value=rfc3339(when), unit="time", entity=of) for name, when in times.items() if when},
        **{name: Fact(value=value, unit="count", entity=of) for name, value in more.pop("counts", {}).items()},
    }
    title = kind["title"] if of == "all" else f"{kind['title']} of {of}"
    return Evidence(kind="metric", title=title, locator=f"{kind['name']}{{{of}}}", facts=facts, **more)


def measured(*evidence: Evidence, gaps: tuple[str, ...] = ()) -> Measured:
    found = gather(START, END, [(str(e.facts["metric_name"].value), ToolOutput(evidence=(e,))) for e in evidence])
    return found.model_copy(update={"gaps": gaps})


def deployed(hour: int, minute: int, version: str = "v2", service: str = "till") -> Evidence:
    return deploy_evidence(Deploy(service=service, version=version, commit="a1b2c3d4e5", at=at(hour, minute)))


def with_told(*told: Evidence) -> Measured:
    """Errors and latency, beside deploys and alerts."""
    outputs = [
        ("error_ratio", ToolOutput(evidence=(metric(ERRORS, 0.001, 0.12), *told))),
        ("latency_p95", ToolOutput(evidence=(metric(LATENCY, 0.2, 1.8, times={"onset_at": at(9, 7)}),))),
    ]
    return gather(START, END, outputs)


def draft(found: Measured, *, known: str = "", impact: str = "", guess: str = "") -> str:
    def lines(text: str) -> tuple[Line, ...]:
        return (Line(text=text, ts=("1795000000.000100",)),) if text else ()

    status = IncidentStatus(text="Back to normal", ts=("1795000000.000200",), state="resolved")
    summary = Summary(
        title="Till", status=status, impact=lines(impact), known=lines(known), hypotheses=lines(guess), timeline=()
    )
    return write_postmortem(summary, "Till", at(9, 9), at(10, 0), lambda ts: f"https://x/p{ts}", found)


def part(text: str, head: str) -> str:
    return text.partition(f"{head}\n")[2].partition("\n## ")[0].partition("\n### ")[0]


# --- the table ----------------------------------------------------------------------------------------------------


def test_the_table_tells_before_worst_after_and_how_long() -> None:
    found = measured(metric(LATENCY, 0.2, 1.8), metric(ERRORS, 0.001, 0.12, url="https://p/g?a=(1)"))
    rows = [row.replace(NBSP, " ") for row in measured_section(found)]
    assert rows[0] == "From 2026-11-20 08:30 UTC to 2026-11-20 10:30 UTC, times in UTC:"
    assert rows[1] == "| metric | before | worst | at 10:30 | off its normal | query |"
    assert rows[3] == "| error ratio of /pay | 0.1 % | 12 % at 09:20 | 0.1 % | 09:05 to 09:41, 36 min | [open][E1] |"
    assert rows[4] == "| p95 latency of /pay | 200 ms | 1.8 s at 09:20 | 200 ms | 09:05 to 09:41, 36 min | below |"
    assert "- p95 latency of /pay: `latency_p95{/pay}`" in rows
    assert "[E1]: https://p/g?a=%281%29" in draft(measured(metric(ERRORS, 0.001, 0.12, url="https://p/g?a=(1)")))


@pytest.mark.parametrize(
    ("changed", "cell"),
    [
        ({"times": {"recovered_at": None}}, "since 09:05, not back by 10:30"),
        ({"times": {"onset_at": None}}, "moved; no onset found"),
        ({"direction": "steady"}, "did not move"),
        ({"times": {"recovered_at": at(24, 10)}}, "09:05 to 2026-11-21 00:10, 15 h 5 min"),
    ],
)
def test_what_is_not_known_of_its_course_is_said(changed: dict[str, Any], cell: str) -> None:
    assert f"| {cell} |" in measured_section(measured(metric(ERRORS, 0.001, 0.12, **changed)))[3]


def test_samples_that_end_early_say_nothing_of_the_end() -> None:
    item = metric(ERRORS, 0.001, 0.12, current=None, times={"newest_at": at(9, 30)})
    item = item.model_copy(update={"facts": {**item.facts, "last_known": item.facts["peak"]}})
    assert "| unknown; 12 % at 09:30 |" in measured_section(measured(item))[3].replace(NBSP, " ")


def test_failed_requests_are_told_where_they_were_counted() -> None:
    counted = measured(metric(ERRORS, 0.001, 0.12, counts={"failed": 5312, "requests": 120400}))
    assert "- 5,312 of 120,400 requests of /pay failed in this time." in measured_section(counted)
    assert "failed in this time" not in str(measured_section(measured(metric(ERRORS, 0.001, 0.12))))


def test_deploys_and_alerts_of_the_time_are_told() -> None:
    early, late = deployed(7, 0, "v1"), deployed(9, 3)
    alert = alert_evidence(Alert("TillErrors", "resolved", since=at(9, 8).timestamp()), START, END)
    rows = str(measured_section(with_told(late, early, alert)))
    assert "Deploy till v2 (a1b2c3d) went out at 09:03 UTC on Nov 20 2026." in rows
    assert "v1" not in rows
    assert "Alert TillErrors fired at 09:08 UTC on Nov 20 2026." in rows


def test_each_reason_is_told_once() -> None:
    none = ToolOutput(status="error", reason="no metrics source is connected")
    late = ToolOutput(status="timeout", reason="metrics_query did not answer within 800 ms")
    found = gather(START, END, [("error_ratio", none), ("latency_p95", none), ("traffic", late)])
    assert found.gaps == (
        "error_ratio, latency_p95: no metrics source is connected",
        "traffic: the tool did not answer in time; metrics_query did not answer within 800 ms",
    )
    (line,) = measured_section(found)
    assert line.startswith("_Not measured:_ error\\_ratio, latency\\_p95: no metrics source")
    some = gather(START, END, [("error_ratio", ToolOutput(evidence=(metric(ERRORS, 0.001, 0.1),))), ("traffic", late)])
    assert measured_section(some)[-1].startswith("_Could not be measured:_ traffic: ")


def test_what_was_measured_of_another_place_or_not_to_the_end_is_told_apart() -> None:
    stale = ToolOutput(evidence=(metric(ERRORS, 0.001, 0.12),), reason="newest sample 2026-11-20T09:30:00Z")
    none = ToolOutput(status="empty", reason="no series matches")
    found = gather(START, END, [("error_ratio endpoint=/pay", stale), ("error_ratio endpoint=/search", none)])
    told = "\n".join(measured_section(found)).replace("\\", "")
    assert "_Measured in part:_ error_ratio endpoint=/pay: newest sample" in told
    assert "_Could not be measured:_ error_ratio endpoint=/search: no series matches." in told


def test_what_people_feel_comes_first_and_nothing_twice() -> None:
    quiet = metric(POOL, 0.3, 0.31, direction="steady")
    outputs = [
        ("latency_p95", ToolOutput(evidence=(metric(LATENCY, 0.2, 1.8), metric(POOL, 0.3, 1.0), quiet))),
        ("error_ratio", ToolOutput(evidence=(metric(ERRORS, 0.001, 0.12), metric(LATENCY, 0.2, 1.8)))),
    ]
    titles = [item.facts["metric_name"].value for item in gather(START, END, outputs).evidence]
    assert titles == ["error_ratio", "latency_p95", "pool_in_use_ratio"]


def test_it_stands_apart_from_what_people_said() -> None:
    text = draft(with_told(), impact="about 12% of payments fail")
    assert "- about 12% of payments fail [[1]](https://x/p1795000000.000100)" in part(text, "### As people said it")
    assert "payments" not in part(text, "### Measured")
    assert "- **Metrics moved:** 2026-11-20 09:05 UTC, error ratio of /pay" in text
    assert "### Said and measured differ" not in text


# --- said and measured --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "differs"),
    [
        ("40% of payments fail", "The highest error ratio of /pay measured was 12 %, at 09:20 UTC on Nov 20 2026."),
        ("40 percent of requests to /pay time out", "12 %"),
        ("error rate is 4,8 %", "12 %"),
        ("p95 is 9 s", "The highest p95 latency of /pay measured was 1.8 s, at 09:20 UTC on Nov 20 2026."),
        ("requests take 300ms", "1.8 s"),
        ("about 12% of payments fail", ""),
        ("error rate was 1% and went to 11%", ""),
        ("p99 is 9 s", ""),
        ("p95 is 1.9 s", ""),
        ("40% of customers are in Europe", ""),
        ("checkout is failing, about 40% of requests", "12 %"),
        ("CPU at 95% and 40% of payments fail", "12 %"),
        ("the load balancer answers 40% with 502", "12 %"),
        ("CPU at 95%", ""),
        ("CPU at 95% and requests time out", ""),
        ("CPU on the primary is at 95%, errors since 09:05", ""),
        ("95% of the heap is used and requests fail", ""),
        ("disk 95% full: writes fail", ""),
        ("errors rose by 40%", ""),
        ("errors on /pay, 40% of customers are in Europe", ""),
        ("502s since 09:05, restarted in 30 s", ""),
    ],
)
def test_a_contradiction_is_told(said: str, differs: str) -> None:
    found = with_told()
    lines = [Line(text=said, ts=("1.1",))]
    told = [held(claim, found) for _, claim in contradictions(lines, found.evidence)]
    assert [differs in text for text in told] == ([True] if differs else [])
    assert ("### Said and measured differ" in draft(found, impact=said)) == bool(differs)


def test_a_figure_is_held_against_what_it_names() -> None:
    both = measured(metric(ERRORS, 0.001, 0.4, of="/list"), metric(ERRORS, 0.001, 0.12))
    line = Line(text="40% of requests to /pay fail", ts=("1.1",))
    ((_, claim),) = contradictions([line], both.evidence)
    assert "/pay" in claim.template
    assert not list(contradictions([line.model_copy(update={"text": "40% of requests fail"})], both.evidence))


@pytest.mark.parametrize(("of", "said"), [("api", "rapid: 40% of requests fail"), ("/pay", "40% of /pay/refund fail")])
def test_a_name_within_another_word_is_none(of: str, said: str) -> None:
    both = measured(metric(ERRORS, 0.001, 0.4, of="/list"), metric(ERRORS, 0.001, 0.12, of=of))
    assert not list(contradictions([Line(text=said, ts=("1.1",))], both.evidence))


# --- contributing factors -----------------------------------------------------------------------------------------


def factors(text: str) -> list[str]:
    rows = part(text, "## Contributing factors").strip().splitlines()
    return [row for row in rows if row.startswith("- ")]


def test_a_deploy_before_what_moved_is_evidence_of_what_was_said() -> None:
    (row,) = factors(draft(with_told(deployed(9, 3)), known="root cause: v2 of till leaks connections"))
    assert row.startswith("- **Evidenced:** root cause: v2 of till leaks connections [[1]](")
    assert row.endswith(
        "error ratio of /pay moved 2 minutes after deploy till v2, which went out at 09:03 UTC on Nov 20 2026."
    )


@pytest.mark.parametrize(
    "said",
    [
        "the lead shard ran out of disk",
        "two writers lead to deadlocks of the pool",
        "the primary lead time of the queue doubled",
        "the redis command KEYS blocked the primary",
    ],
)
def test_a_word_for_a_role_that_is_of_something_else_names_nobody(said: str) -> None:
    assert len(factors(draft(with_told(), known=said))) == 1


def test_a_deploy_after_what_moved_is_none() -> None:
    (row,) = factors(draft(with_told(deployed(9, 30)), known="root cause: v2 of till leaks connections"))
    assert row.startswith("- **Hypothesis:**")
    assert "nothing that was measured shows it" in row


def test_a_metric_that_moved_is_evidence_of_what_it_measures() -> None:
    found = measured(metric(ERRORS, 0.001, 0.12), metric(POOL, 0.3, 1.0))
    (row,) = factors(draft(found, known="the connection pool was exhausted"))
    assert row.startswith("- **Evidenced:**")
    assert "share of the fullest connection pool in use of /pay rose from 30 % to 100 % at 09:05" in row
    (row,) = factors(draft(found, known="the certificate had expired"))
    assert row.startswith("- **Hypothesis:**")


def test_a_symptom_beside_a_deploy_is_one() -> None:
    (row,) = factors(draft(with_told(deployed(9, 3)), known="errors on /pay started when till v2 went out"))
    assert row.startswith("- **Evidenced:** errors on /pay started when till v2 went out")


def test_a_supposition_stays_one_whatever_tools_show() -> None:
    (row,) = factors(draft(with_told(deployed(9, 3)), guess="maybe it is v2 of till"))
    assert row.startswith("- **Hypothesis:** maybe it is v2 of till")
    assert "moved 2 minutes after deploy till v2" in row


def test_a_deploy_that_nobody_spoke_of_is_a_hypothesis() -> None:
    said, unsaid = factors(draft(with_told(deployed(9, 3)), known="the certificate had expired"))
    assert "certificate" in said
    assert unsaid.startswith("- **Hypothesis:** error ratio of /pay moved 2 minutes after deploy till v2")
    assert "nobody spoke of it" in unsaid
