"""The API of threads keeps to its own description, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from bot.transport.api import OPENAPI, add_api
from tests.support.tables import sqlite_tables
from tests.support.thread_entries import said
from workers.agents.memory.source.memories import remember
from workers.settings.load import load_settings
from workers.store.api_tokens import create_token
from workers.store.database import Database, open_database
from workers.store.threads import merge
from workers.toolkit.serving import Serving

USER = "T1/U1"


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    merge(opened, USER, [], [said("one", "three retries", "0"), said("two", "at noon", "a")])
    remember(opened, USER, "likes tea")
    yield opened
    opened.close()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_request_is_answered_as_described(database: Database, mode: GenerationMode) -> None:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_api(app, Serving(load_settings(), database))
    schema = schemathesis.openapi.from_asgi(OPENAPI, app)
    schema.config.generation.update(  # what is no part of the API is ignored, and each request is given its token
        allow_extra_parameters=False, with_security_parameters=False
    )
    bearer = {"Authorization": f"Bearer {create_token(database, USER)[0]}"}
    asked = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: schemathesis.Case) -> None:
            case.call_and_validate(headers=bearer)

        try:
            ask()
        except Unsatisfiable:  # nothing of it can be wrong
            continue
        asked += 1
    assert asked == 9 if mode == GenerationMode.POSITIVE else asked > 5
