"""What subcommands and the Home tab say: the right words, and nothing that Slack refuses, whatever was written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.views import View

from bot.views.catchup import MOST_ASKED, Caught, catchup_post, outcome
from bot.views.help import manual
from bot.views.home import Home, closed_view, home_view
from bot.views.incident import (
    Known,
    already_post,
    ended_post,
    no_incident_post,
    note_post,
    opening_post,
    resolved_post,
    state_post,
)
from bot.views.notice import notice_view
from bot.views.settings import MODES, VERBOSITIES, read_settings, settings_view
from bot.views.status import Health, sources_post, status_post
from slack_sandbox.block_validation import check_blocks
from slack_sandbox.block_validation import check_view as check_as_slack
from slack_sandbox.state import State as Workspace
from tests.support.bolt_with_ledger import HOUR, LANDSCAPE, NOON, all_words, asked, incident, submitted
from tests.support.payload_reading import window_of
from workers.contracts import Landscape
from workers.delivery.block_limits import check_post, check_view
from workers.delivery.rich_text_blocks import ago, lasted, post_of
from workers.incidents.summary.snapshot import Snapshot
from workers.incidents.summary.summary_types import IncidentStatus, Lead, State, Summary
from workers.ports import Post
from workers.store.channels import ChangedChannel, ChannelSettings, Mode, Verbosity
from workers.store.feedback import Tally
from workers.store.request_jobs import Asked, Stage
from workers.store.source_refreshes import Source

SLACK = Workspace("T1", "Team", "team", "U1", "U0APP", "B1", "A1")
NASTY = [
    "<!channel> <@U1> & `x` *b*",
    "\u202e\u0634\u0628",
    "🔥" * 400,
    "a" * 5_000,
    '"\\' * 600,
    "\x00\ud800",
    "",
    " \n",
]
WORDS = st.sampled_from(NASTY) | st.text(max_size=60)


def fits(post: Post) -> Post:
    assert check_post(post) == []
    check_blocks(SLACK, json.loads(json.dumps(post.blocks)))
    return post


def shows(view: dict[str, Any]) -> dict[str, Any]:
    assert check_view(view) == []
    check_as_slack(SLACK, json.loads(json.dumps(view)), kind=view["type"])
    View(**view).validate_json()
    return view


def source(**changes: Any) -> Source:
    shared: dict[str, Any] = {
        "name": "repo_search",
        "lines": (("shop at 4f2c1ab, 42 files indexed", True),),
        "ok": True,
    }
    moments = {"checked_at": NOON - timedelta(minutes=3), "fresh_at": NOON - timedelta(minutes=3)}
    return Source(**(shared | moments | changes))


def home(**changes: Any) -> Home:
    shared: dict[str, Any] = {
        "user": "U1",
        "health": Health(sources=(source(),), version="1.2"),
        "recent": (asked(),),
        "examples": ("Why is /api/zones slow?",),
        "landscape": LANDSCAPE,
        "command": "/oracle",
    }
    return Home(**(shared | changes))


# --- spans ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "1 h"),
        (7_500, "2 h 5 min"),
        (86_400, "1 day"),
        (260_000, "3 days"),
    ],
)
def test_spans_as_people_say_them(seconds: float, said: str) -> None:
    assert lasted(seconds) == said
    assert ago(NOON - timedelta(seconds=seconds), NOON) == ("just now" if seconds < 60 else f"{said} ago")


# --- status and sources ---------------------------------------------------------------------------------------


def test_a_quiet_day() -> None:
    said = all_words({"blocks": list(fits(status_post(Health(sources=(source(),), version="1.2"), NOON)).blocks)})
    assert said.startswith("Everything works.")
    for part in ("Database: answers", "Questions: none open", "Version: 1.2"):
        assert part in said


def test_who_waits_sees_how_many_are_before_them() -> None:
    mine = ((asked(1, stage="plan", headline=""), 3), (asked(2, stage="waiting", headline="Which one?"), None))
    working = asked(3, stage="plan", headline="")
    health = Health(sources=(), open=4, waiting=1, oldest_s=200, mine=mine, said=Tally(5, 2, (("wrong", 2),)))
    said = all_words({"blocks": list(fits(status_post(health, NOON)).blocks)})
    assert "Working, but a question has waited for 3 min." in said
    assert "4 open, the oldest for 3 min; 1 waiting for someone's reply" in said
    assert "3 questions before it" in said
    assert "waits for your reply" in said
    assert "5 good, 2 bad (most often: wrong)" in said
    said = all_words({"blocks": list(status_post(Health((), mine=((working, None), (working, 0))), NOON).blocks)})
    assert "being worked on" in said
    assert "· next ·" in said


def test_sources_say_when_they_were_read_and_what_is_wrong() -> None:
    found = (
        source(name="doc_search", lines=(("docs: 12 documents", True), ("wiki: gone", False)), ok=False, fresh_at=None),
        source(lines=(("shop: gone", False),), ok=False, fresh_at=NOON - 2 * HOUR),
        source(name="old", lines=(("as it was", True),), checked_at=NOON - HOUR),
    )
    said = all_words({"blocks": list(fits(sources_post(found, LANDSCAPE, NOON)).blocks)})
    assert "Documents  · docs: 12 documents · read 3 min ago" in said
    assert "Documents  · wiki: gone · ⚠️ tried 3 min ago" in said
    assert "Code  · shop: gone · ⚠️ tried 3 min ago; all was last read 2 h ago" in said
    assert "old  · as it was · ⚠️ not looked at again, read 1 h ago" in said
    assert "1 metric known, read anew for every question" in said
    assert "3 sources have trouble" in all_words({"blocks": list(status_post(Health(found), NOON).blocks)})


def test_nothing_was_read_yet() -> None:
    assert "No source has been read yet" in fits(sources_post((), Landscape(), NOON)).text


def test_many_lines_end_with_how_many_more() -> None:
    lines = tuple(("é🔥" * 200, True) for _ in range(40))
    many = tuple(source(name=f"s{n}", lines=lines) for n in range(10))
    said = fits(sources_post(many, LANDSCAPE, NOON)).text
    assert "and 32 more" in said
    assert "and 75 more" in said


# --- catch-up -------------------------------------------------------------------------------------------------


def test_what_happened_here() -> None:
    ended = incident(2, status="resolved", resolved_by="U2", resolved_at=NOON, title="Search *slow*")
    caught = Caught(
        since=NOON - 24 * HOUR,
        asked=(asked(2, stage="waiting", headline="Which `one`?"), asked(1)),
        more=False,
        incidents=(ended, incident(1)),
        said=Tally(good=1),
        links={"abcdef000001": "https://team.slack.com/archives/C1/p1001"},
    )
    post = fits(catchup_post(caught))
    said = all_words({"blocks": list(post.blocks)})
    assert "2 questions, 2 incidents" in said
    assert "“why is search slow?”  → Which one?  (waits for a reply)" in said
    assert said.count("It was the deploy") == 1
    assert "still open" in said
    assert "resolved after 1 h by" in said
    assert "1 good, 0 bad" in said
    assert "I have not read the channel's other messages" in said
    assert '"url": "https://team.slack.com/archives/C1/p1001"' in json.dumps(post.blocks)


def test_nothing_happened_here() -> None:
    post = fits(catchup_post(Caught(NOON, (), more=False, incidents=(), said=Tally(), links={})))
    assert "nobody asked me anything here, and no incident was declared." in post.text


def test_a_catch_up_that_does_not_fit_says_so_and_keeps_the_newest() -> None:
    many = tuple(asked(MOST_ASKED - n, text='"\\' * 999, headline="🔥" * 999) for n in range(MOST_ASKED))
    incidents = tuple(incident(n, title='"' * 300) for n in range(9))
    post = fits(catchup_post(Caught(NOON - 24 * HOUR, many, more=False, incidents=incidents, said=Tally(), links={})))
    assert "more questions than fit here; the newest" in post.text
    assert "(the newest 5 below)" in post.text
    assert f'"timestamp": {int(many[-1].accepted_at.timestamp())}' in json.dumps(post.blocks)


@pytest.mark.parametrize("stage", get_args(Stage))
def test_every_stage_has_a_word(stage: Stage) -> None:
    assert outcome(asked(stage=stage))
    assert "ended without an answer" in outcome(asked(stage="done", headline=""))


# --- incidents ------------------------------------------------------------------------------------------------


def test_an_incident_from_its_opening_to_its_end() -> None:
    opening = fits(opening_post("Checkout <!channel>", "U1", NOON, "/oracle"))
    assert "Checkout &lt;!channel&gt;" in opening.text
    assert "/oracle resolve" in opening.text
    ended = incident(status="resolved", resolved_by="U2", resolved_at=NOON - timedelta(minutes=12))
    closed = fits(resolved_post(Known(ended, None, ""))).text
    assert "Resolved: Checkout fails" in closed
    assert "lasted 48 min" in closed
    assert fits(note_post(ended)).text == "Resolved by U2."
    assert "rolled back" in json.dumps(fits(note_post(replace(ended, note="rolled back"))).blocks)
    assert "Open it" in fits(already_post(incident(), "https://a.b/c", "/oracle")).text
    assert "open for 1 h" in fits(state_post(Known(incident(), None, ""), None, {}, NOON, "/oracle", paused=False)).text
    assert fits(no_incident_post("/oracle", None)).text.startswith("No incident is open in this channel. Declare one")


SAID = IncidentStatus(text="Rolled back.", state="monitoring", ts=("1.1",))
SUMMARY = Summary(title="Checkout fails", status=SAID, since=NOON - timedelta(minutes=80))


def known(state: State = "monitoring", **fields: Any) -> Known:
    """An incident that showed 20 minutes before it was declared."""
    summary = SUMMARY.model_copy(update={"status": SAID.model_copy(update={"state": state})})
    return Known(
        incident(ts="1.0", **fields), Snapshot(summary=summary, at=NOON - timedelta(minutes=5)), "https://a.b/c"
    )


ENDED: dict[str, Any] = {"status": "resolved", "resolved_by": "U2", "resolved_at": NOON - timedelta(minutes=12)}


def test_an_incident_lasted_from_its_first_sign_wherever_that_is_told() -> None:
    over = known(**ENDED)
    assert over.lasted == "1 h 8 min"
    assert "lasted 1 h 8 min" in fits(resolved_post(over)).text
    assert "after 1 h 8 min" in fits(ended_post(over, "", paused=False)).text
    assert "after 1 h 8 min, ended by U2" in fits(no_incident_post("/oracle", over)).text
    assert "open for 1 h 20 min" in fits(state_post(known(), SUMMARY, {}, NOON, "/oracle", paused=False)).text


def test_whoever_ends_one_is_told_where_its_postmortem_comes() -> None:
    told = fits(ended_post(known(**ENDED), "", paused=False))
    assert "A draft of its postmortem comes into its thread shortly." in told.text
    assert "https://a.b/c" in json.dumps(told.blocks)
    assert "once the channel is resumed" in fits(ended_post(known(**ENDED), "", paused=True)).text
    for none in (known("false_alarm", **ENDED), known("none", **ENDED), Known(incident(**ENDED), None, "")):
        assert "postmortem" not in fits(ended_post(none, "", paused=False)).text
    assert (
        "I could not say so in the channel (is_archived)." in fits(ended_post(known(), "is_archived", paused=True)).text
    )


def test_where_none_is_open_the_last_one_is_named() -> None:
    told = fits(no_incident_post("/oracle", known(**ENDED)))
    assert "The last one, Checkout fails, was over " in told.text
    assert "https://a.b/c" in json.dumps(told.blocks)
    by_itself = known(**{**ENDED, "resolved_by": ""})
    assert "ended by" not in fits(no_incident_post("/oracle", by_itself)).text


def test_a_paused_channel_says_as_of_when_it_tells() -> None:
    told = fits(state_post(known(), SUMMARY, {}, NOON, "/oracle", paused=True)).text
    assert "Paused: my message there stays as it was since " in told
    assert "/oracle resume lets me go on. Right now it stands so:" in told
    assert "Paused" not in fits(state_post(known(), SUMMARY, {}, NOON, "/oracle", paused=False)).text


# --- the Home tab ---------------------------------------------------------------------------------------------


def test_a_newcomer_s_home_says_what_to_do() -> None:
    view = shows(home_view(home(recent=()), NOON))
    said = all_words(view)
    for part in ("Ask a question", "Why is /api/zones slow?", "None yet.", "Everything works.", "42 files indexed"):
        assert part in said
    assert "Settings" not in said
    assert "Open incidents" not in said


def test_a_busy_home() -> None:
    told = Home(
        **{
            **vars(home()),
            "recent": (asked(1), asked(2, stage="plan", headline="", channel="D1")),
            "links": {"abcdef000001": "https://team.slack.com/archives/C1/p1"},
            "incidents": ((incident(), "https://team.slack.com/archives/C1/p2"),),
            "channels": (ChangedChannel("C7", ChannelSettings("off", "research", "full"), "U1", NOON),),
        }
    )
    view = shows(home_view(told, NOON))
    text = json.dumps(view, ensure_ascii=False)
    assert text.count("Show proof") == 1, "only what has an answer has a proof"
    assert "|Open thread>" in text
    assert "in a direct message" in text
    assert "Checkout fails" in text
    assert "<#C7> · off · agent research · full answers" in text
    assert '"value": "C7"' in text


def test_a_home_without_a_database() -> None:
    assert "does not answer" in all_words(shows(closed_view()))


# --- settings -------------------------------------------------------------------------------------------------


def test_the_window_begins_with_what_holds() -> None:
    view = shows(settings_view({"research": "Reads only."}, "C1", ChannelSettings("threads", "research", "full")))
    elements = {b["block_id"]: b["element"] for b in view["blocks"]}
    assert elements["channel"]["initial_conversation"] == "C1"
    assert elements["mode"]["initial_option"]["value"] == "threads"
    assert elements["agent"]["initial_option"]["value"] == "research"
    assert elements["verbosity"]["initial_option"]["value"] == "full"
    shows(settings_view({f"a{n}": "x" * 200 for n in range(300)}))
    shows(notice_view("No."))


def test_every_mode_is_offered() -> None:
    assert set(MODES) == set(get_args(Mode))
    assert set(VERBOSITIES) == set(get_args(Verbosity))


def values(channel: Any = "C1", mode: Any = "off", agent: Any = "*", verbosity: Any = "short") -> dict[str, Any]:
    chosen = {"mode": mode, "agent": agent, "verbosity": verbosity}
    options = {name: {name: {"selected_option": {"value": value}}} for name, value in chosen.items()}
    return {"channel": {"channel": {"selected_conversation": channel}}, **options}


def test_what_was_chosen_is_read() -> None:
    assert read_settings(window_of(submitted("settings", values()))) == ("C1", ChannelSettings(mode="off"))
    chosen = ChannelSettings("threads", "research", "short")
    assert read_settings(window_of(submitted("settings", values("C1", "threads", "research", "short")))) == (
        "C1",
        chosen,
    )


@given(st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_what_the_window_does_not_offer_is_nothing(nonsense: Any) -> None:
    assert read_settings(window_of(submitted("settings", nonsense))) is None
    channel = None if isinstance(nonsense, str) else nonsense
    for wrong in (values(channel), values(mode=nonsense), values(verbosity=nonsense)):
        assert read_settings(window_of(submitted("settings", wrong))) is None


# --- whatever people write ------------------------------------------------------------------------------------

STAGES: st.SearchStrategy[Any] = st.sampled_from(get_args(Stage))
ASKED: st.SearchStrategy[Asked] = st.builds(
    asked, st.integers(0, 99), text=WORDS, headline=WORDS, stage=STAGES, channel=st.sampled_from(["C1", "D1"])
)
INCIDENTS = st.builds(incident, st.integers(0, 99), title=WORDS.map(lambda text: text[:300]))
LINES = st.lists(st.tuples(WORDS, st.booleans()), max_size=12).map(tuple)
SOURCES = st.builds(source, name=WORDS.map(lambda t: t[:200] or "x"), lines=LINES, ok=st.booleans())


@given(
    st.lists(ASKED, max_size=MOST_ASKED), st.lists(INCIDENTS, max_size=25), st.lists(SOURCES, max_size=12), WORDS, WORDS
)
def test_nothing_that_was_written_is_refused_by_slack(
    requests: list[Asked], incidents: list[Any], sources: list[Source], first: str, second: str
) -> None:
    links = {one.request_id: "https://team.slack.com/archives/C1/p1" for one in requests}
    caught = Caught(NOON, tuple(requests), more=True, incidents=tuple(incidents), said=Tally(1, 2), links=links)
    health = Health(
        tuple(sources), open=3, mine=tuple((one, 2) for one in requests), said=Tally(1, 1, ((first[:32], 1),))
    )
    posts = [catchup_post(caught), status_post(health, NOON), sources_post(sources, LANDSCAPE, NOON)]
    posts += [opening_post(first, "U1", NOON, "/oracle"), post_of(manual("/oracle"))]
    for one in incidents[:2]:
        posts += [
            resolved_post(Known(one, None, "")),
            note_post(replace(one, note=second)),
            already_post(one, "", "/oracle"),
        ]
        url, status = (
            "https://team.slack.com/archives/C1/p1",
            IncidentStatus(text=first, state="identified", ts=("1.1",)),
        )
        lead = Lead(text=first, name=second, ts=("1.2",))
        summary = Summary(title=first, severity=second, status=status, lead=lead, next_update=lead)
        seen = Known(one, Snapshot(summary=summary, at=NOON), url)
        posts += [state_post(seen, summary, {}, NOON, "/oracle", paused=True), no_incident_post("/oracle", seen)]
        posts.append(ended_post(seen, second, paused=False))
    for post in posts:
        assert "<!channel>" not in fits(post).text
    changed = tuple(ChangedChannel(f"C{n}", ChannelSettings(agent="research"), "U1", NOON) for n in range(60))
    listed = tuple((one, "") for one in incidents)
    told = home(recent=tuple(requests), health=health, incidents=listed, channels=changed, links=links)
    shows(home_view(told, NOON))
    shows(settings_view({"research": second}))
