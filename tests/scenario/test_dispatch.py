"""Signed requests through ``app.dispatch``: what people ask, change, press and send is taken once, and nothing else."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slack_bolt import BoltRequest
from sqlalchemy import update

from bot.transport.web import UNREADABLE
from tests.support.chat_worker import chat_worker
from tests.support.engine_fakes import FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.support.signed_requests import LANDSCAPE, THREAD, Front
from tests.support.slack_payloads import (
    APP,
    FORM,
    SECRET,
    about,
    as_form,
    as_json,
    choose,
    command,
    edit,
    event_body,
    mention,
    message,
    org_wide,
    press,
    pressed,
    shortcut,
    signed,
    stand_in,
    stopped,
    wait_for,
    window,
)
from tests.unit.engine.test_run import documents
from workers.bootstrap import build_engine
from workers.entrypoints.tasks import take
from workers.settings.load import Settings, load_settings
from workers.store.all_tables import load_all_tables
from workers.store.channels import ChannelSettings, change_channel
from workers.store.database import Database, open_database
from workers.store.tables import jobs

Make = Callable[..., Front]
ASK = f"<@{APP}> why is search slow?"
HOME = event_body({"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "messages"}, "Ev8")
DIRECT = {"channel": "D1", "channel_type": "im", "thread_ts": None}
JUDGED: dict[str, Any] = {
    "type": "view_submission",
    "team": {"id": "T1"},
    "user": {"id": "U2", "team_id": "T1"},
    "view": {
        "id": "V7",
        "type": "modal",
        "callback_id": "feedback",
        "private_metadata": json.dumps({"request_id": "a1b2c3d4e5f6", "channel": "C1", "thread_ts": THREAD}),
        "state": {
            "values": {
                "reason": {"reason": {"type": "radio_buttons", "selected_option": {"value": "incomplete"}}},
                "text": {"text": {"type": "plain_text_input", "value": "the deploy"}},
            }
        },
    },
}
EVERYTHING = {
    "mention": mention(),
    "direct message": message("why?", **DIRECT),
    "reply": message(),
    "edit": edit(f"<@{APP}> why now?", ASK),
    "deletion": message(subtype="message_deleted", deleted_ts=THREAD, hidden=True),
    "Stop": stopped(),
    "agent opened": HOME,
    "Home opened": event_body({"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home"}, "Ev9"),
    "reaction": event_body({"type": "reaction_added", "user": "U1", "item": {"type": "message"}}),
    "joined": event_body({"type": "member_joined_channel", "user": APP, "channel": "C1"}),
    "command": command(),
    "command help": command("help"),
    "option": press(),
    "option of a menu": choose(),
    "Re-run": pressed("answer:rerun", "a1b2c3d4e5f6"),
    "Show proof": pressed("answer:proof", "a1b2c3d4e5f6"),
    "page of proof": pressed("proof:page", "a1b2c3d4e5f6:1"),
    "Everything": pressed("answer:everything", "a1b2c3d4e5f6"),
    "Share": pressed("answer:share", "a1b2c3d4e5f6"),
    "good": pressed("answer:feedback", "good:a1b2c3d4e5f6"),
    "bad": pressed("answer:feedback", "bad:a1b2c3d4e5f6"),
    "link": pressed("open-link", ""),
    "Home's question": pressed("home:ask", ""),
    "global shortcut": shortcut(),
    "message shortcut": about(),
    "unknown shortcut": shortcut("nobodys"),
    "window": window(),
    "feedback": JUDGED,
    "closed window": {**window(), "type": "view_closed", "is_cleared": False},
}


@cache
def settings_with(**changed: Any) -> Settings:
    """Settings of an app with tokens; those of one table of cases are read once."""
    slack = {"slack.bot_token": "xoxb-1", "slack.signing_secret": SECRET}
    return load_settings({f"oracle.{key.replace('__', '.')}": value for key, value in (slack | changed).items()})


def with_address(found: Settings, address: str) -> Settings:
    """The same for a Slack at another address."""
    slack = found.core.slack.model_copy(update={"api_url": address})
    core = found.core.model_copy(update={"slack": slack})
    return replace(found, tree=found.tree.model_copy(update={"oracle": core}))


@pytest.fixture
def make(sqlite_store: str) -> Iterator[Make]:
    """Build an app with settings of one's own; the database is the same each time."""
    level = logging.getLogger("slack_bolt").level
    with ExitStack() as stack:
        link = "https://acme.slack.com/archives/C1/p1763733650000100"
        answers: dict[str, dict[str, Any]] = {}
        address, calls = stack.enter_context(
            stand_in(by_method=answers, permalink=link, ts="1763733651.000100", user_id=APP, messages=[])
        )
        database = open_database(sqlite_store)
        stack.callback(database.close)

        def build(**settings: Any) -> Front:
            return Front(with_address(settings_with(**settings), address), database, calls, answers)

        yield build
    logging.getLogger("slack_bolt").setLevel(level)


