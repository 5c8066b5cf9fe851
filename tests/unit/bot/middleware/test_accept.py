"""Who may ask: people of the company that installed the app; and what those hear whose press came to nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_bolt import BoltContext, BoltResponse
from slack_sdk.oauth.installation_store import Installation

from bot.middleware.accept import GONE, RUNNING, Entrance
from bot.middleware.refusal_replies import CLOSED
from bot.parse import RECEIVED_KEY
from tests.support.deal_answers import precedents
from tests.support.payload_reading import received
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import (
    APP,
    about,
    command,
    edit,
    event_body,
    mention,
    message,
    narrow,
    org_wide,
    press,
    pressed,
    shortcut,
    stand_in,
    stopped,
    window,
)
from workers.contracts import Proposal, Question, Reply, RequestLog, Route
from workers.delivery import action_ids
from workers.delivery.installations import Installations
from workers.requests.ledger import Ledger
from workers.settings.schema import Limit, SlackSection, WorkerSection
from workers.store.channels import ChannelSettings, change_channel
from workers.store.database import Database, open_database
from workers.store.request_logs import SqlStore
from workers.telemetry.service_metrics import ServiceMetrics

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
THREAD = "1763733600.000100"
REFUSAL = "I answer people of the workspace that installed me only."
THEIRS = {"id": "U9", "team_id": "T9"}
LABELS = ("mention", "direct", "edit", "command", "press", "proof", "shortcut", "about", "window")


def shared(body: dict[str, Any], team: str = "T9", **outer: Any) -> dict[str, Any]:
    """An event by a person of another company in a channel that both share."""
    event = body["event"]
    theirs = {"user": "U9", "team": team, "user_team": team, "source_team": team}
    if "message" in event:
        event = {**event, "message": {**event["message"], **theirs}}
    return {**body, "team_id": team, "is_ext_shared_channel": True, "event": {**event, **theirs}, **outer}


def by_them(body: dict[str, Any]) -> dict[str, Any]:
    """An interaction of a person of another company."""
    return {**body, "user": THEIRS}


@dataclass
class Door:
    """The middleware on a real ledger. ``passed``: how often listeners were called."""

    database: Database
    slack: SlackSection = field(default_factory=SlackSection)
    installations: Installations | None = None
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    passed: int = 0

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.database, WorkerSection())
        store = SqlStore(self.database, unchanged)
        self.store = store
        self.entrance = Entrance(self.ledger, store, 200, self.metrics, self.slack, self.installations)

    def take(self, body: dict[str, Any], **noted: Any) -> tuple[BoltResponse | None, BoltContext]:
        """Deliver a payload. Returns: what the middleware answers itself, and the context it leaves."""
        context = BoltContext(noted | {RECEIVED_KEY: received(body)})
        return self.entrance.accept(context, self.passes), context

    def passes(self) -> None:
        self.passed += 1

    def answered(
        self, team: str = "T1", request_id: str = "a1b2c3d4e5f6", proposals: int = 0, route: Route | None = None
    ) -> str:
        """A request that has an answer, which may propose changes."""
        place = {"asker": "U1", "team": team, "channel": "C1"}
        asked = Question(request_id=request_id, text="why?", source="slack", received_at=NOON, **place)
        changes = tuple(Proposal(tool="t", args={}, title=f"Move {n}") for n in range(proposals))
        self.store.save(RequestLog(request_id=request_id, question=asked, proposals=changes, route=route))
        return request_id


@pytest.fixture
def database(sqlite_store: str) -> Iterator[Database]:
    opened = open_database(sqlite_store)
    yield opened
    opened.close()


@pytest.fixture
def door(database: Database) -> Door:
    return Door(database)


@pytest.fixture
def gone(tmp_path: Path) -> Iterator[Door]:
    """A database whose tables were never made."""
    opened = open_database(f"sqlite:///{tmp_path / 'empty.db'}")
    yield Door(opened)
    opened.close()


# --- who is of another company --------------------------------------------------------------------------------

HOME_GRID = {
    "authorizations": [{"team_id": "T1", "enterprise_id": "E1", "user_id": APP, "is_enterprise_install": False}]
}
OUTSIDE = {
    "their mention": shared(mention()),
    "their mention, in our envelope": {**shared(mention()), "team_id": "T1"},
    "a mention by their organisation": shared(mention(), "E9", team_id="T1"),
    "their mention, where ours is an organisation": shared(mention(), **HOME_GRID, enterprise_id=None),
    "their mention in an organisation as a whole": org_wide(mention())
    | shared(mention(), enterprise_id="E9", authorizations=org_wide(mention())["authorizations"]),
    "their message": shared(message()),
    "their edit": shared(edit(f"<@{APP}> why now?", "why?")),
    "their press": by_them(press()),
    "their press, where ours is an organisation": by_them(press()) | {"enterprise": {"id": "E1"}},
    "a press of another organisation": org_wide(press())
    | {"team": {"id": "T9", "enterprise_id": "E9"}, "user": THEIRS},
    "their message's menu": by_them(about()),
    "their window": by_them(window())
    | {
        "team": {"id": "T9", "enterprise_id": "E9"},
        "enterprise": {"id": "E9"},
        "view": window()["view"] | {"app_installed_team_id": "T1"},
    },
}
AT_HOME = {
    "mention": mention(),
    "mention with its workspace": mention(team="T1"),
    "ours in a shared channel": shared(mention(), "T1"),
    "ours in a shared channel of theirs": shared(mention(), "T1", team_id="T9", enterprise_id="E9"),
    "another workspace of our organisation": shared(message(), "T2", **HOME_GRID, enterprise_id="E1"),
    "our organisation by name": shared(mention(), "E1", **HOME_GRID),
    "organisation as a whole": {**org_wide(mention(team="T4")), "team_id": "T4"},
    "organisation as a whole, shared": org_wide(mention())
    | {
        "is_ext_shared_channel": True,
        "team_id": "T4",
        "event": mention(team="T4")["event"],
    },
    "a channel that is not shared": {**shared(mention()), "is_ext_shared_channel": False},
    "message": message(),
    "edit": edit(f"<@{APP}> why now?", "why?"),
    "stop": stopped(),
    "command": command(),
    "command in an organisation": org_wide(command()),
    "press": press(),
    "press in an organisation": org_wide(press()) | {"user": {"id": "U1", "team_id": "T4"}},
    "press without a workspace": press() | {"user": {"id": "U1"}},
    "shortcut": shortcut(),
    "window": window() | {"view": window()["view"] | {"app_installed_team_id": "T1"}},
}


@pytest.mark.parametrize("body", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_people_of_other_companies(body: dict[str, Any]) -> None:
    assert received(body).is_foreign()
    assert not received(body).is_foreign({"T9", "E9"})


@pytest.mark.parametrize("body", AT_HOME.values(), ids=AT_HOME.keys())
def test_people_of_ours(body: dict[str, Any]) -> None:
    assert not received(body).is_foreign()


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3) | st.sampled_from(["T1", "T9", "E1", "event_callback"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                "type event authorizations team user id team_id enterprise enterprise_id user_team message view "
                "app_installed_team_id is_enterprise_install is_ext_shared_channel".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(body=st.dictionaries(st.sampled_from(["type", "event", "authorizations", "team", "user", "view"]), JSON))
def test_any_payload_is_read(body: dict[str, Any]) -> None:
    assert received(body).is_foreign() in {True, False}


# --- and is turned away ---------------------------------------------------------------------------------------


def test_an_outsider_s_question_is_refused_and_not_committed(door: Door) -> None:
    direct = {"channel": "D1", "channel_type": "im", "thread_ts": None}
    for body in (mention(), mention(f"<@{APP}> help"), message(**direct), edit(f"<@{APP}> why now?", "why?")):
        response, context = door.take(shared(body))
        assert response is None
        assert context["refusal"] == REFUSAL
        assert "request_id" not in context
    assert door.ledger.counts() == {}
    assert 'refused_total{reason="outsider"} 4.0' in door.metrics.render().decode()


def test_what_outsiders_say_among_themselves_is_left_alone(door: Door) -> None:
    theirs = [message(), message(thread_ts=None), edit("why now?", "why?"), mention(bot_id="B9")]
    joined = event_body({"type": "member_joined_channel", "user": "U9", "team": "T9", "channel": "C1"})
    for body in (*map(shared, theirs), {**joined, "is_ext_shared_channel": True}):
        response, context = door.take(body)
        assert response is None
        assert "refusal" not in context
    assert door.passed == 5


def test_an_outsider_in_a_channel_whose_questions_are_all_answered(door: Door) -> None:
    change_channel(door.database, "T1", "C1", ChannelSettings("questions"), "U1")
    question = message("why is it slow?", thread_ts=None)
    assert door.take(shared(question))[1]["refusal"] == REFUSAL
    assert "request_id" in door.take(question)[1]


def test_nobody_else_answers_a_clarifying_question(database: Database) -> None:
    door = Door(database)
    door.entrance.ledger.anyone = True
    request_id = door.take(mention())[1]["request_id"]
    job = door.ledger.claim(request_id)
    assert job
    door.ledger.finish(job, "waiting")
    assert door.take(shared(message("the search one")))[1]["refusal"] == REFUSAL
    response, _ = door.take(by_them(press(request_id=f"{request_id}:0")))
    assert response
    assert door.ledger.counts() == {"waiting": 1}
    assert door.take(press(request_id=f"{request_id}:0"))[1]["request_id"] == request_id


@pytest.mark.parametrize(
    "body",
    [
        press(),
        pressed(action_ids.PROOF, "a1b2c3d4e5f6"),
        pressed(action_ids.RERUN, "a1b2c3d4e5f6"),
        shortcut(),
        about(),
    ],
)
def test_an_outsider_s_press_reaches_no_listener_and_is_answered_by_its_address(
    door: Door, body: dict[str, Any]
) -> None:
    door.answered()
    with stand_in() as (api, calls):
        response, _ = door.take(by_them(body) | {"response_url": f"{api}actions/T1/1/x"})
    assert response
    assert response.status == 200
    assert door.passed == 0
    ((_, told),) = calls
    assert (told["text"], told["response_type"], told["replace_original"]) == (REFUSAL, "ephemeral", False)
    assert told.get("thread_ts") == (THREAD if body.get("container") else None)
    assert door.ledger.counts() == {}


def test_an_outsider_s_press_without_an_address(door: Door) -> None:
    response, _ = door.take(by_them(press()))
    assert response
    assert (response.status, door.passed) == (200, 0)


@pytest.mark.parametrize(("blocks", "below"), [(None, "question"), ([], "question"), (["text", "where"], "text")])
def test_an_outsider_s_window_says_so_below_its_first_field(door: Door, blocks: Any, below: str) -> None:
    fields = [{"type": "section"}, *({"type": "input", "block_id": block} for block in blocks)] if blocks else blocks
    body = by_them(window())
    response, _ = door.take(body | {"view": body["view"] | {"blocks": fields}})
    assert response
    assert json.loads(response.body) == {"response_action": "errors", "errors": {below: REFUSAL}}
    assert door.ledger.counts() == {}


def test_the_installation_is_named(database: Database) -> None:
    stored = Installations(database, "111.222")
    stored.save(Installation(app_id="A1", user_id="U1", team_id="T1", team_name="Ships & <b>", bot_token="xoxb-1"))
    assert Door(database, installations=stored).take(shared(mention()))[1]["refusal"] == (
        "I answer people of Ships &amp; &lt;b&gt; only."
    )


@pytest.mark.parametrize("slack", [SlackSection(outsiders="answer"), SlackSection(teams=("T9",))])
def test_outsiders_are_answered_where_the_settings_say_so(database: Database, slack: SlackSection) -> None:
    _, context = Door(database, slack).take(shared(mention()))
    assert context["question"].asker_team == "T9"


def test_any_may_install_it_and_outsiders_are_refused_all_the_same(database: Database) -> None:
    assert Door(database, SlackSection(teams=("any",))).take(shared(mention()))[1]["refusal"] == REFUSAL


# --- the same again -------------------------------------------------------------------------------------------


def again(trigger_id: str = "1.2.abc", request_id: str = "a1b2c3d4e5f6", **outer: Any) -> dict[str, Any]:
    return pressed(action_ids.RERUN, request_id, trigger_id=trigger_id, **outer)


def test_a_request_of_another_workspace_is_not_run_again(door: Door) -> None:
    door.answered("T2")
    _, context = door.take(again())
    assert context["refusal"] == GONE
    assert door.ledger.counts() == {}


def test_a_second_press_starts_no_second_run(door: Door) -> None:
    door.answered()
    first = door.take(again("1.1.a"))[1]["request_id"]
    assert door.take(again("1.1.b"))[1]["refusal"] == RUNNING
    assert door.ledger.counts() == {"plan": 1}
    assert door.take(again("1.1.c", user="U3"))[1]["request_id"] != first
    job = door.ledger.claim(first)
    assert job
    door.ledger.finish(job, "done")
    assert "request_id" in door.take(again("1.1.d"))[1]


# --- while the database does not answer -----------------------------------------------------------------------


@pytest.mark.parametrize("body", [press(), again()])
def test_a_press_while_the_database_is_down_is_answered_by_its_address(gone: Door, body: dict[str, Any]) -> None:
    with stand_in() as (api, calls):
        response, _ = gone.take(body | {"response_url": f"{api}actions/T1/1/x"})
    assert response
    assert response.status == 200
    assert [(told["text"], told["thread_ts"]) for _, told in calls] == [(CLOSED, THREAD)]
    assert gone.passed == 0


def test_a_press_that_nobody_can_be_told_of_is_not_acknowledged(gone: Door) -> None:
    response, _ = gone.take(press())
    assert response
    assert response.status == 503


@pytest.mark.parametrize("body", [pressed(action_ids.PROOF, "a1b2c3d4e5f6"), about()])
def test_a_press_for_which_no_token_is_known_is_answered_by_its_address(door: Door, body: dict[str, Any]) -> None:
    with stand_in() as (api, calls):
        door.take(body | {"response_url": f"{api}actions/T1/1/x"}, store_unavailable="the database is away")
    assert [told["text"] for _, told in calls] == [CLOSED]
    assert door.passed == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "ftp://x", "nonsense"])
def test_an_address_that_does_not_answer_is_logged_without_it(
    gone: Door, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    with caplog.at_level(logging.WARNING):
        response, _ = gone.take(press() | {"response_url": url})
    assert response
    assert response.status == 200
    assert "a press was not answered" in caplog.text


# --- changes that wait for their asker, and answers that are saved --------------------------------------------------


def confirm(value: str, user: str = "U1", trigger_id: str = "1.2.abc", **outer: Any) -> dict[str, Any]:
    return pressed(action_ids.CONFIRM, value, user=user, trigger_id=trigger_id, **outer)


def test_a_change_is_confirmed_once_however_often_it_is_pressed_or_delivered(door: Door) -> None:
    door.answered(proposals=2)
    _, first = door.take(confirm("a1b2c3d4e5f6:1"))
    job = door.ledger.claim(first["request_id"])
    assert job
    assert (job.question.text, job.question.confirms, job.question.user) == ("Move 1", "a1b2c3d4e5f6:1", "T1/U1")
    assert (job.stage, job.question.thread_ts) == ("plan", THREAD)
    for again in (confirm("a1b2c3d4e5f6:1"), confirm("a1b2c3d4e5f6:1", trigger_id="9.9.z")):
        _, context = door.take(again)
        assert ("request_id" in context, context["repeated"]) == (False, True)
    _, other = door.take(confirm("a1b2c3d4e5f6:0", trigger_id="7.7.y"))
    assert other["request_id"] != first["request_id"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (confirm("a1b2c3d4e5f6:0", "U2"), "<@U1>"),
        (confirm("a1b2c3d4e5f6:2"), GONE),
        (confirm("fedcba987654:0"), GONE),
        (confirm("a1b2c3d4e5f6:0", channel={"id": "C2"}), GONE),
    ],
)
def test_a_change_is_not_confirmed_by_others_nor_elsewhere(door: Door, body: dict[str, Any], why: str) -> None:
    door.answered(proposals=2)
    _, context = door.take(body)
    assert why in context["refusal"]
    assert door.ledger.counts() == {}


def test_decline_is_no_question(door: Door) -> None:
    door.answered(proposals=1)
    _, context = door.take(pressed(action_ids.DECLINE, "a1b2c3d4e5f6:0", user="U1"))
    assert ("request_id" in context, "refusal" in context, door.passed) == (False, False, 1)


def test_what_a_button_asks_is_no_answer_to_a_question_back(door: Door) -> None:
    waiting = door.take(mention(thread_ts=THREAD, user="U1"))[1]["request_id"]
    job = door.ledger.claim(waiting)
    assert job
    door.ledger.finish(job, "waiting")
    door.answered(proposals=1)
    for body in (confirm("a1b2c3d4e5f6:0"), pressed(action_ids.SAVE, "a1b2c3d4e5f6", user="U1", trigger_id="3.3.x")):
        _, context = door.take(body)
        assert context["request_id"] != waiting
    assert door.ledger.counts() == {"waiting": 1, "plan": 2}
    assert door.ledger.is_awaited(
        Reply(
            text="x", asker="U1", team="T1", channel="C1", thread_ts=THREAD, event_id="Ev7", ts="1.1", received_at=NOON
        )
    )


def test_confirming_is_not_asking_too_often(database: Database) -> None:
    door = Door(database)
    door.ledger.asking = Limit(user_per_hour=1)
    door.answered(proposals=2)
    assert door.take(mention(user="U1"))[1]["request_id"]
    assert door.take(confirm("a1b2c3d4e5f6:0"))[1]["request_id"]
    assert "an hour" in door.take(mention(user="U1", ts="1763733601.000100", event_id="Ev8"))[1]["refusal"]


def test_an_answer_is_saved_once_where_it_stands(door: Door) -> None:
    door.answered()
    _, context = door.take(pressed(action_ids.SAVE, "a1b2c3d4e5f6"))
    assert ("a1b2c3d4e5f6" in context["question"].text, context["question"].agent) == (True, "memory")
    assert door.take(pressed(action_ids.SAVE, "a1b2c3d4e5f6", user="U3", trigger_id="4.4.w"))[1]["repeated"]
    elsewhere = pressed(action_ids.SAVE, "a1b2c3d4e5f6", trigger_id="5.5.v", channel={"id": "C2"})
    assert door.take(elsewhere)[1]["refusal"] == GONE
    assert door.take(pressed(action_ids.SAVE, "fedcba987654"))[1]["refusal"] == GONE


def test_what_else_was_asked_is_asked_once_where_it_stands(door: Door) -> None:
    door.answered(route=Route(task="research", confidence=1, also="who is on call?"))
    _, context = door.take(pressed(action_ids.ALSO, "a1b2c3d4e5f6"))
    assert context["question"].text == "who is on call?"
    assert door.take(pressed(action_ids.ALSO, "a1b2c3d4e5f6", user="U3", trigger_id="4.4.w"))[1]["repeated"]
    assert door.take(pressed(action_ids.ALSO, "fedcba987654"))[1]["refusal"] == GONE


def test_of_an_answer_to_one_question_nothing_else_is_asked(door: Door) -> None:
    door.answered(route=Route(task="research", confidence=1))
    assert door.take(pressed(action_ids.ALSO, "a1b2c3d4e5f6"))[1]["refusal"] == GONE


def test_a_chosen_option_asks_a_narrower_question_every_time(door: Door) -> None:
    door.entrance = replace(door.entrance, agents={"portfolio": "deals"})
    log = precedents(text="find deals [region: Nordics]")
    place = {"team": "T1", "channel": "C1", "context": ("earlier",)}
    asked = log.question.model_copy(update={**place, "source": "slack"})
    door.store.save(log.model_copy(update={"question": asked, "route": Route(task="portfolio", confidence=1)}))
    chosen = narrow("1", request_id=log.request_id)
    _, context = door.take(chosen)
    assert (context["question"].text, context["question"].agent) == ("find deals [region: DACH]", "deals")
    assert (context["question"].asker, context["question"].context) == ("U2", ())
    assert door.take(chosen)[1]["repeated"], "Slack delivered it twice"
    again = door.take(narrow("1", request_id=log.request_id, trigger_id="4.4.w"))[1]["request_id"]
    assert again != context["request_id"]
    _, freed = door.take(narrow("0", request_id=log.request_id, trigger_id="5.5.v"))
    assert freed["question"].text == "find deals"
    for gone in (
        narrow("4", request_id=log.request_id),
        narrow("1", menu=2, request_id=log.request_id),
        narrow("1", request_id="fedcba987654"),
        {**narrow("1", request_id=log.request_id), "channel": {"id": "C2"}},
    ):
        assert door.take({**gone, "trigger_id": "6.6.u"})[1]["refusal"] == GONE
