"""The summary of a whole channel, through the classifier where the words are plain."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.channel_lines import OUTAGE, channel
from workers.contracts import ChannelMessage
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import SECTIONS, Summary


def until(time: str) -> Summary:
    return summarize([m for m in channel(OUTAGE) if f"{m.at:%H:%M}" <= time])


@pytest.mark.parametrize(
    ("time", "state"),
    [
        ("09:13", "investigating"),
        ("09:37", "investigating"),
        ("09:55", "identified"),
        ("10:10", "monitoring"),
        ("10:33", "resolved"),
    ],
)
def test_how_it_stands_follows_what_people_say(time: str, state: str) -> None:
    assert until(time).status.state == state


def test_a_newer_figure_replaces_the_older_one() -> None:
    assert any("6%" in text for text in [line.text for line in until("09:37").impact])
    assert [line.text for line in until("10:33").impact] == ["It's 4% of checkouts, not 6"]


def test_the_next_update_is_told_until_it_is_over() -> None:
    assert (promise := until("09:57").next_update) is not None
    assert promise.text == "Next update at 10:15"
    assert until("10:33").next_update is None


def test_the_order_of_the_messages_does_not_matter() -> None:
    messages = list(channel(OUTAGE))
    expected = summarize(messages)
    random.Random(3).shuffle(messages)
    assert summarize(messages) == expected


@pytest.mark.parametrize(
    "said",
    [
        "game day on friday, scenario: checkout down, SEV1 for everybody",
        "lunch?",
        "room Aurora is booked",
    ],
)
def test_a_channel_without_an_incident_has_none(said: str) -> None:
    found = summarize(channel(f"10:00 Ann: {said}\n10:05 Bob: haha, impact: 100% of ann\n10:06 Cy: pizza first"))
    assert found.status.state == "none"
    assert all(not getattr(found, name) for name in SECTIONS)


def test_two_incidents_in_one_channel_do_not_end_each_other() -> None:
    found = summarize(
        channel("""
        10:00 Alertmanager*: [FIRING:1] CheckoutLatencyHigh (checkout-api prod) p95 4.2s > 1s
        10:04 Ana: SEV2 for the checkout latency, I'm IC
        10:06 Ben: separate thing: mail-relay is bouncing 22% of order confirmations, I'm opening SEV3 for that
        10:08 Ana: Impact: checkout p95 4.2s, about 3% of checkouts time out
        10:09 Ben: Impact mail: roughly 14,000 confirmation mails bounced since 09:40
        10:11 Cid: checkout pods are at 98% cpu since deploy checkout-api 5.1 at 09:52
        10:12 Dee: mail: the SPF record of mail-relay was changed yesterday
        10:14 Ana: @Cid roll back checkout-api to 5.0
        10:15 Ben: @Dee please revert the SPF change of mail-relay
        10:26 Cid: checkout p95 back to normal, 310ms
        10:27 Ana: checkout latency is resolved
        10:55 Ben: mail bounce rate still 11%
        """)
    )
    assert found.status.state in {"investigating", "identified"}
    assert any("checkouts" in line.text for line in found.impact)
    assert any("14,000" in line.text for line in found.impact)
    assert not any("checkout" in line.text.lower() and "mail" in line.text.lower() for line in found.known)


@given(
    st.lists(st.builds(lambda s, t, b: (s, t, b), st.integers(0, 5), st.text(max_size=200), st.booleans()), max_size=12)
)
def test_any_messages_can_be_summed_up(said: list[tuple[int, str, bool]]) -> None:
    messages = [
        ChannelMessage(ts=f"{1_763_632_330 + i * 30}.{i:06}", user=f"U{who}", name=f"P{who}", text=text, bot=bot)
        for i, (who, text, bot) in enumerate(said)
    ]
    found = summarize(messages)
    known = {m.ts for m in messages}
    for name in (*SECTIONS, "timeline"):
        for line in getattr(found, name):
            assert line.text.strip()
            assert line.ts
            assert set(line.ts) <= known


def test_an_incident_that_turns_out_an_exercise_was_one_all_the_same() -> None:
    found = summarize(
        channel(
            "09:00 GuardDuty*: [HIGH] console sign-in from an unusual country, user build-admin\n"
            "09:02 nora: sev2, I'm IC. somebody signs in as build-admin from abroad\n"
            "09:03 teo: looking at the sign-in log\n"
            "09:05 teo: 14 sign-ins failed since 08:40, two went through\n"
            "09:06 nora: teo revoke the sessions of build-admin\n"
            "09:08 teo: sessions revoked\n"
            "09:10 ida: nothing was downloaded as far as I see\n"
            "09:12 nora: next update 09:30\n"
            "09:14 ida: the address belongs to a hosting provider\n"
            "09:16 teo: same agent on both\n"
            "09:18 nora: ida call the bank's security desk please\n"
            "09:20 ida: on it\n"
            "09:22 teo: no new sign-ins\n"
            "09:25 nora: keep build-admin disabled\n"
            "09:30 olaf: that was our red team, it's an exercise\n"
            "09:31 nora: an exercise? since when\n"
            "09:32 olaf: planned exercise, the letter went to the wrong list\n"
            "09:33 teo: an exercise. great\n"
            "09:35 nora: false alarm then, it was the red team's exercise. closing\n"
            "09:36 ida: exercise of my patience"
        )
    )
    assert found.status.state == "false_alarm"
    assert found.severity == "SEV2"
    assert found.tried


def test_what_went_wrong_needs_no_program_to_be_an_incident() -> None:
    found = summarize(
        channel(
            "07:40 ora: the counter in Graz has two families with the same room, both paid\n"
            "07:42 ora: I take the lead, ben please ask the hotel desk\n"
            "07:50 ben: desk says the allotment was entered by hand last night and entered again at six\n"
            "07:55 ora: 34 guests are without a room for tonight as of now\n"
            "08:00 ora: next update at 08:30\n"
            "08:10 ben: 20 of them have a room in the house across the street"
        )
    )
    assert found.status.state == "investigating"
    assert any("34 guests" in line.text for line in found.impact)