@pytest.fixture
def front(make: Make) -> Front:
    return make(limits__question_chars=200)


# --- signatures and deliveries --------------------------------------------------------------------------------


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING.keys())
def test_everything_is_acknowledged_once_it_is_signed(
    front: Front, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, kind = as_json(body) if body.get("type") == "event_callback" else as_form(body)
    with monkeypatch.context() as stopped:
        now = time.time()
        stopped.setattr(time, "time", lambda: now)  # or a busy machine makes 300 s of the 301 ahead
        for how in ({"secret": SECRET[::-1]}, {"age_s": 301}, {"age_s": -301}):
            assert front.send(body, **how).status == 401
    for headers in ({"content-type": kind}, {**signed(raw, kind), "x-slack-signature": "v0=00"}):
        assert front.app.dispatch(BoltRequest(body=raw, headers=dict(headers))).status == 401
    assert (front.jobs(), front.calls, front.feedback()) == ([], [], [])
    for number in ("", "1", "2"):
        front.take(body, **({"x-slack-retry-num": number, "x-slack-retry-reason": "http_timeout"} if number else {}))
    assert len(front.jobs()) <= 1


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING.keys())
def test_everything_from_an_organisation_that_installed_it_as_a_whole(front: Front, body: dict[str, Any]) -> None:
    front.take(org_wide(body))
    assert {job["team"] for job in front.jobs()} <= {"E1"}
    asks = ("mention", "direct message", "edit", "command", "window")
    assert len(front.jobs()) == (body in [EVERYTHING[name] for name in asks])


@pytest.mark.parametrize("again", [mention(), mention(event_id="Ev9"), message(ASK, "Ev9", ts=THREAD, thread_ts=None)])
def test_a_mention_that_comes_twice_is_one_question(front: Front, again: dict[str, Any]) -> None:
    request_id = front.asked()
    front.take(again, **{"x-slack-retry-num": "1"})
    assert [job["request_id"] for job in front.jobs()] == [request_id]
    assert front.asked(mention(event_id="Ev10", ts="1763733601.000100")) != request_id
    assert len(front.rung) == 2


def test_a_direct_message_that_mentions_the_app_is_one_question(front: Front) -> None:
    front.take(mention(channel="D1", channel_type="im"))
    front.take(message(ASK, **{**DIRECT, "ts": THREAD}))
    assert front.questions() == ["why is search slow?"]


NOBODY = {
    "the app": message("why?", user=APP, **DIRECT),
    "the app by its bot id": message("why?", bot_id="B1", **DIRECT),
    "a bot": mention(bot_id="B7", bot_profile={"id": "B7"}),
    "a workflow": message("why?", subtype="bot_message", bot_id="B8", workflow_id="Wf1", **DIRECT),
    "Slackbot": message("why?", user="USLACKBOT", **DIRECT),
    "hidden": message("why?", hidden=True, **DIRECT),
    "topic": message("set the topic: why?", subtype="channel_topic", **DIRECT),
    "joined": message(ASK, subtype="channel_join"),
    "reminder": message("why?", subtype="reminder_add", **DIRECT),
    "deleted": message(subtype="message_deleted", deleted_ts=THREAD, previous_message={"text": ASK}),
    "replied": message(subtype="message_replied", message={"user": "U1", "text": ASK, "ts": THREAD}),
    "tombstone": edit("This message was deleted.", ASK, subtype="tombstone", user="USLACKBOT"),
    "a mention of someone else": message("<@U9> why?", thread_ts=None),
    "thanks": mention(f"<@{APP}> thanks!"),
    "an app with a file": message(ASK, subtype="file_share", bot_id="B7", files=[{"title": "p95.png"}]),
}


@pytest.mark.parametrize("body", NOBODY.values(), ids=NOBODY.keys())
def test_what_no_person_asked(front: Front, body: dict[str, Any]) -> None:
    front.take(body)
    assert front.jobs() == []
    assert front.calls == []


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_words_beside_a_file_and_words_sent_to_the_channel_too(front: Front, subtype: str) -> None:
    front.take(message("why is this?", subtype=subtype, files=[{"id": "F1"}], **DIRECT))
    assert front.questions() == ["why is this?"]


