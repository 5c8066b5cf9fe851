"""What an incident's answer tells of flags and the cluster: with its order in time, and only what was before."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.support.cluster_payloads import core_event
from tests.support.engine_fakes import NOW
from tests.support.latency_evidence import metric
from tests.support.reasoner_inputs import brief
from workers.agents.research.write_incident import write_incident
from workers.contracts import Claim, Evidence, FlagChange
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.sources.cluster.event import read_events
from workers.sources.cluster.evidence import event_evidence
from workers.sources.flags.evidence import change_evidence

MAIN = metric("E1", "p95 latency", "/api/search", 0.2, 1.9, 2.1, "14:05:00")
ONSET = datetime.fromisoformat(str(MAIN.facts["onset_at"].value))


def flag(key: str, minutes_before: float, name: str = "new-cart", **more: str) -> Evidence:
    told = {"flag": name, "change": "turned on", "before": "off", "after": "on", **more}
    change = FlagChange.model_validate({**told, "at": ONSET - timedelta(minutes=minutes_before)})
    return change_evidence(change, "production").model_copy(update={"id": key, "step": "flags"})


def event(key: str, minutes_before: float, reason: str = "OOMKilling") -> Evidence:
    at = ONSET - timedelta(minutes=minutes_before)
    (found,) = read_events(core_event(at, reason, "node-a", kind="Node"))
    assert found is not None
    return event_evidence(found, "production", "production").model_copy(update={"id": key, "step": "cluster"})


def changed(*evidence: Evidence) -> tuple[Claim, ...]:
    given = brief(evidence=(MAIN, *evidence), gaps=())
    draft = write_incident(given)
    answer, struck = check_grounding(draft, given.evidence, Voice(NOW, "UTC"), (), known="", asked=given.question.text)
    assert not struck
    return answer.what_changed


def test_the_nearest_before_the_onset_is_a_hypothesis() -> None:
    nearest, earlier = changed(flag("E2", 90, "old-flag"), flag("E3", 4))
    assert (nearest.status, nearest.evidence) == ("hypothesis", ("E3", "E1"))
    for part in ("new-cart", "off", "on", "14:01", "4 min"):
        assert part in nearest.text
    assert (earlier.status, "old-flag" in earlier.text) == ("supported", True)


def test_events_of_the_cluster_stand_beside_flags() -> None:
    first, second = changed(flag("E2", 20), event("E3", 5))
    assert (first.status, "OOMKilling" in first.text, "node-a" in first.text) == ("hypothesis", True, True)
    assert "new-cart" in second.text


def test_what_came_after_or_long_before_or_elsewhere_is_not_told() -> None:
    assert changed(flag("E2", -3), flag("E3", 60 * 7), event("E4", 61), event("E5", -1)) == ()
    assert changed(flag("E2", 3, environment="staging")) == ()


def test_a_flag_whose_values_nobody_told_is_told_by_its_words() -> None:
    (only,) = changed(flag("E2", 3, before="", after="", change="changed the default rule"))
    assert "changed the default rule" in only.text
