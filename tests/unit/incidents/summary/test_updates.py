"""Updates that follow a form: labelled lines and cells, tags of a status page, programs people run incidents with."""

from __future__ import annotations

import pytest

from workers.contracts import ChannelMessage
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

T0 = 1_763_632_330
"""09:52:10 UTC."""
FIRST = "ana: SEV2: checkout is down for all customers, 502 everywhere"
PROGRAM = "*incident.io"


def told(*said: str) -> Summary:
    """``who: text`` a minute; a program's name begins with a star."""
    lines = [line.partition(": ") for line in said]
    return summarize(
        ChannelMessage(
            ts=f"{T0 + 60 * number}.000100",
            user=f"U1{who.strip('*').upper()}",
            name=who.strip("*"),
            text=text,
            bot=who.startswith("*"),
        )
        for number, (who, _, text) in enumerate(said_by for said_by in lines)
    )


def texts(summary: Summary, section: str) -> list[str]:
    return [line.text for line in getattr(summary, section)]


@pytest.mark.parametrize(
    ("update", "state"),
    [
        ("[RESOLVED] the payment service is itself again", "resolved"),
        ("*Resolved* - orders flow", "resolved"),
        ("**Monitoring** - a fix is out and we watch it", "monitoring"),
        ("Identified: a bad push to the edge", "identified"),
        ("[Mitigated]: traffic moved to the other region", "mitigated"),
        ("All clear - everybody can go to bed", "resolved"),
        ("Investigating a leak in the cart", "investigating"),
    ],
)
def test_a_tag_says_how_it_stands(update: str, state: str) -> None:
    assert told(FIRST, "bo: looking", f"ana: {update}").status.state == state


def test_an_update_on_one_line_is_read_part_by_part() -> None:
    update = "*Update 09:55* | Status: identified | Impact: 12% of orders | Cause: expired certificate on the gateway"
    found = told(FIRST, f"ana: {update} | Next update: 10:15", "bo: ok")
    assert found.status.state == "identified"
    assert "12% of orders" in texts(found, "impact")
    assert texts(found, "known") == ["Expired certificate on the gateway"]
    assert found.next_update is not None
    assert found.next_update.text == "Next update: 10:15"


def test_a_state_that_is_merely_named_stands_with_what_its_update_tells() -> None:
    update = "ana: *Update 2 – 10:05 UTC*\nRoot cause: a CDN rule strips the auth header\nStatus: monitoring"
    found = told(FIRST, "bo: looking", update)
    assert (found.status.state, found.status.text) == ("monitoring", "A CDN rule strips the auth header")


def test_where_it_is_seen_and_where_not_is_the_impact_and_rules_nothing_out() -> None:
    found = told(FIRST, "bo: confirmed on the app, web is ok", "bo: looking further")
    assert texts(found, "ruled_out") == []
    assert "Confirmed on the app, web is ok" in texts(found, "impact")


def test_what_is_wrong_is_the_impact_as_long_as_nothing_more_is_known() -> None:
    found = told("ana: SEV2 - the app crashes at start on android 12", "bo: looking")
    assert texts(found, "impact") == ["SEV2 - the app crashes at start on android 12"]


def test_what_is_to_do_for_those_who_felt_it_is_no_impact() -> None:
    found = told(
        FIRST, "bo: fixed it", "ana: Closing this one.\nFollow-ups:\n- @bo: mail to the 150 customers, by Friday"
    )
    assert not any("150" in text for text in texts(found, "impact"))
    assert [(item.text, item.owner) for item in found.action_items] == [("Mail to the 150 customers, by Friday", "bo")]


def test_a_bar_between_words_is_no_form() -> None:
    found = told(FIRST, "bo: so many since 09:40: access.log | grep 502 | wc")
    assert any("| grep 502 | wc" in entry.text for entry in found.timeline)


def test_labels_within_a_line_count_as_those_at_its_beginning() -> None:
    found = told("ana: Payments API returns 502. Severity: SEV2. Impact: 30% of orders. IC: @bo", "bo: looking")
    assert found.severity == "SEV2"
    assert found.lead is not None
    assert found.lead.name == "bo"
    assert "30% of orders." in texts(found, "impact")


def test_since_when_it_is_said_with_its_declaration() -> None:
    found = told("ana: SEV2: checkout returns 502 to 30% of customers since 09:32", "bo: looking")
    assert [(f"{e.at:%H:%M}", e.kind) for e in found.timeline[:2]] == [("09:32", "detected"), ("09:52", "declared")]
    assert len({entry.id for entry in found.timeline}) == len(found.timeline)
    assert found.since is not None
    assert f"{found.since:%H:%M}" == "09:32"


# --- programs with which people run incidents -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("post", "state"),
    [
        ("ana changed the status from Investigating to Fixing", "identified"),
        ("Incident status updated to Mitigated by @ana", "mitigated"),
        ("Status: Fixing → Monitoring", "monitoring"),
        ("@ana moved the incident to Closed", "resolved"),
        ("@ana has resolved this incident", "resolved"),
        ("@ana marked this incident as a false alarm", "false_alarm"),
        ("Reminder: nobody has posted an update for 30 min", "investigating"),
    ],
)
def test_what_someone_enters_says_how_it_stands(post: str, state: str) -> None:
    assert told(FIRST, "bo: looking", f"{PROGRAM}: {post}").status.state == state


def test_what_others_say_of_their_own_incident_does_not() -> None:
    for name in ("*Acme Status", "*PagerDuty", "*Jira"):
        assert told(FIRST, "bo: looking", f"{name}: This incident has been resolved").status.state == "investigating"


def test_a_channel_that_such_a_program_opened_holds_an_incident() -> None:
    found = told(
        f"{PROGRAM}: New incident declared by @ana: Search is slow\nSeverity: SEV3\nLead: @ana\nNext update: 10:20",
        "ana: hm, not nice",
    )
    assert found.title == "Search is slow"
    assert (found.severity, found.status.state) == ("SEV3", "investigating")
    assert found.lead is not None
    assert found.lead.name == "ana"
    assert found.next_update is not None
    assert [entry.kind for entry in found.timeline][:1] == ["declared"]


def test_what_people_declared_is_one_however_little_they_write() -> None:
    said = [ChannelMessage(ts=f"{T0}.000100", user="U1ANA", name="ana", text="the fridges in aisle 4 are warm")]
    assert summarize(said).status.state == "none"
    found = summarize(said, title="Warm fridges", why="declared")
    assert (found.status.state, found.status.text) == ("investigating", "The fridges in aisle 4 are warm")
    assert summarize([], why="declared").status.state == "none"


def test_a_channel_that_is_called_like_an_incidents_needs_little() -> None:
    said = ("are the mails an hour late again?", "yes, the queue is 50k deep", "one worker is left since the cleanup")
    messages = [
        ChannelMessage(ts=f"{T0 + 60 * n}.000100", user=f"U{n % 2}", name="ab"[n % 2], text=text)
        for n, text in enumerate(said)
    ]
    assert summarize(messages).status.state == "none"
    assert summarize(messages, why="name").status.state == "investigating"
    chat = [ChannelMessage(ts=f"{T0}.000100", user="U1", name="a", text="hi all, this is where we meet on fridays")]
    assert summarize(chat, why="name").status.state == "none"
