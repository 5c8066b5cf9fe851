"""The first look at an alert or an incident: one question that nobody asked, worked on like any other.

It goes into the ledger once by its id, so that leases, retries, grounding and posting are those of every question. Its
answer is posted only when it tells people who are woken something that they do not see already.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime, timedelta

from workers.contracts import Question
from workers.errors import AskedTooOften
from workers.ports import Place
from workers.requests.worker_context import WorkerContext
from workers.store.incidents import Incident
from workers.store.unprompted_posts import give_back, take_turn

logger = logging.getLogger(__name__)
RECENT = timedelta(days=1)
"""What began longer ago is not looked into: the metrics that questions are answered from go back about as far."""


def triage_incident(worker: WorkerContext, incident: Incident, began: datetime) -> None:
    """Have an incident looked into, once, below the message that opened it.

    Args:
        worker: whose ledger takes the question.
        incident: as it is by now.
        began: aware; when it began, as far as is known.

    Raises: StoreUnavailable.
    """
    if not incident.ts or incident.status != "active" or datetime.now(UTC) - began > RECENT:
        return
    place = Place(incident.channel, incident.ts, incident.team)
    triage(worker, place, name_of(incident.id), f"What is wrong: {incident.title.rstrip(' ?.!')}?")


def triage(worker: WorkerContext, place: Place, name: str, text: str, *, alert: str = "") -> bool:
    """Have something looked into, once, as the channel's one unasked message.

    Args:
        worker: whose ledger takes the question.
        place: the thread that is answered in, if there is something to say.
        name: of what is looked into, such as ``alerts-7``: the same name is asked of once.
        text: the question.
        alert: the name of the alert that it is about, if it is.

    Returns: False when something else has the channel's turn: it is not asked yet.

    Raises: StoreUnavailable.
    """
    core, database, request_id = worker.oracle.settings.core, worker.ledger.database, id_of(place, name)
    if worker.ledger.is_known(request_id):
        return True
    if not take_turn(database, place.team, place.channel, core.incidents.unprompted_per_hour, request_id):
        return False
    question = Question(
        request_id=request_id,
        text=text[: core.limits.question_chars],
        team=place.team,
        channel=place.channel,
        thread_ts=place.thread_ts,
        event_id=f"look:{request_id}",
        unasked=True,
        alert=alert,
        source="alert",
        received_at=datetime.now(UTC),
    )
    try:
        worker.ledger.accept(question)
    except AskedTooOften as error:
        logger.warning("%s in %s is not looked into: %s", name, place.channel, error)
        give_back(database, place.team, place.channel, request_id)
    return True


def name_of(incident_id: int) -> str:
    """What the first look at an incident is called."""
    return f"incident-{incident_id}"


def id_of(place: Place, name: str) -> str:
    """The id of the request that looks into something; an incident or a group has one, wherever its message stands."""
    return hashlib.sha256(f"{place.team}:{place.channel}:{name}".encode()).hexdigest()[:32]
