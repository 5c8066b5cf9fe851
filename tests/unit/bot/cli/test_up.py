"""Where ``oracle up`` listens."""

from __future__ import annotations

import socket

import pytest

from bot.cli.up import listening_port


def test_a_port_that_is_named_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.delenv("PORT", raising=False)
        assert listening_port(port) not in {0, port}
        monkeypatch.setenv("PORT", str(port))
        assert listening_port(port) == port


def test_port_0_is_a_free_one_that_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "0")
    assert listening_port(0) > 0
