"""One message for each group of alerts, posted once, changed when its alerts change; the first look goes below it."""

from __future__ import annotations

import logging
import random
from datetime import UTC, datetime, timedelta
from functools import partial

from workers.delivery.alert_blocks import ShownGroup, render_group
from workers.delivery.slack_calls import TIMEOUT_S
from workers.desk import Desk, Lease, renewing
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, LeaseLost, StoreUnavailable
from workers.first_look import look_into
from workers.incidents.alerting import asked_about
from workers.ports import Chat, Place
from workers.posting import keep_post
from workers.store.alert_groups import AlertGroup, alerts_of
from workers.store.alert_leases import claim_group, postpone_group, release_group, renew_group, write_group
from workers.store.alerts import UNKNOWN_AFTER
from workers.store.jobs import backoff
from workers.store.unasked import wants_nothing
from workers.tend import later_s

logger = logging.getLogger(__name__)
ASK_AGAIN = timedelta(minutes=5)
"""How often a channel that wants nothing is asked whether it still does not."""
TURN_AGAIN = timedelta(minutes=1)
"""How often the first look at what still fires asks for its turn in the channel."""


def show_alerts(desk: Desk, group_id: int) -> None:
    """Claim a group and show it. The outermost frame: whatever goes wrong is written down."""
    limits, database = desk.inbox.limits, desk.inbox.database
    try:
        held = claim_group(database, group_id, limits.lease_s)
        if held is None:
            return
        renew = partial(renew_group, database, held, limits.lease_s)
        with renewing(f"alert group {group_id}", renew, limits.heartbeat_s) as lease:
            attempt(desk, held, lease)
    except (LeaseLost, StoreUnavailable) as error:
        logger.warning("alert group %s waits: %s", group_id, error)


def attempt(desk: Desk, held: AlertGroup, lease: Lease) -> None:
    """Show it, and say when to look at it next. Raises: LeaseLost, StoreUnavailable."""
    database = desk.inbox.database
    try:
        again_at = show(desk, held, lease)
        release_group(database, held, again_at=again_at)
    except (LeaseLost, StoreUnavailable):
        raise
    except ChatBusy as error:
        postpone_group(database, held, error.retry_after_s * random.uniform(1.0, 1.3))  # noqa: S311 - jitter
    except ChatUnavailable as error:
        logger.warning("alert group %s: %s", held.id, error)
        postpone_group(database, held, max(backoff(held.failures + 1), TIMEOUT_S + 1), failed=True)
    except ChatRefused as error:
        logger.error("alerts cannot be told in %s: %s", held.channel, error)  # noqa: TRY400 - the sentence says it all
        postpone_group(database, held, later_s(held.failures), failed=True)
    except Exception:
        logger.exception("alert group %s failed", held.id)
        postpone_group(database, held, later_s(held.failures), failed=True)
    except BaseException:
        postpone_group(database, held, 0)
        raise


def show(desk: Desk, held: AlertGroup, lease: Lease) -> datetime | None:
    """Let the group's message say how it stands, then ask for the first look.

    Returns: when to look at it again though nothing is told.

    Raises: ChatError, LeaseLost, StoreUnavailable.
    """
    database, now = desk.inbox.database, datetime.now(UTC)
    chat = desk.chats(held.team)
    if not held.team:
        held = write_group(database, held, team=chat.team())
    unheard = held.state == "firing" and now - held.told_at >= UNKNOWN_AFTER
    if wants_nothing(database, held.team, held.channel):
        outdated = held.ts and (held.state == "firing" or held.shown != held.version)  # by now or by then
        return now + ASK_AGAIN if outdated or (held.state == "firing" and not unheard) else None
    if unheard or not held.ts or held.shown != held.version:
        lease.check()
        held = put(desk, chat, held, unheard=unheard)
    if held.state != "firing" or unheard:
        return None
    if not held.looked and desk.oracle.settings.core.incidents.unprompted_per_hour > 0:
        place = Place(held.channel, held.ts, held.team)
        if not look_into(desk, place, f"alerts-{held.id}", asked_about(alerts_of(database, held))):
            return min(now + TURN_AGAIN, held.told_at + UNKNOWN_AFTER)
        write_group(database, held, looked=True)
    return held.told_at + UNKNOWN_AFTER


def put(desk: Desk, chat: Chat, held: AlertGroup, *, unheard: bool) -> AlertGroup:
    """Post or change the message. Returns: the group as it is then."""
    database = desk.inbox.database
    shown = ShownGroup(
        alerts=alerts_of(database, held),
        began_at=held.began_at,
        ended_at=held.ended_at,
        again_at=held.again_at,
        unheard=unheard,
        told_at=held.told_at,
        url=held.url,
    )

    def note(ts: str) -> None:
        write_group(database, held, ts=ts)

    place = Place(held.channel, team=held.team)
    ts = keep_post(chat, place, held.ts, render_group(shown), f"alerts-{held.id}:root", note)
    return write_group(database, held, ts=ts, shown=held.version)