FILE = {"subtype": "file_share", "files": [{"title": "error.log"}], "ts": THREAD, "thread_ts": None}


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("first", ["message", "mention"])
def test_a_mention_beside_a_file_is_answered_once_however_it_comes(front: Front, first: str, both: bool) -> None:
    bodies = [message(ASK, **FILE), mention(ASK, **FILE)]
    bodies = bodies if first == "message" else bodies[::-1]
    for body in bodies if both else bodies[:1]:
        front.take(body)
    (job,) = front.jobs()
    assert (job["question"]["text"], job["question"]["unread"]) == ("why is search slow?", ["error.log"])


def test_a_person_of_another_company_asks_nothing_beside_a_file_either(front: Front) -> None:
    theirs = message(ASK, **FILE, user="U9", user_team="T9", source_team="T9", team="T9")
    front.take({**theirs, "team_id": "T9", "is_ext_shared_channel": True})
    assert "I answer people of" in front.told("chat.postEphemeral")["text"]
    assert front.jobs() == []


# --- edits ----------------------------------------------------------------------------------------------------


def test_an_edit_asks_again_only_when_its_words_changed(front: Front) -> None:
    first = front.asked()
    front.take(edit(ASK, ASK, "Ev3", attachments=[{"from_url": "https://grafana.io"}]))
    front.take(edit(f"<@{APP}>   why is search slow?", ASK, "Ev4"))
    assert [job["request_id"] for job in front.jobs()] == [first]
    second = front.asked(edit(f"<@{APP}> why is checkout slow?", ASK, "Ev5"))
    front.take(edit(f"<@{APP}> why is checkout slow?", ASK, "Ev5"), **{"x-slack-retry-num": "1"})
    assert [job["request_id"] for job in front.jobs()] == [first, second]
    question = front.jobs()[1]["question"]
    assert (question["text"], question["edits"], question["thread_ts"]) == ("why is checkout slow?", THREAD, THREAD)


def test_an_edit_that_adds_a_mention_asks(front: Front) -> None:
    front.take(message("why is search slow?", thread_ts=None, ts=THREAD))
    assert front.questions() == []
    front.asked(edit(ASK, "why is search slow?"))
    assert front.questions() == ["why is search slow?"]


def test_an_edit_in_a_direct_message(front: Front) -> None:
    front.take(message("why?", **{**DIRECT, "ts": THREAD}))
    front.take(edit("why is it slow?", "why?", event={"channel": "D1", "channel_type": "im"}))
    assert [job["question"]["edits"] for job in front.jobs()] == ["", THREAD]


# --- several workspaces ---------------------------------------------------------------------------------------


def test_a_person_of_another_company_in_a_shared_channel(make: Make) -> None:
    front = make(slack__outsiders="answer")
    theirs = mention(user="U9", user_team="T9", source_team="T9", team="T9")
    front.asked({**theirs, "team_id": "T9", "is_ext_shared_channel": True})
    (job,) = front.jobs()
    assert (job["team"], job["asker"], job["question"]["asker_team"]) == ("T1", "U9", "T9")
    front.wait(job["request_id"])
    answer = message("the search one", user="U9", user_team="T9", source_team="T9")
    assert front.asked({**answer, "team_id": "T9"}) == job["request_id"]


def test_the_question_of_an_organisation_goes_on_by_its_buttons(front: Front) -> None:
    request_id = front.asked(org_wide(mention()))
    front.wait(request_id)
    body = {**press("/api/search", request_id=request_id), "user": {"id": "U1", "team_id": "T4"}}
    assert front.asked(org_wide(body)) == request_id


# --- while Slack does not answer ------------------------------------------------------------------------------


def test_everything_is_acknowledged_while_slack_keeps_everyone_waiting(front: Front) -> None:
    slow = threading.Event()
    front.answers["chat.postEphemeral"] = front.answers["views.publish"] = {"wait": slow}
    try:
        for number in range(40):
            front.take(mention(f"<@{APP}> help", f"Ev-help-{number}", ts=f"17637336{number}.000100"))
            front.take(
                event_body({"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home"}, f"H{number}")
            )
        for body in (pressed("answer:proof", "a1b2c3d4e5f6"), command("status"), command("help"), shortcut(), window()):
            front.take(body)
        assert front.asked() == front.jobs()[-1]["request_id"]
    finally:
        slow.set()


# --- limits ---------------------------------------------------------------------------------------------------


