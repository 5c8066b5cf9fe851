"""One call of a subcommand: who, where, with which words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from slack_sdk import WebClient

from bot.listeners.directory import Directory
from bot.listeners.heard import Attention
from bot.parse import name_at, team_of, text_at
from workers.store.database import Database


@dataclass(frozen=True)
class Called:
    """What someone typed after the command's name. ``rest``: the words after the subcommand; ``now``: aware, UTC."""

    attention: Attention
    directory: Directory
    client: WebClient
    team: str
    channel: str
    user: str
    command: str
    rest: str
    now: datetime

    @property
    def database(self) -> Database:
        """Where people's words and settings are."""
        return self.attention.store.database


def called_by(
    body: Mapping[str, Any], rest: str, attention: Attention, directory: Directory, client: WebClient
) -> Called:
    """Read who called from a command's payload."""
    return Called(
        attention=attention,
        directory=directory,
        client=client,
        team=team_of(body),
        channel=name_at(body, "channel_id"),
        user=name_at(body, "user_id"),
        command=text_at(body, "command"),
        rest=rest,
        now=datetime.now(UTC),
    )
