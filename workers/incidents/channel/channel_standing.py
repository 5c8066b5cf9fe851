"""How the incident of a followed channel stands by what is said there by now."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.contracts import ChannelMessage, Question
from workers.errors import ChatError
from workers.grounding.value_format import Voice
from workers.incidents.channel.summary_answer import Standing
from workers.incidents.channel.summary_inputs import inputs_of
from workers.incidents.channel.user_names import named_messages
from workers.incidents.summary.summarizer import summarize_channel
from workers.ports import Place
from workers.requests.worker_context import WorkerContext, doors_of
from workers.store.channel_messages import threads_of
from workers.store.followed_channels import FollowedChannel
from workers.store.incidents import active_incident, incident_of

logger = logging.getLogger(__name__)
NAMES = 30


@dataclass(frozen=True)
class ChannelStanding:
    """How an incident stands, with its messages.

    ``address``: of any message in the channel, empty where Slack does not tell one; ``threads``: reply -> its root.
    """

    standing: Standing
    messages: Sequence[ChannelMessage]
    address: str
    threads: Mapping[str, str]


def standing_of(worker: WorkerContext, question: Question, here: FollowedChannel) -> ChannelStanding | None:
    """The incident by all that is said but the question itself; None where there is no incident."""
    database, core = worker.ledger.database, worker.oracle.settings.core
    incident = active_incident(database, here.team, here.channel) or incident_of(database, here.incident_id)
    chat, asked = worker.chats(here.team), {question.ts, question.edits}
    said = named_messages(database, here, incident, chat, NAMES)[0]
    messages = tuple(message for message in said if message.ts not in asked)
    voice = Voice(now=datetime.now(UTC), zone=question.timezone)
    shows = doors_of(worker).shows_told(here.team, here.channel)
    inputs = inputs_of(database, core, incident, here.why, messages, shows)
    summary = summarize_channel(messages, voice, **inputs).summary
    if summary.status.state == "none":
        return None
    address = ""
    try:
        address = chat.permalink(Place(here.channel, team=here.team), messages[-1].ts) if messages else ""
    except ChatError as error:
        logger.warning("the messages of %s are not linked: %s", here.channel, error)
    threads = threads_of(database, here.team, here.channel)
    return ChannelStanding(Standing(summary, incident, voice), messages, address, threads)
