"""What people's standing and their own ways of saying things make of a summary."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import SECTIONS, Summary

BEGUN = """
09:12 Grafana*: upload backlog above 2,000
09:13 Pia: photos sit in the queue and never come out
09:14 Tess: Sev 2, I'll lead {eyes Pia}
09:15 Pia: looking at the workers
"""


def of(text: str) -> Summary:
    return summarize(channel(BEGUN + text))


def texts(summary: Summary, section: str) -> list[str]:
    return [line.text for line in getattr(summary, section)]


def everything(summary: Summary) -> str:
    return " | ".join([summary.status.text, *(t for name in (*SECTIONS, "timeline") for t in texts(summary, name))])


# --- whose words count --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "I'll lead",
        "taking charge of this",
        "this one's mine to run",
        "I'm running point",
        "I take the lead on it",
        "IC here",
    ],
)
def test_who_leads_is_heard_in_many_words(words: str) -> None:
    text = (
        f"09:13 Tess: SEV2 and {words}\n09:14 Bob: checkout fails for 400 users\n09:20 Bob: all resolved, closing this"
    )
    assert summarize(channel(text)).status.state != "resolved"
    assert summarize(channel(text + "\n09:30 Tess: resolved")).status.state == "resolved"


def test_what_the_leader_denies_is_not_told() -> None:
    said = "09:16 Chan: Decision: we pay every claim without photos today\n"
    assert "pay every claim" in everything(of(said))
    denied = of(said + "09:17 Tess: nobody decided that, and it isn't ours to decide")
    assert "pay every claim" not in everything(denied)
    assert "nobody decided" not in everything(denied).lower()


def test_who_is_sent_away_is_not_listened_to_any_more_nor_before() -> None:
    talk = """
