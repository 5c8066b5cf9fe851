"""Fixtures of a bot that thinks with a programmable model: one for all tests, each of which begins anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.bot_with_model import BLANK, Bot, run_bot
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.remembered_git import remember_git
from tests.support.sandbox_process import Running, running_sandbox
from workers.delivery import charts
from workers.reasoning.model import model_client

Start = Callable[..., Bot]


@pytest.fixture(scope="package")
def sandbox() -> Iterator[Running]:
    """A local Slack that sets no limits."""
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True)
        yield running


@pytest.fixture(scope="package")
def running_server() -> Iterator[MessagesServer]:
    """The model's server."""
    with run_messages_server(key="test-key", models=None) as running:
        yield running


@pytest.fixture
def server(running_server: MessagesServer) -> MessagesServer:
    """The model, which nothing was asked yet."""
    return running_server.begin_anew()


@pytest.fixture(scope="package")
def bot(
    sandbox: Running, running_server: MessagesServer, demo_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bot]:
    """The bot on the demo team."""
    with run_bot(sandbox, running_server, demo_home, tmp_path_factory.mktemp("bot") / "oracle.db") as running:
        yield running


@pytest.fixture
def start(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start to think with settings of one's own. A model that fails is asked again at once; charts are not drawn."""
    remember_git(monkeypatch)
    monkeypatch.setattr(model_client, "BACKOFF_S", 0.02)
    monkeypatch.setattr(charts, "draw", lambda *_: BLANK)
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(bot.thinking(**settings))
