"""The first look at an alert or an incident: one question that nobody asked, worked on like any other.

It goes into the ledger once by its id, so that leases, retries, grounding and posting are those of every question.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime

from workers.contracts import Question
from workers.desk import Desk
from workers.errors import AskedTooOften
from workers.ports import Place

logger = logging.getLogger(__name__)


def look_into(desk: Desk, place: Place, name: str, text: str) -> None:
    """Have something looked into, once.

    Args:
        desk: whose inbox takes the question.
        place: the thread that is answered in, if there is something to say.
        name: of what is looked into, such as ``alerts-7``: the same name is asked of once.
        text: the question.

    Raises: StoreUnavailable.
    """
    request_id = hashlib.sha256(f"{place.team}:{place.channel}:{name}".encode()).hexdigest()[:32]
    question = Question(
        request_id=request_id,
        text=text[: desk.oracle.settings.core.limits.question_chars],
        team=place.team,
        channel=place.channel,
        thread_ts=place.thread_ts,
        event_id=f"look:{request_id}",
        unasked=True,
        source="alert",
        received_at=datetime.now(UTC),
    )
    try:
        desk.inbox.accept(question)
    except AskedTooOften as error:
        logger.warning("%s in %s is not looked into: %s", name, place.channel, error)
