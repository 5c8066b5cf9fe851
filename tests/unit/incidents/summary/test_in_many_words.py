"""The same thing told in many words: briefly, and in whole sentences."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

BEFORE = """
09:00 Grafana*: [FIRING:1] RegionDown west
09:01 Maya: west looks gone for customers in Lisbon
09:02 Tomas: looking at the gateway
09:05 Priya: I see timeouts in the gateway log
"""
LED = "09:08 Maya: SEV2, I'm IC\n"
EASED = "09:20 Tomas: rolled back the gateway to v7\n09:24 Maya: errors are gone, mitigated\n"
AFTER = "\n09:44 Tomas: still reading the gateway log"


def told(text: str, before: str = "", after: str = AFTER) -> Summary:
    return summarize(channel(f"{BEFORE}{before}09:40 Maya: {text}{after}"), why="declared")


def leader(summary: Summary) -> str:
    """Who leads; empty for nobody."""
    return summary.lead.name if summary.lead else ""


STATES = {
    "false_alarm": ("west was never down, the probe itself lost its network", "we were blind, not down"),
    "resolved": ("we can close", "end of incident"),
    "mitigated": ("mitigated, root cause still open", "customers can pay again since we bypass the scoring"),
    "monitoring": ("deployed the fix, now we monitor", "hotfix 5.3 is live, eyes on graphs"),
    "identified": (
        "cause: an expired certificate on the gateway",
        "the outage comes from a cut fibre near the station",
    ),
}


@pytest.mark.parametrize(("state", "text"), [(state, text) for state, texts in STATES.items() for text in texts])
def test_how_it_stands(state: str, text: str) -> None:
    assert told(text, LED, "").status.state == state


@pytest.mark.parametrize(
    "text",
    [
        "the fix did not hold, pods die once more",
        "I am afraid it is not over, two wards have lost the connection again",
    ],
)
def test_it_is_not_over(text: str) -> None:
    assert told(text, EASED, "").status.state in {"investigating", "identified"}


@pytest.mark.parametrize(
    "text",
    [
        "the database was never down according to the dashboards of the vendor",
        "the rollback is done, no effect on latency",
        "the records did not exist",
        "no impact on east so far, just the monitoring",
        "the circuit breaker went half-open -> closed",
        "updated the status to resolved by mistake",
    ],
)
def test_what_sounds_alike_ends_nothing(text: str) -> None:
    assert told(text, LED, "").status.state in {"investigating", "identified"}


@pytest.mark.parametrize(
    "text",
    ["got the con", "stepping in as ic"],
)
def test_who_takes_the_lead(text: str) -> None:
    assert leader(told(text)) == "Maya"


def test_who_leads_is_known_though_the_same_words_tell_the_impact() -> None:
    summary = told("SEV2: customers report 502 at checkout, I'm IC")
    assert leader(summary) == "Maya"
    assert any("customers report 502" in line.text for line in summary.impact)


def test_a_decision_rules_nothing_out() -> None:
    summary = told("decision: we roll back till, no other deploys until this is over", LED)
    assert summary.ruled_out == ()
    assert any("no other deploys" in line.text for line in summary.decisions)


@pytest.mark.parametrize(
    "text",
    ["@jorge has the con", "ic change: me -> @jorge"],
)
def test_who_is_handed_the_lead_before_they_wrote_a_word(text: str) -> None:
    assert leader(told(text, LED)) == "jorge"


@pytest.mark.parametrize(
    "text",
    ["errors returned to normal", "the nodes that went down are up again", "next wave of the rollout starts tomorrow"],
)
def test_good_news_takes_nothing_back(text: str) -> None:
    assert told(text, EASED, "").status.state == "mitigated"


@pytest.mark.parametrize(
    "text",
    ["I'm taking notes of the incident", "I'll take a look at the outage graph"],
)
def test_who_takes_something_else_leads_nothing(text: str) -> None:
    assert leader(told(text)) == ""


@pytest.mark.parametrize("text", ["restoring logins is priority one", "my prio two today was the lift"])
def test_an_order_of_things_is_no_severity(text: str) -> None:
    assert told(text).severity == ""


@pytest.mark.parametrize(
    "text",
    [
        "I need to leave, @priya has the details",
        "what you need is in the doc @priya wrote",
        "we need more logs, @priya said so",
        "I want to thank @priya for the quick work",
    ],
)
def test_who_is_spoken_of_has_no_task(text: str) -> None:
    assert told(text, LED).action_items == ()


@pytest.mark.parametrize(
    "text",
    ["who is ic, @jorge?", "@jorge thanks, that was a good lead"],
)
def test_who_is_named_leads_nothing_by_that(text: str) -> None:
    assert leader(told(text, LED)) == "Maya"


@pytest.mark.parametrize(
    "text",
    [
        "nxt upd 20 min",
        "back w/ news by 17:45 utc",
        "you'll hear from us within 25 min",
        "we will inform you again at 15:30 with the next information",
        "our next communication to the players goes out at 20:00",
    ],
)
def test_when_people_hear_more(text: str) -> None:
    assert told(text).next_update is not None


@pytest.mark.parametrize(
    ("text", "severity"),
    [("sev one", "SEV1"), ("treat it as prio 2", "P2"), ("set to P1", "P1")],
)
def test_how_grave_it_is(text: str, severity: str) -> None:
    assert told(text).severity == severity


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("@tove drain cell-5", "tove"),
        ("pls call the card provider @tove", "tove"),
        ("I kindly ask @tove to prepare the rollback of checkout", "tove"),
    ],
)
def test_what_someone_is_asked_for(text: str, owner: str) -> None:
    assert [item.owner for item in told(text, LED).action_items] == [owner]


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("decisions", "no deploys without my ok, this is final"),
        ("decisions", "as commander I order the shutdown of the import interface"),
        ("tried", "flushed the cache, useless"),
        ("tried", "cert replaced on all load balancers"),
        ("ruled_out", "can exclude the deploy of Monday, errors began before"),
        ("hypotheses", "possibly a timezone bug, it started at midnight"),
        ("impact", "teachers cannot open the class rosters"),
        ("impact", "cashiers have to type every barcode by hand"),
    ],
)
def test_where_it_belongs(section: str, text: str) -> None:
    lines = getattr(told(text, LED), section)
    assert any(text.split()[1].lower() in line.text.lower() for line in lines)


@pytest.mark.parametrize(
    "text", ["brb coffee", "my cat walked over the keyboard", "wrong channel, sorry", "snowing here"]
)
def test_what_is_beside_the_matter_stands_nowhere(text: str) -> None:
    summary = told(text, LED)
    said = " ".join(line.text for line in (*summary.known, *summary.impact, *summary.tried)).lower()
    assert text.split(maxsplit=1)[0] not in said


def test_past_tense_is_no_present() -> None:
    assert told("the dashboards were blind, nothing happened at all", LED, "").status.state == "false_alarm"
