"""Channels of incidents, from Slack's events to one pinned summary: the app, a worker and a local Slack."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import BROKEN, ROLLED_BACK, House, run_house
from tests.support.slack_payloads import wait_for
from workers.bootstrap import build_engine
from workers.contracts import Deploy
from workers.delivery import action_ids
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.summary.snapshot import read_snapshot
from workers.ports import Place
from workers.requests.lease_runner import work_on
from workers.store.channel_leases import CHANNELS
from workers.store.channel_messages import load_messages
from workers.store.channels import ChannelSettings, change_channel
from workers.store.deploys import record_deploys
from workers.store.tables import followed_channels
from workers.store.unprompted_posts import wants_nothing


@pytest.fixture(scope="module")
def house(module_home: Path) -> Iterator[House]:
    with run_house(module_home) as found:
        yield found


# --- found, heard, shown ------------------------------------------------------------------------------------------


def test_an_incident_channel_has_one_pinned_summary_that_follows_what_is_said(house: House) -> None:
    channel = house.followed_channel()
    assert "SEV2" in house.shown(channel)
    assert house.channel(channel)["pins"]
    assert (house.team, channel) in house.rung
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    assert (house.team, channel) in CHANNELS.sweep(house.database)
    house.work(channel)
    assert "➕" in house.shown(channel)
    assert "no effect" in house.shown(channel)


def test_its_links_open_the_messages_that_lines_rest_on(house: House) -> None:
    channel = house.make()
    ts = house.say(channel, BROKEN)
    reply = house.say(channel, "rolled back the payments deploy", thread_ts=ts)
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    (message,) = house.ours(channel)
    links = json.dumps(message["blocks"])
    chat, place = house.worker.chats(house.team), Place(channel, team=house.team)
    assert chat.permalink(place, ts) in links
    assert chat.permalink(place, reply) in links


def test_edits_deletions_reactions_threads_and_bots_end_as_slack_has_them(house: House) -> None:
    channel = house.make()
    first = house.say(channel, "p95 is 3 s")
    second = house.say(channel, "never mind")
    house.say(channel, "in the thread", user="tomas", thread_ts=first)
    house.slack.control("edit", {"channel": channel, "ts": first, "text": "p95 is 2 s", "user": "maya"})
    house.slack.control("delete", {"channel": channel, "ts": second, "user": "maya"})
    for user, name in (("tomas", "eyes"), ("priya", "eyes"), ("tomas", "fire"), ("tomas", "fire")):
        house.slack.control("reaction", {"channel": channel, "ts": first, "name": name, "user": user})
    house.work(channel)

    def settled() -> bool:
        found = {m.ts: m for m in load_messages(house.database, house.team, channel) if m.said}
        one = found.get(first)
        return bool(
            one
            and second not in found
            and one.text == "p95 is 2 s"
            and one.edited_at
            and {k: len(v) for k, v in one.reactions.items()} == {"eyes": 2}
            and [m.text for m in found.values() if m.thread_ts == first] == ["in the thread"]
        )

    wait_for(settled)


def test_what_was_said_before_the_app_came_is_read_with_its_threads(house: House) -> None:
    channel = house.make(guests=[])
    first = house.say(channel, BROKEN)
    house.say(channel, "looking", user="tomas", thread_ts=first)
    for number in range(30):
        house.say(channel, f"note {number}")
    house.slack.control("invite", {"channel": channel, "user": "oracle"})
    wait_for(lambda: house.state(channel))
    house.work(channel)
    assert len(house.heard(channel)) == 32
    state = house.state(channel)
    assert state is not None
    assert (state.read_done, state.why) == (True, "name")


def test_a_channel_that_is_renamed_or_gets_a_marker_is_found(house: House) -> None:
    house.slack.control("rename", {"channel": "incidents", "name": "inc-payments"})
    payments = house.channel("inc-payments")["id"]
    wait_for(lambda: house.state(payments))
    search = house.channel("general")["id"]
    house.slack.control("topic", {"channel": search, "topic": "🚨 search is down", "user": "maya"})
    wait_for(lambda: house.state(search))
    for channel, why in ((payments, "name"), (search, "topic")):
        house.work(channel)
        state = house.state(channel)
        assert state is not None
        assert (state.state, state.why) == ("following", why)
        assert len(house.ours(channel)) == 1


def test_an_ordinary_channel_and_one_that_is_off_get_nothing(house: House) -> None:
    ordinary = house.make("team-lunch")
    house.work(ordinary)
    assert house.ours(ordinary) == []
    channel = house.make("inc-43", guests=[])
    change_channel(house.database, house.team, channel, ChannelSettings(mode="off"), "U1")
    house.slack.control("invite", {"channel": channel, "user": "oracle"})
    house.say(channel, BROKEN)
    house.say(ordinary, "marker")
    wait_for(lambda: joined(house, channel) and joined(house, ordinary))
    house.work(channel)
    assert house.ours(channel) == []
    assert house.heard(channel) == []


def joined(house: House, channel: str) -> bool:
    """Whether the app was told that it came into a channel."""
    found = house.slack.get("deliveries", type="member_joined_channel", payload=True)["deliveries"]
    return any(event["acknowledged"] and event["payload"]["event"]["channel"] == channel for event in found)


def test_an_archived_channel_is_left_and_read_anew_when_it_is_opened(house: House) -> None:
    channel = house.followed_channel()
    house.slack.control("archive", {"channel": channel, "user": "maya"})
    wait_for(lambda: (found := house.state(channel)) and found.state == "left")
    house.slack.control("unarchive", {"channel": channel, "user": "maya"})
    wait_for(lambda: (found := house.state(channel)) and found.state == "found")
    house.work(channel)
    assert BROKEN in house.heard(channel)
    assert len(house.ours(channel)) == 1


def test_slack_that_is_cut_off_while_the_message_is_posted_shows_it_once(house: House) -> None:
    channel = house.make()
    house.say(channel, BROKEN)
    wait_for(lambda: house.heard(channel) == [BROKEN])
    house.slack.control("faults", {"method": "chat.postMessage", "action": "drop_after", "times": 1})
    house.work(channel)
    assert len(house.ours(channel)) == 1


# --- people -------------------------------------------------------------------------------------------------------


def test_a_declared_incident_is_followed_until_it_is_resolved(house: House) -> None:
    channel = house.channel("search")["id"]
    house.say(channel, BROKEN)
    assert house.type(channel, 'incident "Checkout fails"') == "Declared."
    house.work(channel)
    assert "Checkout fails" in house.shown(channel)
    assert "SEV2" in house.shown(channel)
    house.type(channel, "resolve rolled back")
    house.work(channel)
    opening = house.ours(channel)[0]
    assert "resolved" in all_words(opening)
    state = house.state(channel)
    assert state is not None
    assert state.state == "left"


def test_a_second_incident_of_a_channel_tells_nothing_of_the_first(house: House) -> None:
    channel = house.followed_channel()
    house.type(channel, "resolve")
    house.work(channel)
    house.type(channel, 'incident "Search is down"')
    house.work(channel)
    house.say(channel, "search answers 503 for all customers")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    opening = next(m for m in house.ours(channel) if "Search is down" in all_words(m))
    for told in (all_words(opening), house.type(channel, "catchup")):
        assert "503" in told
        assert "502" not in told


def test_pause_resume_and_update(house: House) -> None:
    channel = house.followed_channel()
    assert "Paused" in house.type(channel, "pause")
    house.work(channel)
    assert "Paused" in house.shown(channel)
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    house.work(channel)
    assert "no effect" not in house.shown(channel)
    before = len(house.channel(channel)["ephemerals"])
    house.press(channel, action_ids.INCIDENT_PAUSE)
    assert "I go on. Meanwhile: Rollback done, no effect" in house.told(channel, before)
    house.work(channel)
    assert "no effect" in house.shown(channel)
    house.press(channel, action_ids.INCIDENT_UPDATE)
    assert "looking at it again" in house.told(channel, before + 1)
    house.type(channel, "pause")
    assert "I go on. Nothing that was said meanwhile" in house.type(channel, "resume")


def test_how_it_stands_is_told_in_a_pause_too(house: House) -> None:
    channel = house.followed_channel()
    house.type(channel, "pause")
    house.say(channel, "I'm IC for this", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    told = " ".join(house.type(channel, "incident status").split())
    assert "Paused: my message there stays as it was since " in told
    assert "Lead: @tomas" in told
    assert "lead @tomas" not in house.shown(channel)


def test_whoever_catches_up_before_anybody_was_named_sees_no_ids(house: House) -> None:
    channel = house.make()
    house.say(channel, BROKEN)
    house.say(channel, "I'm IC, @priya please update the status page", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    told = house.type(channel, "catchup")
    assert "lead @tomas" in told
    assert "@priya: " in told
    assert not re.search(r"\bU[A-Z0-9]{5,}\b", told)


def test_pause_where_there_is_no_incident(house: House) -> None:
    channel = house.channel("payments")["id"]
    assert "I am not paused here" in house.type(channel, "resume")
    assert "I say nothing here that nobody asked for" in house.type(channel, "pause")
    assert wants_nothing(house.database, house.team, channel)
    assert "paused here already" in house.type(channel, "pause")
    assert "I go on." in house.type(channel, "resume")
    assert not wants_nothing(house.database, house.team, channel)


def test_catch_up_since_someone_last_looked(house: House) -> None:
    channel = house.followed_channel()
    assert "SEV2" in house.type(channel, "catchup")
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    told = house.type(channel, "catchup")
    assert "when you last looked" in told
    assert "no effect" in told
    assert "Customers see 502" not in told
    assert "Customers see 502" in house.type(channel, "catchup 2h for stakeholders")


def test_one_person_is_told_what_the_pinned_message_says(prepared_home: Path) -> None:
    with run_house(prepared_home, {"oracle.incidents.reactions": {"ship": "done"}}) as house:
        went_out = datetime.now(UTC) - timedelta(minutes=10)
        deploy = Deploy(service="checkout", environment="production", version="v7", commit="abc1234", at=went_out)
        record_deploys(house.database, [deploy])
        channel = house.make()
        house.say(channel, BROKEN)
        task = house.say(channel, "@tomas please update the status page")
        house.slack.control("reaction", {"channel": channel, "ts": task, "name": "ship", "user": "tomas"})
        wait_for(lambda: any(m.reactions for m in house.kept(channel)))
        house.work(channel)
        for told in (house.shown(channel), house.type(channel, "catchup")):
            assert "deploy: " in told
            assert "v7" in told
            assert "☑" in told


def test_what_was_said_meanwhile_where_people_declared_an_incident(house: House) -> None:
    channel = house.make("checkout-team")
    house.type(channel, 'incident "Checkout fails"')
    house.say(channel, "hi all")
    wait_for(lambda: house.heard(channel))
    house.work(channel)
    house.type(channel, "pause")
    house.say(channel, "rolled back payments to v1")
    wait_for(lambda: len(house.heard(channel)) == 2)
    assert "I go on. Meanwhile: Rolled back payments to v1" in house.type(channel, "resume")


def test_a_second_look_at_nothing_new_is_one_line(house: House) -> None:
    channel = house.followed_channel()
    house.type(channel, "catchup")
    house.say(channel, "lunch?")
    wait_for(lambda: "lunch?" in house.heard(channel))
    told = house.type(channel, "catchup")
    assert "Nothing new since you looked (" in " ".join(told.split())
    assert "SEV2 · investigating" in told
    assert "Impact" not in told
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    assert "no effect" in house.type(channel, "catchup")


def test_whoever_has_seen_nothing_is_told_all_of_it_in_plain_words(house: House) -> None:
    channel = house.followed_channel()
    house.say(channel, "found it: the pgbouncer pool of checkout-db is exhausted", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    assert "pgbouncer" in house.type(channel, "catchup")
    for whom in ("for stakeholders", "for my boss", "for the CEO", "stakeholders"):
        told = house.type(channel, f"catchup {whom}")
        assert "for stakeholders" in told, whom
        assert "Customers see 502" in told, whom
        plain = told.partition("for stakeholders")[2].partition("Impact")[2]
        assert "pgbouncer" not in plain, whom
        assert "The cause is known; it is told in technical words there." in plain, whom


def test_how_an_incident_stands_is_a_line_each_with_its_message(house: House) -> None:
    channel = house.followed_channel()
    told = " ".join(house.type(channel, "incident status").split())
    for line in ("Severity: SEV2", "State: investigating", "Since: ", "open for", "Lead: nobody", "Next update: none"):
        assert line in told
    house.say(channel, "I'm IC for this. Next update at 14:30 UTC", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    told = " ".join(house.type(channel, "incident status").split())
    assert "Lead: @tomas" in told
    assert "Next update at 14:30" in told
    pinned = house.worker.chats(house.team).permalink(Place(channel, team=house.team), house.ours(channel)[0]["ts"])
    assert pinned in json.dumps(house.channel(channel)["ephemerals"][-1])


def test_catch_up_in_a_channel_that_is_not_followed(house: House) -> None:
    channel = house.make("shop-team")
    house.say(channel, BROKEN)
    assert "SEV2" in house.type(channel, "catchup 2h")
    quiet = house.make("lunch-team")
    house.say(quiet, "lunch?")
    assert "saw no incident" in house.type(quiet, "catchup 2h")


def test_a_newcomer_is_offered_to_be_told(house: House) -> None:
    channel = house.make(is_private=True)
    house.say(channel, BROKEN)
    wait_for(lambda: house.heard(channel) == [BROKEN])
    house.work(channel)
    house.slack.control("invite", {"channel": channel, "user": "priya"})
    (note,) = wait_for(lambda: house.channel(channel)["ephemerals"])
    assert "An incident is open here" in all_words(note["message"])
    assert action_ids.INCIDENT_CATCHUP in json.dumps(note["message"])


def test_a_person_corrects_the_timeline_and_it_stays(house: House) -> None:
    channel = house.followed_channel()
    send(house, window(house, channel), when="2026-11-20 14:05", text="the gateway ran out of sockets")
    house.work(channel)
    assert "the gateway ran out of sockets" in house.shown(channel)
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    house.work(channel)
    assert "the gateway ran out of sockets" in house.shown(channel)


def window(house: House, channel: str, entry: str = "") -> dict[str, Any]:
    """The window for the timeline, turned to an entry whose text holds some words."""
    before = len(house.slack.get("state")["views"])
    house.press(channel, action_ids.INCIDENT_EDIT)
    view = wait_for(lambda: len(found := house.slack.get("state")["views"]) > before and found)[-1]
    if not entry:
        return dict(view)
    menu = view["blocks"][0]["accessory"]
    value = next(o["value"] for o in menu["options"] if entry in o["text"]["text"])
    body = {
        "view_id": view["id"],
        "block_id": "pick",
        "action_id": action_ids.TIMELINE_PICK,
        "value": value,
        "user": "you",
    }
    assert house.slack.control("action", body)["ok"]
    key = json.dumps(value)[1:-1]

    def turned() -> dict[str, Any] | None:
        now = next(v for v in house.slack.get("state")["views"] if v["id"] == view["id"])
        return now if json.loads(now["private_metadata"]).get("entry") == key else None

    return dict(wait_for(turned))


def send(house: House, view: dict[str, Any], **given: Any) -> None:
    """Submit the window with what its fields hold, and what is given instead."""
    key = json.loads(view["private_metadata"])["entry"]
    kind = {"type": "static_select", "selected_option": {"value": given.get("kind", "finding")}}
    values: dict[str, Any] = {f"kind:{key}": {"kind": kind}}
    for part in ("when", "text"):
        if part in given:
            values[f"{part}:{key}"] = {part: {"type": "plain_text_input", "value": given[part]}}
    if given.get("remove"):
        ticked = {"type": "checkboxes", "selected_options": [{"value": "remove"}]}
        values[f"remove:{key}"] = {"remove": ticked}
    sent = {"view_id": view["id"], "state": {"values": values}, "user": "you"}
    answer = house.slack.control("view", sent)
    assert answer["ok"], answer
    assert "errors" not in answer


def timeline(house: House, channel: str) -> list[tuple[str, str, str]]:
    """What the kept summary has as its timeline: when, kind, text."""
    state = house.state(channel)
    last = read_snapshot(state.summary) if state else None
    assert last is not None
    return [(f"{e.at:%Y-%m-%d %H:%M}", e.kind, e.text) for e in last.summary.timeline]


def test_entries_are_added_changed_and_removed_and_that_wins_after_more_is_said_and_a_restart(
    house: House,
) -> None:
    channel = house.followed_channel()
    house.say(channel, "rolled back the 09:12 deploy of payments", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    send(house, window(house, channel), when="2026-11-20 14:05", text="the gateway ran out of sockets")
    send(house, window(house, channel, "SEV2"), when="2026-11-20 14:01", kind="declared", text="declared by maya")
    send(house, window(house, channel, "olled back"), remove=True)
    house.work(channel)
    wanted = {
        ("2026-11-20 14:05", "finding", "the gateway ran out of sockets"),
        ("2026-11-20 14:01", "declared", "declared by maya"),
    }
    assert wanted <= set(timeline(house, channel))
    assert not any("olled back" in text for _, _, text in timeline(house, channel))
    house.say(channel, ROLLED_BACK)
    wait_for(lambda: ROLLED_BACK in house.heard(channel))
    house.work(channel)
    assert wanted <= set(timeline(house, channel))
    assert not any("09:12" in text for _, _, text in timeline(house, channel))
    worker, team = house.worker, house.team
    assert "declared by maya" in house.shown(channel)
    again = build_engine(worker.oracle.settings)
    try:
        restarted = replace(worker, oracle=again)
        house.say(channel, "still looking at the sockets", user="priya")
        wait_for(lambda: len(house.heard(channel)) == 4)
        with again.store.database.begin(exclusive=True) as connection:
            connection.execute(update(followed_channels).values(wait_until=0.0, due_at=0.0))
        work_on(restarted, CHANNEL_WORK, (team, channel))
        assert wanted <= set(timeline(house, channel))
        assert not any("09:12" in text for _, _, text in timeline(house, channel))
    finally:
        again.close()


def test_an_entry_that_people_added_is_changed_twice_and_removed(house: House) -> None:
    channel = house.followed_channel()
    send(house, window(house, channel), when="2026-11-20 14:05", text="the gateway ran out of sockets")
    house.work(channel)
    send(house, window(house, channel, "out of sockets"), when="2026-11-20 14:07", text="payments ran out of sockets")
    house.work(channel)
    send(house, window(house, channel, "out of sockets"), text="payments ran out of file handles")
    house.work(channel)
    found = [moment for moment in timeline(house, channel) if "ran out of" in moment[2]]
    assert found == [("2026-11-20 14:07", "finding", "payments ran out of file handles")]
    send(house, window(house, channel, "file handles"), remove=True)
    house.work(channel)
    assert not [moment for moment in timeline(house, channel) if "ran out of" in moment[2]]


def test_a_clock_time_alone_is_of_the_incidents_day_in_the_persons_zone(house: House) -> None:
    channel = house.followed_channel()
    view = window(house, channel)
    hint = view["blocks"][1]["hint"]["text"]
    near = datetime.fromisoformat(json.loads(view["private_metadata"])["near"])
    assert f"{near:%H:%M}" in hint
    assert f"{near:%Y-%m-%d}" in hint
    send(house, view, when=f"{near:%H:%M}", text="the gateway ran out of sockets")
    house.work(channel)
    wanted = (f"{near.astimezone(UTC):%Y-%m-%d %H:%M}", "finding", "the gateway ran out of sockets")
    assert wanted in timeline(house, channel)


def test_catch_up_in_one_thread_by_its_link(house: House) -> None:
    channel = house.followed_channel()
    root = house.say(channel, "SEV3: the search page is slow for all customers, p95 is 9 s")
    reply = house.say(channel, "found it: the cache of search is cold since the deploy", user="tomas", thread_ts=root)
    wait_for(lambda: len(house.heard(channel)) == 3)
    house.work(channel)
    send(house, window(house, channel), text="the gateway ran out of sockets")
    send(house, window(house, channel, "cache of search"), text="the cache was emptied")
    (corrected, added) = ("the cache was emptied", "the gateway ran out of sockets")
    house.work(channel)
    assert {corrected, added} <= {text for _, _, text in timeline(house, channel)}
    title = house.channel(channel)["name"].removeprefix("inc-").replace("-", " ")
    assert title in house.shown(channel)
    link, of_reply = (
        house.worker.chats(house.team).permalink(Place(channel, team=house.team), ts) for ts in (root, reply)
    )
    assert "thread_ts=" in of_reply
    for one in (link, of_reply):
        told = house.type(channel, f"catchup {one}")
        assert "This thread" in told
        assert "SEV3" in told
        assert "cache of search is cold" in told
        assert corrected in told
        assert added not in told
        assert title not in told
        assert "Customers see 502" not in told
    other = house.channel("search")["id"]
    assert "another channel" in house.type(other, f"catchup {link}")
