"""One message for each group of alerts, posted once, changed when its alerts change; the first look goes below it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workers.delivery.slack_calls import TIMEOUT_S
from workers.incidents.channel.alert_blocks import ShownGroup, render_group
from workers.incidents.channel.alert_triage import triage
from workers.incidents.summary.alert_labels import gravest, question_about
from workers.language.environment_names import is_elsewhere
from workers.ports import Chat, Place
from workers.requests.lease_heartbeat import Lease, lease_heartbeat
from workers.requests.lease_runner import Work
from workers.requests.outbox import keep_post
from workers.requests.worker_context import WorkerContext
from workers.store.alert_group_leases import GROUPS, release_group, write_group
from workers.store.alert_groups import AlertGroup, alerts_of
from workers.store.alerts import UNKNOWN_AFTER
from workers.store.unprompted_posts import wants_nothing

ASK_AGAIN = timedelta(minutes=5)
"""How often a channel that wants nothing is asked whether it still does not."""
TURN_AGAIN = timedelta(minutes=1)
"""How often the first look at what still fires asks for its turn in the channel."""


def show_alerts(worker: WorkerContext, held: AlertGroup) -> None:
    """Show a claimed group and give it back. Raises: ChatError, LeaseLost, StoreUnavailable."""
    with lease_heartbeat(worker, GROUPS, held) as lease:
        release_group(worker.ledger.database, held, again_at=show(worker, held, lease))


GROUP_WORK = Work(GROUPS, show_alerts, unsure_s=TIMEOUT_S + 1)


def show(worker: WorkerContext, held: AlertGroup, lease: Lease) -> datetime | None:
    """Let the group's message say how it stands, then ask for the first look.

    Returns: when to look at it again though nothing is told.

    Raises: ChatError, LeaseLost, StoreUnavailable.
    """
    database, now = worker.ledger.database, datetime.now(UTC)
    chat = worker.chats(held.team)
    if not held.team:
        held = write_group(database, held, team=chat.team())
    unheard = held.state == "firing" and now - held.told_at >= UNKNOWN_AFTER
    if wants_nothing(database, held.team, held.channel):
        outdated = held.ts and (held.state == "firing" or held.shown != held.version)  # by now or by then
        return now + ASK_AGAIN if outdated or (held.state == "firing" and not unheard) else None
    if unheard or not held.ts or held.shown != held.version:
        lease.check()
        held = put(worker, chat, held, unheard=unheard)
    if held.state != "firing" or unheard:
        return None
    core = worker.oracle.settings.core
    if not held.looked and core.incidents.unprompted_per_hour > 0:
        place = Place(held.channel, held.ts, held.team)
        first = gravest(alerts_of(database, held), core.environment)
        name = f"alerts-{held.id}"
        if first and not triage(worker, place, name, question_about(first), alert=first.name):
            return min(now + TURN_AGAIN, held.told_at + UNKNOWN_AFTER)
        write_group(database, held, looked=True)
    return held.told_at + UNKNOWN_AFTER


def put(worker: WorkerContext, chat: Chat, held: AlertGroup, *, unheard: bool) -> AlertGroup:
    """Post or change the message. Returns: the group as it is then."""
    database, configured = worker.ledger.database, worker.oracle.settings.core.environment
    alerts = alerts_of(database, held)
    environments = {alert.environment for alert in alerts}
    shown = ShownGroup(
        alerts=alerts,
        began_at=held.began_at,
        ended_at=held.ended_at,
        again_at=held.again_at,
        unheard=unheard,
        told_at=held.told_at,
        url=held.url,
        environment=", ".join(sorted(environments)) if all(is_elsewhere(e, configured) for e in environments) else "",
    )

    def note(ts: str) -> None:
        write_group(database, held, ts=ts)

    place = Place(held.channel, team=held.team)
    ts = keep_post(chat, place, held.ts, render_group(shown), f"alerts-{held.id}:root", note)
    return write_group(database, held, ts=ts, shown=held.version)
