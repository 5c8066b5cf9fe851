"""What people and apps in a channel's messages are called: asked of Slack once, and kept."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from workers.contracts import ChannelMessage
from workers.errors import ChatBusy, ChatError
from workers.incidents.channel.summary_inputs import messages_of
from workers.language.people_names import people_in
from workers.ports import Chat
from workers.store.channel_messages import save_name, unknown_names
from workers.store.database import Database
from workers.store.followed_channels import FollowedChannel
from workers.store.incidents import Incident

logger = logging.getLogger(__name__)
REST_S = 1.0


def learn_names(
    database: Database, team: str, chat: Chat, messages: Iterable[ChannelMessage], most: int
) -> tuple[bool, float]:
    """Ask for the names that are not known, of so many people at most; whom Slack does not tell is not asked for soon.

    Returns: whether any name was asked for, and how many seconds Slack wants to be left alone before the rest is.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    unknown = unknown_names(database, team, people_in(messages))
    wait_s = REST_S if len(unknown) > most else 0.0
    for user in unknown[:most]:
        try:
            save_name(database, team, user, *chat.called(user))
        except ChatBusy as error:
            wait_s = max(error.retry_after_s, 1.0)
            break
        except ChatError as error:
            logger.warning("the name of %s is not known: %s", user, error)
            save_name(database, team, user, "")
    return bool(unknown), wait_s


def named_messages(
    database: Database, held: FollowedChannel, incident: Incident | None, chat: Chat, most: int
) -> tuple[tuple[ChannelMessage, ...], float]:
    """The messages of a followed channel's incident, after so many names at most were asked for.

    Returns: the messages, and how many seconds Slack wants to be left alone before the rest of the names is asked for.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    messages = messages_of(database, held, incident)
    asked, wait_s = learn_names(database, held.team, chat, messages, most)
    return messages_of(database, held, incident) if asked else messages, wait_s
