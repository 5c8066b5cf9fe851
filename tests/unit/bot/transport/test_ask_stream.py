"""Ask over HTTP: whose request it is, what is accepted once, and a stream that goes on where it was cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.testclient import TestClient
from httpx import Response

from bot.transport.api import OPENAPI, add_api
from bot.transport.api_replies import MOST_BYTES
from bot.transport.ask_stream import add_ask
from tests.support.request_logs import NOON, make_log, unchanged
from workers.access.doors import Doors
from workers.access.views import access_of
from workers.contracts import Proposal, Question
from workers.errors import ChatRefused
from workers.ports import Chat
from workers.requests.ledger import Ledger
from workers.settings.load import load_settings
from workers.settings.schema import Limit, WorkerSection
from workers.store.database import open_database
from workers.store.request_events import EventName, add_events
from workers.store.request_logs import SqlStore
from workers.toolkit.serving import Serving

Told = list[tuple[EventName, dict[str, Any]]]
ANSWER: Told = [("thinking", {"n": 1}), ("content", {"n": 2}), ("done", {"n": 3})]
MIA, TOM = {"Authorization": "Bearer mia"}, {"Authorization": "Bearer tom"}


def user_of(header: str) -> str:
    """Whose token it is."""
    name = header.removeprefix("Bearer ")
    if name not in {"mia", "tom", "T1/U1"}:
        raise HTTPException(401, "whose token is this?")
    return name


def no_chats(team: str) -> Chat:
    raise ChatRefused(f"no workspace {team}", "not_installed")


@dataclass
class Door:
    """The door on a ledger in SQLite, and a worker that tells of every request at once."""

    ledger: Ledger
    store: SqlStore
    tells: Told = field(default_factory=lambda: list(ANSWER))
    rung: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.web = web = FastAPI()
        settings = load_settings({"oracle.limits": {"question_chars": 200}})
        add_ask(web, settings, self.ledger, self.store, self.work, user_of, Doors(access_of(settings), no_chats))
        self.client = TestClient(web)

    def work(self, request_id: str) -> None:
        self.rung.append(request_id)
        add_events(self.store.database, request_id, self.tells)

    def ask(self, headers: dict[str, str] | None = None, **body: Any) -> Response:
        return self.client.post("/api/ask", json=body, headers=MIA if headers is None else headers)

    def go_on(self, request_id: str, after: str = "", headers: dict[str, str] | None = None) -> Response:
        last = {"Last-Event-ID": after} if after else {}
        return self.client.get(f"/api/ask/{request_id}/events", headers={**(headers or MIA), **last})

    def propose(self, **asker: Any) -> None:
        """An answer of theirs proposes two changes."""
        question = Question(request_id="0123456789abcdef", text="move", received_at=NOON, **asker)
        changes = tuple(Proposal(tool="t", args={}, title=f"Move {n}") for n in range(2))
        self.store.save(make_log(question=question, proposals=changes))

    def asks_back(self) -> str:
        """A request of mia's waits for what she says."""
        self.tells = [("done", {"kind": "clarify"})]
        self.ask(question="is it slow?")
        job = self.ledger.claim(self.rung[-1])
        assert job
        self.ledger.finish(job, "waiting")
        self.tells = list(ANSWER)
        return job.request_id


@pytest.fixture
def door(prepared_home: Path) -> Iterator[Door]:
    database = open_database(load_settings(home=prepared_home).database_url)
    asking = Limit(user_per_hour=5)
    ledger = Ledger(database, WorkerSection(), lambda text: text.replace("hunter2", "…"), asking=asking)
    yield Door(ledger, SqlStore(database, unchanged))
    database.close()


