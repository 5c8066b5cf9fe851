"""A broker that is away or hangs makes the bot not ready; nothing is raised."""

from __future__ import annotations

import socket
from pathlib import Path

from bot.cli.processes import reachable
from tests.support.real_servers import free_port
from workers.entrypoints.celery_app import make_app
from workers.settings.load import load_settings


def is_reachable(home: Path, port: int) -> bool:
    settings = load_settings({"oracle.redis_url": f"redis://127.0.0.1:{port}/0"}, home=home)
    return reachable(make_app(settings, "redis"))


def test_a_broker_that_is_down_is_not_reachable(home: Path) -> None:
    assert not is_reachable(home, free_port())


def test_a_broker_that_hangs_is_not_reachable(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert not is_reachable(home, silent.getsockname()[1])


def test_the_embedded_broker_is_reachable(home: Path) -> None:
    assert reachable(make_app(load_settings(home=home), "memory"))