def test_who_asks_too_often_is_told_so(make: Make) -> None:
    front = make(limits__user_per_hour=1)
    front.asked()
    front.take(mention(event_id="Ev20", ts="1763733602.000100"))
    told = front.told("chat.postEphemeral")
    assert "asked 1 questions within an hour" in told["text"]
    assert (told["channel"], told["user"]) == ("C1", "U1")
    said = json.loads(front.take(command()).body)
    assert (said["response_type"], said["text"]) == ("ephemeral", told["text"])
    assert front.errors(front.take(window())) == {"question": told["text"]}
    front.take(mention(event_id="Ev21", ts="1763733603.000100", user="U5"))
    assert len(front.jobs()) == 2


def test_who_waits_behind_others_is_told_so(make: Make) -> None:
    front = make(worker__concurrency=1)
    first = front.asked()
    front.claim(first)
    front.asked(mention(event_id="Ev20", ts="1763733602.000100"))
    wait_for(lambda: front.queued)
    front.asked(command())
    front.asked(mention(event_id="Ev21", ts="1763733603.000100"))
    wait_for(lambda: front.queued[1:])
    assert front.queued == [("T1", "C1", "1763733602.000100", 0), ("T1", "C1", "1763733603.000100", 2)]


def test_an_edit_that_is_too_long(front: Front) -> None:
    front.take(edit(f"<@{APP}> {'why ' * 60}", ASK, thread_ts=THREAD))
    told = front.told("chat.postEphemeral")
    assert "I read at most 200" in told["text"]
    assert (told["user"], told["thread_ts"]) == ("U1", THREAD)
    assert front.jobs() == []


# --- windows --------------------------------------------------------------------------------------------------


def test_a_question_about_a_message(front: Front) -> None:
    front.take(about())
    told = front.told("views.open")
    assert told["trigger_id"] == "9.8.short"
    assert "p95 is > 2 s & rising" in json.dumps(told["view"]["blocks"])
    kept = json.loads(told["view"]["private_metadata"])
    response = front.take(window("why?", kept, chosen=""))
    assert response.body == ""
    (job,) = front.jobs()
    assert (job["channel"], job["thread_ts"], job["stage"]) == ("C1", "1763733500.000100", "plan")
    assert job["question"]["context"] == ["p95 is > 2 s & rising"]
    told = front.told("chat.postMessage")
    assert (told["channel"], told["thread_ts"]) == ("C1", "1763733500.000100")
    assert told["text"].endswith("asked: why?")
    assert told["metadata"]["event_payload"] == {"key": f"{job['request_id']}:root"}
    assert front.rung == [job["request_id"]]
    front.take(window("why?", kept, chosen=""))
    assert [method for method, _ in front.calls] == ["views.open", "chat.postMessage"]


def everything_kept(database: Database) -> str:
    """All rows of all tables."""
    with database.begin() as connection:
        rows = [connection.exec_driver_sql(f"select * from {name}").all() for name in load_all_tables().tables]
    return repr(rows)


def hide(text: str) -> str:
    return text.replace("hunter2", "…")


def test_secrets_in_a_quoted_message_are_not_kept(front: Front, tmp_path: Path) -> None:
    front.ledger.clean = hide
    thread = {"channel": "C1", "thread_ts": THREAD, "quoted": "password hunter2"}
    request_id = front.asked(window("is hunter2 right?", thread, chosen=""))
    values = {**JUDGED["view"]["state"]["values"], "text": {"text": {"value": "hunter2 is wrong"}}}
    assert front.take({**JUDGED, "view": {**JUDGED["view"], "state": {"values": values}}}).status == 200
    assert "is … right?" in front.told("chat.postMessage")["text"]
    (job,) = front.jobs()
    assert (job["raw"], job["question"]["context"]) == (True, ["password hunter2"])  # nothing but this row has it
    with front.database.begin() as connection:
        connection.execute(update(jobs).values(question={}))
    assert "hunter2" not in everything_kept(front.database)
    with front.database.begin() as connection:
        connection.execute(update(jobs).values(question=job["question"]))

    oracle = build_engine(load_settings(home=tmp_path), toolbox=FakeToolbox(LANDSCAPE, doc_search=documents))
    assert oracle.store.database.address == front.database.address
    chat = FakeChat()
    with chat_worker(oracle, chat) as worker:
        take(replace(worker, ledger=front.ledger), request_id)
    (job,) = front.jobs()
    assert (job["stage"], job["raw"], job["question"]["context"]) == ("done", False, ["password …"])
    assert job["question"]["text"] == "is … right?"
    assert chat.messages
    for said in (everything_kept(front.database), repr(chat), repr(front.calls)):
        assert "hunter2" not in said


