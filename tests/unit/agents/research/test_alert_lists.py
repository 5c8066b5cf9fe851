"""Alerts in answers: the gravest first and counted, heartbeats and other environments apart, each of its own thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from workers.agents.research.firing_alert import with_alert, write_alert
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_status import write_status
from workers.contracts import Answer, Intent, Plan, Window
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.ports import Brief, Playbook
from workers.sources.metrics.alerts import located
from workers.sources.metrics.backend import Alert
from workers.sources.metrics.metric_evidence import alert_evidence, count_evidence

WINDOW = Window(start=NOW.replace(hour=0), end=NOW, why="today")


def alert(name: str, **labels: str) -> Alert:
    return located(Alert(name, "firing", since=NOW.timestamp() - 600, labels=labels), "production")


def asked(text: str, alerts: Sequence[Alert], **landscape: object) -> Brief:
    found = [count_evidence(alerts, WINDOW.start, NOW), *(alert_evidence(a, WINDOW.start, NOW) for a in alerts)]
    evidence = tuple(item.model_copy(update={"id": f"E{n}"}) for n, item in enumerate(found, 1))
    base = brief(evidence=evidence, gaps=())
    question = base.question.model_copy(update={"text": text, "context": ()})
    intent = Intent(question_type="alerting", time_hints=("right now",), window=WINDOW)
    known = LANDSCAPE.model_copy(update={"alerts": tuple(a.name for a in alerts), **landscape})
    return replace(base, question=question, intent=intent, landscape=known)


def answered(given: Brief, draft: object) -> Answer:
    answer, struck = check_grounding(
        draft,  # type: ignore[arg-type]
        given.evidence,
        Voice(NOW, "UTC"),
        (),
        known=" ".join(given.landscape.names),
        asked=given.question.text,
    )
    assert not struck
    return answer


def test_a_list_that_is_cut_says_how_many_there_are_and_begins_with_the_gravest() -> None:
    many = [
        *(alert(f"Warn{n}", service=f"s{n}", severity="warning") for n in range(14)),
        alert("Down", severity="page"),
    ]
    given = asked("which alerts are firing right now?", many)
    answer = answered(given, write_alerting(given))
    assert answer.headline.text.startswith("15 alerts fire, the gravest first: Alert Down (page)")
    assert any("3 more" in gap.text for gap in answer.missing)


def test_another_environment_is_named_and_a_heartbeat_is_no_trouble() -> None:
    found = [
        alert("ErrorsHigh", service="till", environment="qa", severity="critical"),
        alert("Watchdog", severity="none"),
        alert("QueueLong", service="till", severity="warning"),
    ]
    given = asked("which alerts are firing right now?", found)
    answer = answered(given, write_alerting(given))
    assert answer.headline.text.startswith("Alert QueueLong (warning)")
    rest = [claim.text for claim in answer.metrics]
    assert rest[0].startswith("qa: alert ErrorsHigh (critical) of till")
    assert "heartbeat" in rest[1]
    status = answered(given, write_status(given))
    told = [status.headline.text, *(claim.text for claim in status.metrics)]
    assert not any("Watchdog" in text for text in told)
    assert all(text.startswith("qa: ") for text in told if "ErrorsHigh" in text)
    status = answered(given, write_status(asked("is qa ok?", found)))
    assert status.headline.text.startswith("qa: alert ErrorsHigh"), "it is asked about"
    given = asked("which alerts of qa are firing right now?", found)
    assert "ErrorsHigh" in answered(given, write_alerting(given)).headline.text, "it is asked about"


def test_no_data_is_told_as_that_and_counted_as_no_trouble() -> None:
    found = [alert("DatasourceNoData", rulename="Carts per minute"), alert("ErrorsHigh", service="till")]
    given = asked("which alerts are firing right now?", found)
    answer = answered(given, write_alerting(given))
    assert answer.headline.text.startswith("Alert ErrorsHigh")
    assert any("no data for “Carts per minute”" in claim.text for claim in answer.metrics)
    given = asked("which alerts are firing right now?", found[:1])
    told = answered(given, write_status(given))
    assert told.headline.text.startswith("0 alerts fire")
    given = asked("Why is DatasourceNoData firing?", found[:1])
    answer = answered(given, write_alert(given))
    assert "neither trouble nor health" in answer.headline.text


def test_an_alert_that_was_a_moment_is_told_as_one() -> None:
    moment = replace(alert("CartErrors"), state="resolved", until=NOW.timestamp() - 600)
    text = answered(given := asked("Why is CartErrors firing?", [moment]), write_alert(given)).headline.text
    assert "fired at" in text
    assert " to " not in text


def test_why_an_alert_of_another_thing_fires_is_told_of_that_thing_alone() -> None:
    given = asked("Why is Search disk firing?", [alert("Search disk", host="mq-1", path="/")])
    answer = answered(given, write_alert(given))
    assert "file system / on mq-1" in answer.headline.text
    assert [gap.text for gap in answer.missing] == ["Nothing here measures file system / on mq-1."]


def test_the_host_of_a_certificate_is_told() -> None:
    given = asked("Why is CertOld firing?", [alert("CertOld", instance="vpn.example:443")])
    assert "instance vpn.example:443" in answered(given, write_alert(given)).headline.text


def test_why_an_alert_of_an_unknown_service_fires_is_no_story_of_a_known_one() -> None:
    places = {"labels": {"service": ("shop",), "endpoint": ("/api/search",)}}
    given = asked("Why is SearchStale firing?", [alert("SearchStale", service="indexer")], **places)
    assert "SearchStale" in answered(given, write_alert(given)).headline.text
    given = asked("Why is SearchSlow firing?", [alert("SearchSlow", service="shop")], **places)
    assert write_alert(given) is None, "its metrics tell more"


def test_the_labels_of_the_alert_are_looked_at() -> None:
    given = asked("Why is Disk firing?", [alert("Disk", host="mq-1")])
    bare = Plan(pattern="x", query_intent="", steps=())
    plan = with_alert(bare, given.question, given.landscape, Playbook({}))
    assert [step.args for step in plan.steps] == [{"query": 'alert="Disk" window=24h'}]
    other = given.question.model_copy(update={"text": "is the disk full?"})
    assert with_alert(bare, other, given.landscape, Playbook({})).steps == ()


def test_an_alert_that_is_looked_into_is_known_before_any_source_names_it() -> None:
    given = asked("Why is Lag firing?", []).question.model_copy(update={"alert": "Lag"})
    plan = with_alert(Plan(pattern="x", query_intent="", steps=()), given, LANDSCAPE, Playbook({}))
    assert [step.args for step in plan.steps] == [{"query": 'alert="Lag" window=24h'}]
