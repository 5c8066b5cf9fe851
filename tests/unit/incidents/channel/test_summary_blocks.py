"""The message of an incident's channel: within Slack's limits whatever the summary holds, each line with its links."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.bolt_with_ledger import all_words, incident
from workers.delivery import action_ids
from workers.delivery.block_limits import check_post
from workers.delivery.rich_text import words
from workers.incidents.channel.summary_blocks import Shown, address_of, render_incident, render_told
from workers.incidents.summary.summary_types import SECTIONS, ActionItem, Entry, IncidentStatus, Line, Summary
from workers.ports import Post

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TS = "1763733600.000100"
ADDRESS = "https://acme.slack.com/archives/C1/p1763733600000100"
REPLY = "1763733700.000200"


def summary(**more: Any) -> Summary:
    standing = IncidentStatus(text="Error rate is 5 %", ts=(TS,), state="investigating")
    return Summary(
        title="Checkout errors", severity="SEV2", status=standing, since=NOON - timedelta(minutes=48), **more
    )


def shown(told: Summary, **more: Any) -> Shown:
    given: dict[str, Any] = {"summary": told, "incident": incident(title="Checkout errors"), "now": NOON}
    return Shown(**(given | {"address": ADDRESS, "threads": {REPLY: TS}} | more))


def links_of(post: Post) -> list[str]:
    found: list[str] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            found.extend([part["url"]] if part.get("type") == "link" else [])
            part = list(part.values())
        if isinstance(part, list | tuple):
            for inner in part:
                walk(inner)

    walk(post.blocks)
    return found


def test_the_head_says_title_severity_state_and_how_long() -> None:
    text = all_words(list(render_incident(shown(summary())).blocks))
    assert "Checkout errors · SEV2 · investigating" in text
    assert "(48 min)" in text


def test_every_line_opens_the_messages_it_rests_on() -> None:
    post = render_incident(shown(summary(tried=(Line(text="rolled back", ts=(REPLY,)),))))
    assert f"https://acme.slack.com/archives/C1/p1763733700000200?thread_ts={TS}&cid=C1" in links_of(post)
    assert ADDRESS in links_of(post)


def test_addresses_are_made_only_from_one_that_is() -> None:
    assert (
        address_of(f"{ADDRESS}?thread_ts={TS}&cid=C1", REPLY) == "https://acme.slack.com/archives/C1/p1763733700000200"
    )
    for wrong in ("", "https://acme.slack.com", "https://acme.slack.com/p1"):
        assert address_of(wrong, TS) == ""


def test_actions_say_whose_they_are_and_whether_they_are_done() -> None:
    items = (ActionItem(text="status page", ts=(TS,), owner="comms", done=True), ActionItem(text="failover", ts=(TS,)))
    text = all_words(list(render_incident(shown(summary(action_items=items))).blocks))
    assert "☑  @comms:  status page" in text
    assert "☐  failover" in text


@pytest.mark.parametrize(("hours", "form"), [(11, "{time}"), (13, "{date_short_pretty} at {time}")])
def test_moments_of_a_short_incident_need_no_day(hours: int, form: str) -> None:
    ends = (NOON - timedelta(hours=hours), NOON)
    timeline = tuple(Entry(text="a moment", ts=(TS,), at=at, kind="other") for at in ends)
    formats = re.findall(r'"format": "([^"]+)"', json.dumps(render_incident(shown(summary(timeline=timeline))).blocks))
    assert formats[-2:] == [form, form]


def test_what_is_cut_is_counted_and_the_weightiest_moments_stay() -> None:
    timeline = [Entry(text=f"note {n} " + "x" * 200, ts=(TS,), at=NOON, kind="other") for n in range(200)]
    timeline[3] = Entry(text="the deploy", ts=(TS,), at=NOON, kind="deploy")
    post = render_incident(shown(summary(timeline=tuple(timeline))))
    assert check_post(post) == []
    text = all_words(list(post.blocks))
    assert "the deploy" in text
    assert "note 199" in text
    assert "more" in text


def test_what_programs_alone_told_of_pushes_out_nothing_that_people_wrote() -> None:
    at = [NOON + timedelta(minutes=n) for n in range(25)]
    timeline = [Entry(text=f"v{n} went out", evidence=("E1",), at=at[n], kind="deploy") for n in range(25)]
    timeline[0] = Entry(text="checkout fails", ts=(TS,), at=at[0], kind="detected")
    timeline[1] = Entry(text="Since the holiday", at=at[1], kind="declared")  # somebody added it
    text = all_words(list(render_incident(shown(summary(timeline=tuple(timeline)))).blocks))
    assert "checkout fails" in text
    assert "Since the holiday" in text
    assert "v24 went out" in text


def test_states_of_reading_pausing_and_an_empty_channel() -> None:
    nothing = Summary(title="", status=IncidentStatus(text="", ts=(), state="none"))
    text = all_words(list(render_incident(shown(nothing, reading=1_200, paused=True)).blocks))
    assert "I see no incident here yet" in text
    assert "Reading earlier messages: 1,200 so far" in text
    assert "Paused" in text
    assert "Resume" in text
    assert "Update now" not in text


def test_a_resolved_incident_is_no_longer_renewed() -> None:
    over = incident(status="resolved", resolved_at=NOON, resolved_by="U1", title="Checkout errors")
    post = render_incident(shown(summary(), incident=over))
    assert "resolved" in all_words(list(post.blocks))
    assert action_ids.INCIDENT_UPDATE not in json.dumps(post.blocks)
    assert action_ids.INCIDENT_PAUSE not in json.dumps(post.blocks)


def test_nothing_that_is_quoted_pings_anybody() -> None:
    lines = (Line(text="<!channel> <@U1ABC> ask @here", ts=(TS,)),)
    post = render_incident(shown(summary(known=lines), changes=("<@U1ABC> did it",), before=NOON))
    kinds = json.dumps(post.blocks)
    assert '"type": "user"' not in kinds
    assert '"type": "mrkdwn"' not in kinds
    assert "<!" not in post.text
    assert "<@" not in post.text


TEXTS = st.text(max_size=400)
LINES = st.lists(st.builds(Line, text=TEXTS, ts=st.just((TS, REPLY))), max_size=12).map(tuple)
PARTS = st.fixed_dictionaries({}, optional={name: LINES for name in SECTIONS if name != "action_items"})
ENTRIES = st.lists(
    st.builds(Entry, text=TEXTS, ts=st.just((TS,)), at=st.just(NOON), kind=st.just("alert")), max_size=40
)


@given(PARTS, ENTRIES, TEXTS, TEXTS, st.lists(TEXTS, max_size=4))
def test_any_summary_fits(
    parts: dict[str, Any], entries: list[Entry], title: str, said: str, changes: list[str]
) -> None:
    status = IncidentStatus(text=said, ts=(TS,), state="mitigated")
    told = Summary(title=title, severity=title[:10], status=status, timeline=tuple(entries), **parts)
    whole = shown(told, incident=incident(title=title), changes=changes, before=NOON)
    assert check_post(render_incident(whole)) == []
    assert check_post(render_told(whole, words("So far"))) == []
