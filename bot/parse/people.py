"""What Slack's Web API tells of people and of who may read a channel.

Source: Slack's ``users.info``, ``conversations.info``, ``conversations.members``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workers.slack_messages.fields import Fields


@dataclass(frozen=True)
class Person:
    """Who someone is. ``zone``: an IANA name. ``known``: whether Slack could be asked.

    A guest sees only the channels that they were let into.
    """

    zone: str = "UTC"
    is_admin: bool = False
    is_guest: bool = False
    known: bool = True


def read_person(answer: Any) -> Person:
    """Someone of whom Slack was asked."""
    user = Fields(answer).inner("user")
    return Person(
        zone=user.text("tz") or "UTC",
        is_admin=any(map(user.is_true, ("is_admin", "is_owner", "is_primary_owner"))),
        is_guest=any(map(user.is_true, ("is_restricted", "is_ultra_restricted", "is_stranger"))),
    )


def is_public(answer: Any) -> bool:
    """Whether a channel is one that every member of the workspace can read."""
    channel = Fields(answer).inner("channel")
    return bool(channel.value("is_channel")) and not channel.value("is_private")


def is_member(answer: Any, user: str) -> bool:
    """Whether someone is among the members of a channel."""
    return user in Fields(answer).items("members")