@pytest.mark.parametrize("body", [shortcut(), pressed("home:ask", "")])
def test_a_question_about_anything(front: Front, body: dict[str, Any]) -> None:
    front.take(body)
    assert front.told("views.open")["view"]["blocks"][-1]["block_id"] == "where"
    front.asked(window())
    (job,) = front.jobs()
    assert (job["channel"], job["thread_ts"], job["stage"]) == ("C3", "", "open")
    front.take(window())
    assert len(front.jobs()) == 1


def test_a_window_says_what_is_wrong_with_it(front: Front) -> None:
    assert "201 characters, and I read at most 200" in front.errors(front.take(window("x" * 201)))["question"]
    assert front.errors(front.take(window(" \n "))) == {"question": "Please write what you would like to know."}
    assert front.errors(front.take(window(chosen=""))) == {"where": "Please choose a channel."}
    change_channel(front.database, "T1", "C3", ChannelSettings("off"), "U1")
    assert "turned off" in front.errors(front.take(window()))["question"]
    assert front.jobs() == []
    assert front.asked(window(chosen="C4"))


def test_while_the_database_is_gone(front: Front) -> None:
    front.database.close()
    Path(str(front.database.engine.url.database)).unlink()
    for body in (mention(), message("why?", **DIRECT), edit(f"<@{APP}> why now?", ASK), stopped(), press()):
        assert front.send(body).status == 503
    assert "database does not answer" in front.errors(front.take(window()))["question"]
    assert "database does not answer" in json.loads(front.take(command()).body)["text"]
    assert "database does not answer" in front.errors(front.take(JUDGED))["text"]
    for body in (EVERYTHING["Show proof"], EVERYTHING["Share"], EVERYTHING["good"]):
        front.calls.clear()
        front.take(body)
        assert "database does not answer" in front.told("chat.postEphemeral")["text"]
    assert front.rung == []


# --- clarifying questions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pick", [press, choose])
def test_only_the_asker_may_say_what_was_meant(front: Front, pick: Callable[..., dict[str, Any]]) -> None:
    request_id = front.asked()
    front.wait(request_id)
    front.take(pick(request_id=request_id))
    told = front.told("chat.postEphemeral")
    assert told["text"].startswith("This is <@U1>'s question")
    assert (told["user"], told["thread_ts"]) == ("U2", THREAD)
    assert front.asked({**pick(request_id=request_id), "user": {"id": "U1"}}) == request_id
    assert front.jobs()[0]["reply"]["text"].startswith("/api/")
    front.take({**pick(request_id=request_id), "user": {"id": "U1"}, "trigger_id": "2.2.2"})
    assert "answered already" in front.told("chat.postEphemeral", 1)["text"]


def test_anyone_may_where_the_settings_say_so(make: Make) -> None:
    front = make(slack__clarified_by="anyone")
    request_id = front.asked()
    front.wait(request_id)
    assert front.asked(choose(request_id=request_id)) == request_id


# --- buttons of an answer -------------------------------------------------------------------------------------


def test_the_same_again(front: Front) -> None:
    first = front.asked()
    front.answer(first)
    second = front.asked(pressed("answer:rerun", first))
    assert second != first
    question = front.jobs()[1]["question"]
    assert (question["text"], question["again"], question["asker"]) == ("why is search slow?", first, "U2")
    assert (question["channel"], question["thread_ts"]) == ("C1", THREAD)
    assert "Looking again" in front.told("chat.postEphemeral")["text"]
    front.take(pressed("answer:rerun", first))
    assert len(front.jobs()) == 2
    assert "looking again already" in front.told("chat.postEphemeral", 1)["text"]
    front.take(pressed("answer:rerun", "ffffffffffff", trigger_id="2.2.2"))
    assert "no longer have the record" in front.told("chat.postEphemeral", 2)["text"]