def read(response: Response) -> list[tuple[int, str, Any]]:
    """Number, name and data of each event."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    events = []
    for part in filter(None, response.text.replace("\r\n", "\n").split("\n\n")):
        lines = dict(line.split(": ", 1) for line in part.split("\n") if not line.startswith(":"))
        events.append((int(lines["id"]), lines["event"], json.loads(lines["data"])))
    return events


def test_what_happens_is_read_to_its_end(door: Door) -> None:
    door.tells += [("content", {"n": "after the end"})]
    assert read(door.ask(question="why is it slow? hunter2", context=["hunter2 said so"])) == [
        (1, "thinking", {"n": 1}),
        (2, "content", {"n": 2}),
        (3, "done", {"n": 3}),
    ]
    job = door.ledger.claim(door.rung[0])
    assert job
    job = door.ledger.keep_clean(job, door.ledger.clean)
    assert (job.question.text, job.question.context, job.question.user) == ("why is it slow? …", ("… said so",), "mia")


def test_a_stream_that_was_cut_goes_on_where_it_was(door: Door) -> None:
    door.ask(question="why?")
    (request_id,) = door.rung
    assert [n for n, _, _ in read(door.go_on(request_id))] == [1, 2, 3]
    assert [n for n, _, _ in read(door.go_on(request_id, "1"))] == [2, 3]


@pytest.mark.parametrize("nonsense", ["x", "-1", "1.5", "9" * 30])
def test_a_number_that_is_none_reads_from_the_beginning(door: Door, nonsense: str) -> None:
    door.ask(question="why?")
    assert [n for n, _, _ in read(door.go_on(door.rung[0], nonsense))] == [1, 2, 3]


def test_nobody_asks_or_reads_without_a_token(door: Door) -> None:
    door.ask(question="why?")
    for headers in ({}, {"Authorization": "Bearer eve"}):
        assert door.ask(headers, question="why?").status_code == 401
        assert door.client.get(f"/api/ask/{door.rung[0]}/events", headers=headers).status_code == 401
    assert len(door.rung) == 1


def test_another_s_request_is_not_there(door: Door) -> None:
    door.ask(question="why?")
    assert door.go_on(door.rung[0], headers=TOM).status_code == 404
    assert door.go_on("gone").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": " "},
        {"question": "x" * 201},
        {"question": "why?", "confirms": "r1:0"},
        {"question": "why?", "agent": "nobody"},
        {"question": "why?", "timezone": "Europe/Nowhere"},
        {"request": "r1"},
        {"request": "r1", "confirms": "r1:0"},
        {"request": "r1", "question": "x" * 201},
    ],
)
def test_what_is_no_question_is_a_sentence(door: Door, body: dict[str, Any]) -> None:
    answer = door.ask(**body)
    assert (answer.status_code, door.rung) == (400, [])
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "body", [{"question": "why?", "extra": 1}, {"question": ["why?"]}, {"question": "a", "context": ["x" * 20_001]}]
)
def test_what_has_another_shape_is_refused(door: Door, body: dict[str, Any]) -> None:
    assert (door.ask(**body).status_code, door.rung) == (422, [])


def test_a_body_that_is_no_json_is_refused_as_described(door: Door) -> None:
    for body in (b"{", b'{"question": "why?",}', b"why?", b"\xff"):
        answer = door.client.post("/api/ask", content=body, headers={**MIA, "content-type": "application/json"})
        assert (answer.status_code, door.rung, set(answer.json())) == (400, [], {"error"})


def test_its_description_stands_beside_that_of_threads(door: Door) -> None:
    add_api(door.web, Serving(load_settings(), door.store.database))
    described = door.client.get(OPENAPI).json()
    assert {"/api/ask", "/api/ask/{request_id}/events", "/api/threads"} <= set(described["paths"])
    asked = described["paths"]["/api/ask"]["post"]
    assert asked["security"] == [{"HTTPBearer": []}]
    assert {"200", "400", "401", "429"} <= set(asked["responses"])
    assert list(asked["responses"]["200"]["content"]) == ["text/event-stream"]


def test_a_body_without_end_is_refused_before_anything_is_read(door: Door) -> None:
    endless = b"x" * (MOST_BYTES + 1)
    answer = door.client.post("/api/ask", content=endless, headers=MIA)
    assert door.client.post("/api/ask", content=endless).status_code == 401
    assert (answer.status_code, door.rung) == (413, [])
    assert answer.json()["error"]


def test_one_person_asks_so_often_and_another_still_may(door: Door) -> None:
    assert [door.ask(question="why?").status_code for _ in range(6)] == [200] * 5 + [429]
    assert door.ask(TOM, question="why?").status_code == 200


# --- changes ----------------------------------------------------------------------------------------------------


def test_a_change_is_confirmed_once_whatever_it_is_called(door: Door) -> None:
    door.propose(source="http", asker="mia")
    assert read(door.ask(confirms="0123456789abcdef:1"))[-1][1] == "done"
    job = door.ledger.claim(door.rung[0])
    assert job
    assert (job.question.confirms, job.question.text) == ("0123456789abcdef:1", "Move 1")
    for name in ("0123456789abcdef:1", "0123456789abcdef:01", "0123456789:1"):
        assert door.ask(confirms=name).status_code == 409
    assert door.ask(confirms="0123456789abcdef:0").status_code == 200
    assert len(door.rung) == 2


@pytest.mark.parametrize("name", ["0123456789abcdef:2", "0123456789abcdef", "gone:0", ":0", "0123456789abcdef:x"])
def test_a_change_that_nobody_proposed(door: Door, name: str) -> None:
    door.propose(source="http", asker="mia")
    assert (door.ask(confirms=name).status_code, door.rung) == (404, [])


def test_another_s_change_is_not_there_and_stays_to_be_confirmed(door: Door) -> None:
    door.propose(source="http", asker="mia")
    answer = door.ask(TOM, confirms="0123456789abcdef:0")
    assert (answer.status_code, "Move" in answer.text) == (404, False)
    assert door.ask(confirms="0123456789abcdef:0").status_code == 200
    door.propose(source="slack", team="T1", asker="U2")
    assert door.ask({"Authorization": "Bearer T1/U1"}, confirms="0123456789abcdef:1").status_code == 404


# --- questions back ---------------------------------------------------------------------------------------------


def test_what_is_said_to_a_question_back_goes_on_after_it(door: Door) -> None:
    request_id = door.asks_back()
    assert [n for n, _, _ in read(door.ask(request=request_id, question="/api/search"))] == [2, 3, 4]
    assert door.rung == [request_id, request_id]
    assert door.ask(request=request_id, question="/api/search").status_code == 409, "it waits no more"


def test_nobody_else_answers_a_question_back(door: Door) -> None:
    request_id = door.asks_back()
    door.ledger.anyone = True  # in a channel others may
    assert door.ask(TOM, request=request_id, question="/api/search").status_code == 404
    assert door.ask(request=request_id, question="/api/search", turn=7).status_code == 409
    assert door.ask(request="gone", question="/api/search").status_code == 404