09:16 Brett: Impact: zero customers, the uploads were restored at 08:40
09:17 Pia: 480 customers can't upload a photo
09:18 Tess: @Brett you're a guest here, please leave the updates to us
09:25 Brett: the root cause was load shedding in Durban
"""
    told = everything(of(talk))
    assert "480 customers" in told
    assert "load shedding" not in told
    assert "restored at 08:40" not in told


def test_words_of_who_was_sent_away_count_when_the_leader_marks_them() -> None:
    talk = (
        "09:16 Tess: @Brett you're not on the team\n09:25 Brett: found it: the scanner image lost its cache {100 Tess}"
    )
    order = "09:15 Brett: hello from the vendor\n"
    assert "lost its cache" in everything(of(order + talk))


# --- findings -----------------------------------------------------------------------------------------------------


def test_a_finding_is_announced_by_a_few_words_or_marked_by_others() -> None:
    announced = of("09:20 Pia: Found it. The scanner in eu-1 loads 40 million rules for each file")
    assert announced.status.state == "identified"
    assert any("40 million rules" in text for text in texts(announced, "known"))
    plain = "09:20 Pia: the scanner in eu-1 loads 40 million rules per file"
    assert of(plain).status.state == "investigating"
    assert of(plain + " {100 Tess}").status.state == "identified"


def test_a_cause_that_is_taken_back_is_none() -> None:
    wrong = "09:20 Tess: the cause is Maritime Mobile, their gateway drops our texts\n"
    assert of(wrong).status.state == "identified"
    back = of(wrong + "09:40 Tess: I spoke too fast, I take it back: it is not Maritime Mobile")
    assert back.status.state == "investigating"
    assert not any("their gateway" in text for text in texts(back, "known"))


def test_a_new_count_replaces_the_one_before() -> None:
    told = of("09:20 Pia: first count, very rough: 2,000 clients\n09:40 Pia: new count from the logs: 140,000")
    assert any("140,000" in text for text in texts(told, "impact"))
    assert not any("2,000 clients" in text for text in texts(told, "impact"))


# --- decisions, promises, times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["Call made. We drop the dev tier in hall B", "We drop the dev tier in hall B. This is decided",
     "Right, decided: we drop the dev tier in hall B"],
)  # fmt: skip
def test_a_few_words_make_the_rest_of_a_message_a_decision(said: str) -> None:
    told = of(f"09:20 Tess: {said}")
    assert any("drop the dev tier" in text for text in texts(told, "decisions"))
    assert [e.text for e in told.timeline if e.kind == "decision" and "dev tier" in e.text]


@pytest.mark.parametrize(
    "said", ["I'll talk again at quarter to ten", "Next 09:50", "back at 09:45", "Next word 10:15"]
)
def test_the_next_update_is_promised_in_many_words(said: str) -> None:
    found = of(f"09:20 Tess: {said}").next_update
    assert found is not None
    assert said.lower() in found.text.lower()


@pytest.mark.parametrize(
    "said",
    ["the search alert is not part of this incident", "who are you paging for this?", "we didn't post on the page yet"],
)
def test_everyday_words_silence_nobody(said: str) -> None:
    found = "09:20 Pia: root cause: the connection pool of checkout-api is exhausted\n"
    assert "connection pool" in everything(of(f"{found}09:21 Tess: {said}"))


@pytest.mark.parametrize("said", ["This is a SEV3.", "SEV3", "Making this a SEV3"])
def test_who_leads_lowers_the_severity(said: str) -> None:
    assert of(f"09:40 Tess: {said}").severity == "SEV3"


def test_a_figure_is_no_promise() -> None:
    assert of("09:40 Pia: p95 back at 240ms").next_update is None


def test_a_clock_is_no_emoji() -> None:
    assert any(
        "05:30:00 UTC" in text for text in texts(of("09:20 Pia: first refusal at 05:30:00 UTC on node-3"), "timeline")
    )


def test_severity_is_set_by_an_order_of_the_leader() -> None:
    assert of("09:20 Tess: Treat it as a P1, 44,000 people are on their way").severity == "P1"


# --- two incidents ------------------------------------------------------------------------------------------------

TWO = """
12:58 Zabbix*: PROBLEM: turnstile-gw refused scans > 10%
13:02 Meg: I'm running this. Treat it as a P1
13:04 Kofi: [turnstile-gw] two in five scans are refused at the north gates
13:06 Zabbix*: PROBLEM: kiosk-pay declined > 25%
13:07 Tam: kiosk-pay: terminals refuse every second contactless payment
13:09 Meg: kiosk-pay is a P3 to me. @Tam that one is yours
13:10 Kofi: turnstile-gw takes its list from Redis
13:14 Kofi: [turnstile-gw] restarted the gateway, no change
13:16 Tam: kiosk-pay: the floor limit came down as 1 penny
13:40 Tam: kiosk-pay is fixed, closing the P3
"""


def test_two_things_that_are_called_by_their_names_are_two_incidents() -> None:
    told = summarize(channel(TWO))
    assert (told.severity, told.status.state) == ("P1", "investigating")
    assert not any("kiosk" in line.text and "turnstile" in line.text for line in told.known)


def test_a_thread_is_the_room_of_its_incident() -> None:
    talk = """
15:02 Datadog*: [Triggered] ingest-queue oldest message over 30 min
15:07 Dana: sev2, I'm running point
15:09 Mei: 318 shows have an episode stuck in the queue
15:11 Ivy: unrelated to that: listeners can't open audiobooks they bought
15:12 Rufus>: that's a sev1, I'm on point for this one
15:14 Pam>: 6 of 10 unlock calls fail with 410
15:16 Rufus>: hands off the keys for now
15:18 Pam>: the yearly key rotation ran early at 10:50, phones hold the old keys
15:20 Rufus>: we wait for the vendor
15:30 Dana: episodes flow again, the sev2 is closed
"""
    told = summarize(channel(talk))
    assert told.severity == "SEV1"
    assert told.status.state not in {"resolved", "none"}