def test_the_proof_and_its_pages(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take(pressed("answer:proof", request_id))
    told = front.told("views.open")
    assert (told["trigger_id"], told["view"]["callback_id"]) == ("1.2.abc", "proof")
    assert "It was the deploy." in json.dumps(told["view"])
    page = {
        **pressed("proof:page", f"{request_id}:0"),
        "view": {"id": "V4", "type": "modal", "private_metadata": request_id},
    }
    front.take(page)
    told = front.told("views.update")
    assert (told["view_id"], told["view"]["callback_id"]) == ("V4", "proof")


def test_the_proof_of_another_workspace_is_none(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take({**pressed("answer:proof", request_id), "team": {"id": "T2"}, "user": {"id": "U2", "team_id": "T2"}})
    assert "no longer have the record" in front.told("chat.postEphemeral")["text"]
    assert [method for method, _ in front.calls] == ["chat.postEphemeral"]


def test_half_a_surrogate_pair_in_a_name_is_kept_as_a_question_mark(front: Front) -> None:
    renamed = {"type": "channel_rename", "channel": {"id": "C7", "name": "inc-\ud800pool"}}
    assert front.take(event_body(renamed, "Ev30")).status == 200
    with front.database.begin() as connection:
        names = connection.exec_driver_sql("select name from followed_channels").scalars().all()
    assert names == ["inc-?pool"]


@pytest.mark.parametrize("action", ["answer:proof", "answer:everything", "answer:share", "answer:rerun"])
def test_a_button_with_a_request_of_another_channel_shows_nothing_of_it(front: Front, action: str) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take(pressed(action, request_id, channel={"id": "C9", "name": "elsewhere"}))
    assert "no longer have the record" in front.told("chat.postEphemeral")["text"]
    assert [method for method, _ in front.calls] == ["chat.postEphemeral"]
    assert len(front.jobs()) == 1


def test_a_verdict_on_a_request_of_another_channel_is_not_kept(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take(pressed("answer:feedback", f"bad:{request_id}", channel={"id": "C9", "name": "elsewhere"}))
    assert "no longer have the record" in front.told("chat.postEphemeral")["text"]
    front.take({**pressed("proof:page", f"{request_id}:0"), "view": {"id": "V4", "private_metadata": "ffffffffffff"}})
    assert [method for method, _ in front.calls] == ["chat.postEphemeral"]


def test_an_answer_is_shared_once(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take(pressed("answer:share", request_id))
    told = front.told("chat.postMessage")
    assert (told["channel"], told["unfurl_links"]) == ("C1", False)
    assert told["metadata"]["event_payload"] == {"key": f"{request_id}:shared"}
    assert "p1763733650000100" in json.dumps(told["blocks"])
    assert front.told("chat.getPermalink")["message_ts"] == "1763733650.000100"
    front.take(pressed("answer:share", request_id, trigger_id="2.2.2", user="U3"))
    assert "already" in front.told("chat.postEphemeral")["text"]
    assert [method for method, _ in front.calls].count("chat.postMessage") == 1


def test_everything_is_given_to_the_thread_once_whoever_presses(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take(pressed("answer:everything", request_id))
    told = front.told("chat.postMessage")
    assert (told["channel"], told["thread_ts"]) == ("C1", THREAD)
    assert told["metadata"]["event_payload"] == {"key": f"{request_id}:everything.0"}
    front.take(pressed("answer:everything", request_id, trigger_id="2.2.2", user="U3"))
    assert "already" in front.told("chat.postEphemeral")["text"]
    assert [method for method, _ in front.calls].count("chat.postMessage") == 1


def test_what_slack_did_not_take_of_everything_comes_with_the_next_press(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.answers["chat.postMessage"] = {"ok": False, "error": "ratelimited"}
    front.take(pressed("answer:everything", request_id))
    assert "already" not in front.told("chat.postEphemeral")["text"]
    del front.answers["chat.postMessage"]
    front.take(pressed("answer:everything", request_id, trigger_id="2.2.2"))
    wait_for(lambda: [m for m, _ in front.calls].count("chat.postMessage") == 2)


@pytest.mark.parametrize("error", ["not_in_channel", "ratelimited", "internal_error"])
def test_an_answer_that_slack_did_not_take_can_be_shared_again(front: Front, error: str) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.answers["chat.postMessage"] = {"ok": False, "error": error}
    front.take(pressed("answer:share", request_id))
    assert "already" not in front.told("chat.postEphemeral")["text"]
    del front.answers["chat.postMessage"]
    front.take(pressed("answer:share", request_id, trigger_id="2.2.2", user="U3"))
    wait_for(lambda: [m for m, _ in front.calls].count("chat.postMessage") == 2)
    front.take(pressed("answer:share", request_id, trigger_id="3.3.3"))
    assert "already" in front.told("chat.postEphemeral", 1)["text"]


def test_an_answer_that_stands_there_after_all_is_not_shared_again(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.answers["chat.postMessage"] = {"ok": False, "error": "internal_error"}
    front.take(pressed("answer:share", request_id))
    told = front.told("chat.postMessage")
    assert "Slack did not answer me clearly" in front.told("chat.postEphemeral")["text"]
    stands = {"ts": "1763733652.000100", "user": APP, "metadata": told["metadata"]}
    front.answers["conversations.history"] = {"messages": [stands]}
    front.take(pressed("answer:share", request_id, trigger_id="2.2.2"))
    assert "already" in front.told("chat.postEphemeral", 1)["text"]
    assert [m for m, _ in front.calls].count("chat.postMessage") == 1


def test_the_answer_of_another_workspace_is_not_shared(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    front.take({**pressed("answer:share", request_id), "team": {"id": "T2"}, "user": {"id": "U2", "team_id": "T2"}})
    assert "no longer have the record" in front.told("chat.postEphemeral")["text"]
    assert "chat.postMessage" not in [m for m, _ in front.calls]


def test_there_is_nobody_to_share_a_direct_message_with(front: Front) -> None:
    place = {"channel": {"id": "D1"}, "container": {"type": "message", "channel_id": "D1", "message_ts": THREAD}}
    front.take(pressed("answer:share", "a1b2c3d4e5f6", **place))
    assert "direct message" in front.told("chat.postEphemeral")["text"]


def test_feedback(front: Front) -> None:
    front.take(pressed("answer:feedback", "good:a1b2c3d4e5f6"))
    assert "Thank you" in front.told("chat.postEphemeral")["text"]
    assert front.feedback() == [("a1b2c3d4e5f6", "U2", "good", "")]
    front.take(pressed("answer:feedback", "bad:a1b2c3d4e5f6", trigger_id="2.2.2"))
    told = front.told("views.open")
    assert (told["trigger_id"], told["view"]["callback_id"]) == ("2.2.2", "feedback")
    assert front.feedback() == [("a1b2c3d4e5f6", "U2", "bad", "")], "kept before Slack is asked for the window"
    assert front.take(JUDGED).body == ""
    assert front.feedback() == [("a1b2c3d4e5f6", "U2", "bad", "incomplete")]
    assert front.told("chat.postEphemeral", 1)["thread_ts"] == THREAD


def test_a_bad_answer_is_noted_where_no_window_opens(front: Front) -> None:
    front.answers["views.open"] = {"ok": False, "error": "expired_trigger_id"}
    front.take(pressed("answer:feedback", "bad:a1b2c3d4e5f6"))
    assert "(expired_trigger_id)" in front.told("chat.postEphemeral")["text"]
    assert front.feedback() == [("a1b2c3d4e5f6", "U2", "bad", "")]


# --- the agent's own place ------------------------------------------------------------------------------------


def test_stop_stops_what_is_asked_in_that_thread(front: Front) -> None:
    request_id = front.asked()
    other = front.asked(mention(event_id="Ev20", ts="1763733602.000100"))
    front.take(stopped())
    wait_for(lambda: front.rung[2:] == [request_id])
    assert {job["request_id"]: job["stage"] for job in front.jobs()} == {request_id: "stop", other: "plan"}
    assert front.jobs()[0]["stopped_by"] == "U2"
    front.take(stopped(), **{"x-slack-retry-num": "1"})
    front.take(stopped("1763733699.000100", "Ev7"))
    front.asked(mention(event_id="Ev21", ts="1763733603.000100"))
    assert front.rung.count(request_id) == 2


def test_questions_are_suggested_about_what_there_is(front: Front) -> None:
    front.take(HOME)
    told = front.told("assistant.threads.setSuggestedPrompts")
    assert told["channel_id"] == "D1"
    assert "thread_ts" not in told
    texts = [prompt["message"] for prompt in told["prompts"]]
    assert len(texts) == 4
    assert "/api/zones" in texts[0]
    assert "Zones runbook" in texts[3]


# --- channels that want more, or less -------------------------------------------------------------------------


def test_a_channel_where_mentions_alone_are_answered(front: Front) -> None:
    front.asked()
    front.take(message("and checkout?", user="U3"))
    front.take(message("why is it slow?", "Ev30", thread_ts=None))
    assert len(front.jobs()) == 1


def test_a_channel_whose_threads_are_read(front: Front) -> None:
    change_channel(front.database, "T1", "C1", ChannelSettings("threads"), "U1")
    front.take(message("and checkout?", user="U3"))
    assert front.jobs() == []
    front.asked()
    front.asked(message("and checkout?", user="U3"))
    front.take(message("and checkout?", "Ev31", user="U3"))
    for number, text in enumerate(("thanks!", "hello")):
        front.take(message(text, f"Ev4{number}", ts=f"1763733701.00010{number}"))
    front.take(message("why is it slow?", "Ev50", thread_ts=None, ts="1763733702.000100"))
    assert front.questions() == ["why is search slow?", "and checkout?"]


def test_what_is_too_long_in_a_thread_that_is_read(front: Front) -> None:
    change_channel(front.database, "T1", "C1", ChannelSettings("threads"), "U1")
    front.take(message("x" * 201))
    front.asked()
    front.take(message("x" * 201, "Ev31"))
    assert "I read at most 200" in front.told("chat.postEphemeral")["text"]
    assert [method for method, _ in front.calls] == ["chat.postEphemeral"]


def test_a_channel_whose_questions_are_answered(front: Front) -> None:
    change_channel(front.database, "T1", "C1", ChannelSettings("questions", agent="research"), "U1")
    front.take(message("it is slow", "Ev30", thread_ts=None))
    front.take(message("<@U9> why is it slow?", "Ev31", thread_ts=None, bot_id="B1"))
    assert front.jobs() == []
    front.asked(message("why is it slow?", "Ev32", thread_ts=None))
    (job,) = front.jobs()
    assert (job["thread_ts"], job["question"]["agent"]) == ("1763733700.000100", "research")
    front.take(message(f"<@{APP}> why now?", "Ev33", thread_ts=None, ts="1763733705.000100"))
    front.asked(mention(f"<@{APP}> why now?", "Ev34", ts="1763733705.000100"))
    assert len(front.jobs()) == 2


def test_a_clarifying_question_goes_before_a_question_in_such_a_channel(front: Front) -> None:
    change_channel(front.database, "T1", "C1", ChannelSettings("questions"), "U1")
    request_id = front.asked()
    front.wait(request_id)
    assert front.asked(message("the search one?")) == request_id
    front.take(message("the search one?"), **{"x-slack-retry-num": "1"})
    assert len(front.jobs()) == 1


def test_a_channel_that_turned_it_off(front: Front) -> None:
    request_id = front.asked()
    front.answer(request_id)
    change_channel(front.database, "T1", "C1", ChannelSettings("off"), "U1")
    front.take(mention(event_id="Ev20", ts="1763733602.000100"))
    told = front.told("chat.postEphemeral")
    assert "turned off in this channel" in told["text"]
    assert "settings on my Home tab" in told["text"]
    assert "turned off" in json.loads(front.take(command()).body)["text"]
    front.take(pressed("answer:rerun", request_id))
    assert "turned off" in front.told("chat.postEphemeral", 1)["text"]
    front.take(message("and why?", "Ev21"))
    assert len(front.jobs()) == 1
    assert front.asked(message("why?", "Ev22", **DIRECT))


# --- what is not Slack's --------------------------------------------------------------------------------------


def test_the_address_is_verified(front: Front) -> None:
    raw = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aB"})
    response = front.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, "application/json"))))
    assert (response.status, json.loads(response.body)) == (200, {"challenge": "3eZbrw1aB"})
    raw = "ssl_check=1&token=x"
    assert front.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, FORM)))).status == 200


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["im", APP, "1.2", "C1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def broken(draw: st.DrawFn) -> Any:
    """A real payload with some of its values replaced by anything, or left out."""

    def break_it(value: Any) -> Any:
        if draw(st.integers(0, 14)) == 0:
            return draw(anything)
        if isinstance(value, dict):
            return {key: break_it(v) for key, v in value.items() if draw(st.integers(0, 19))}
        return [break_it(v) for v in value] if isinstance(value, list) else value

    found = break_it(draw(st.sampled_from([*EVERYTHING.values(), *map(org_wide, EVERYTHING.values())])))
    return found if isinstance(found, dict) else {"type": found}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(broken())
def test_bodies_of_nonsense_are_answered(front: Front, body: dict[str, Any]) -> None:
    raw, kind = (json.dumps(body), "application/json") if "command" not in body else as_form(body)
    try:
        request = BoltRequest(body=raw, headers=dict(signed(raw, kind)))
    except UNREADABLE:
        return
    assert front.app.dispatch(request).status in {200, 400, 404}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.sampled_from(["application/json", FORM, "text/plain", ""]))
def test_bodies_of_noise_change_nothing(front: Front, raw: str, kind: str) -> None:
    try:
        request = BoltRequest(body=raw, headers={"content-type": kind, "x-slack-signature": "v0=0"})
    except UNREADABLE:
        return
    assert front.app.dispatch(request).status in {400, 401, 404}
    assert front.jobs() == []
