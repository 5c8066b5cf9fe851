"""The API of threads and memories, served for real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bot.transport.api import OPENAPI, add_api
from bot.transport.api_replies import MOST_BYTES
from tests.support.slack_payloads import served
from tests.support.tables import sqlite_tables
from workers.agents.memory.source.memories import remember
from workers.errors import ModelFailed
from workers.settings.load import load_settings
from workers.store.api_tokens import create_token, revoke_token
from workers.store.database import Database, open_database
from workers.toolkit.serving import Serving

ANNA, BEN = "T1/U1", "T1/U2"
PATHS = {
    "/api/threads/sync": {"post"},
    "/api/threads": {"get", "post"},
    "/api/threads/{thread_id}": {"get"},
    "/api/threads/{thread_id}/summarize": {"post"},
    "/api/threads/{thread_id}/entries": {"post"},
    "/api/threads/seek": {"get"},
    "/api/memories": {"get"},
    "/api/memories/{memory_id}": {"delete"},
}


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    yield opened
    opened.close()


@pytest.fixture
def web(database: Database) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_api(app, Serving(load_settings(), database))
    return app


@pytest.fixture
def anna(web: FastAPI, database: Database) -> Iterator[httpx.Client]:
    with served(web) as address, client(address, database, ANNA) as opened:
        yield opened


def client(address: str, database: Database, user: str) -> httpx.Client:
    """Someone with a token."""
    bearer = {"Authorization": f"Bearer {create_token(database, user)[0]}"}
    return httpx.Client(base_url=address, headers=bearer, timeout=30)


def begin(anna: httpx.Client, thread_id: str = "plan") -> None:
    assert anna.post("/api/threads", json={"thread_id": thread_id, "name": "The plan"}).status_code == 201


def test_a_thread_from_its_beginning_to_its_summary(anna: httpx.Client) -> None:
    begin(anna)
    for content, kind in (("Checkout is slow since noon.", "thought"), ("Decision: three retries.", "decision")):
        entry = anna.post("/api/threads/plan/entries", json={"content": content, "type": kind, "speaker": "Maya"})
        assert entry.status_code == 201
    read = anna.get("/api/threads/plan").json()
    assert [entry["type"] for entry in read["entries"]] == ["thought", "decision"]
    assert [thread["thread_id"] for thread in anna.get("/api/threads?status=active").json()["threads"]] == ["plan"]
    assert anna.get("/api/threads?status=archived").json() == {"threads": []}
    (hit, *_) = anna.get("/api/threads/seek", params={"q": "how many retries"}).json()["hits"]
    assert hit["entry"]["content"] == "Decision: three retries."
    summary = anna.post("/api/threads/plan/summarize").json()
    assert (summary["by"], summary["decisions"]) == ("sentences", ["Decision: three retries."])
    assert "Checkout is slow since noon." in summary["summary"]


def test_everybody_sees_only_their_own(web: FastAPI, database: Database) -> None:
    with served(web) as address, client(address, database, ANNA) as anna, client(address, database, BEN) as ben:
        begin(anna)
        anna.post("/api/threads/plan/entries", json={"content": "the secret plan", "entry_id": "one"})
        memory = remember(database, ANNA, "likes tea")
        for path in ("/api/threads/plan", "/api/threads/seek?q=secret", "/api/threads", "/api/memories"):
            assert "secret" not in ben.get(path).text
        assert ben.get("/api/threads/plan").status_code == 404
        assert ben.post("/api/threads/plan/summarize").status_code == 404
        assert ben.post("/api/threads/plan/entries", json={"content": "mine"}).status_code == 404
        assert ben.delete(f"/api/memories/{memory.id}").status_code == 404
        assert ben.post("/api/threads/sync", json={"client_id": "x"}).json()["entries"] == []
        assert anna.delete(f"/api/memories/{memory.id}").status_code == 204
        assert anna.get("/api/memories").json() == {"memories": []}


def test_without_a_living_token_nothing_is_told(web: FastAPI, database: Database) -> None:
    token, token_id = create_token(database, ANNA)
    revoke_token(database, token_id)
    with served(web) as address, httpx.Client(base_url=address) as stranger:
        for given in ("", f"Bearer {token}", "Bearer oracle_wrong", "Basic eDp5", f"bearer  {token_id}", "Bearer \xff"):
            refused = stranger.get("/api/threads", headers={"Authorization": given.encode("latin-1")} if given else {})
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert set(refused.json()) == {"error"}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "says"),
    [
        ("post", "/api/threads", {"json": {"thread_id": "plan"}}, 409, "there is a thread plan already"),
        ("post", "/api/threads", {"json": {"thread_id": "Plan!"}}, 422, "thread_id: "),
        ("post", "/api/threads", {"json": {"thread_id": "a" * 65}}, 422, "thread_id: "),
        ("post", "/api/threads", {"json": {"thread_id": "x", "status": "lost"}}, 422, "status: "),
        ("post", "/api/threads/none/entries", {"json": {"content": "x"}}, 404, "you have no thread none"),
        ("post", "/api/threads/plan/entries", {"json": {"content": "x" * 100_001}}, 422, "content: "),
        ("post", "/api/threads/plan/entries", {"json": {"content": "x", "author": "eve"}}, 422, "author: "),
        ("post", "/api/threads/plan/entries", {"json": {"content": "x", "type": "joke"}}, 422, "type: "),
        ("post", "/api/threads/plan/entries", {"json": {"content": "x", "user_id": "T1/U2"}}, 422, "user_id: "),
        ("post", "/api/threads/plan/entries", {"content": b"x" * (MOST_BYTES + 1)}, 413, "larger than"),
        ("post", "/api/threads/sync", {"content": b"\xff{", "headers": {"content-type": "application/json"}}, 400, ""),
        (
            "post",
            "/api/threads",
            {"content": b'{"thread_id": ', "headers": {"content-type": "application/json"}},
            400,
            "",
        ),
        ("post", "/api/threads", {"content": b'["x"]', "headers": {"content-type": "application/json"}}, 422, ""),
        ("post", "/api/threads/sync", {"json": {"client_id": "a", "last_synced_sequence": 99}}, 409, "from 0"),
        ("get", "/api/threads/seek", {"params": {"q": ""}}, 422, "q: "),
        ("get", "/api/threads/seek", {"params": {"q": "x" * 257}}, 422, "q: "),
        ("get", "/api/threads/seek", {"params": {"q": "x", "limit": 51}}, 422, "limit: "),
        ("get", "/api/threads/none", {}, 404, "you have no thread none"),
        ("delete", "/api/memories/99999999999", {}, 422, "memory_id: "),
        ("put", "/api/threads", {"json": {}}, 405, "GET, POST"),
    ],
)
def test_each_mistake_is_one_sentence(
    anna: httpx.Client, method: str, path: str, sent: dict[str, Any], status: int, says: str
) -> None:
    begin(anna)
    refused = anna.request(method.upper(), path, **sent)
    assert refused.status_code == status
    assert says in refused.json()["error"]
    assert "\n" not in refused.json()["error"]


def test_the_longest_entry_is_taken(anna: httpx.Client) -> None:
    begin(anna)
    taken = anna.post("/api/threads/plan/entries", json={"content": "ü" * 100_000})
    assert (taken.status_code, len(taken.json()["content"])) == (201, 100_000)


def test_sending_again_is_harmless(anna: httpx.Client) -> None:
    begin(anna)
    entry = {"content": "x", "entry_id": "one"}
    statuses = [anna.post("/api/threads/plan/entries", json=entry).status_code for _ in range(2)]
    assert statuses == [201, 200]
    assert anna.post("/api/threads/plan/entries", json={**entry, "content": "y"}).status_code == 409


def test_a_database_that_is_gone_is_said(anna: httpx.Client, database: Database, home: Path) -> None:
    database.close()
    for path in home.glob("oracle.db*"):
        path.unlink()
    (home / "oracle.db").mkdir()
    refused = anna.get("/api/threads")
    assert (refused.status_code, refused.json()) == (503, {"error": "the database does not answer; try again"})


def test_a_model_sums_up_and_its_failure_does_not_show(database: Database) -> None:
    def fails(texts: object, most_words: int) -> str:
        raise ModelFailed("the model is away")

    for compress, by, words in (
        (lambda texts, most: f"{len(texts)} texts", "model", "1 texts"),
        (fails, "sentences", ""),
    ):
        app = FastAPI()
        add_api(app, Serving(load_settings(), database, lambda user, compress=compress: compress))  # type: ignore[misc]
        with served(app) as address, client(address, database, by) as person:
            begin(person)
            person.post("/api/threads/plan/entries", json={"content": "Retries are on at last."})
            summary = person.post("/api/threads/plan/summarize").json()
            assert (summary["by"], summary["summary"]) == (by, words or "Retries are on at last.")


def test_its_description_has_exactly_its_addresses(anna: httpx.Client) -> None:
    described = anna.get(OPENAPI).json()
    assert {path: set(methods) for path, methods in described["paths"].items()} == PATHS
    assert described["info"]["title"] == "Oracle: threads and memories"
    assert all(one["security"] == [{"HTTPBearer": []}] for ways in described["paths"].values() for one in ways.values())
    assert anna.get("/openapi.json").status_code == 404
