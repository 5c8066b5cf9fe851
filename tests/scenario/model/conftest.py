"""Fixtures of a bot that thinks with a programmable model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.bot_with_model import Bot, run_bot
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.sandbox_process import Running, running_sandbox

Start = Callable[..., Bot]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Running]:
    """A local Slack that sets no limits."""
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True)
        yield running


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    """The model."""
    with run_messages_server(key="test-key", models=None) as running:
        yield running


@pytest.fixture
def start(sandbox: Running, server: MessagesServer, demo_home: Path, tmp_path: Path) -> Iterator[Start]:
    """Start a bot with settings of one's own."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(
            run_bot(sandbox, server, demo_home, tmp_path / "oracle.db", **settings)
        )
