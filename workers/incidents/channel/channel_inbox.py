"""One turn at what a followed channel said: secrets are taken out, and it joins the channel's messages."""

from __future__ import annotations

import time

from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.requests.lease_heartbeat import lease_heartbeat
from workers.requests.lease_runner import Work, work_on
from workers.requests.worker_context import WorkerContext
from workers.store.channel_inbox import INBOXES, ChannelInbox, clean_batch, release_inbox

TURN_S = 20.0
"""So long one channel keeps a worker; what is left then is due again at once, behind what others wait for."""


def clean_inbox(worker: WorkerContext, held: ChannelInbox) -> None:
    """One turn at a claimed inbox. Raises: LeaseLost, StoreUnavailable."""
    rules, database = worker.oracle.settings.core.incidents, worker.ledger.database
    pace = {"settle_s": rules.settle_s, "every_s": rules.every_min * 60}
    end = time.monotonic() + TURN_S
    with lease_heartbeat(worker, INBOXES, held) as lease:
        while clean_batch(database, held, worker.ledger.clean, lease.check, **pace) and time.monotonic() < end:
            pass
        wiped = database.wipe()
    release_inbox(database, held, again=not wiped)


INBOX_WORK = Work(INBOXES, clean_inbox)


def tend_channel(worker: WorkerContext, team: str, channel: str) -> None:
    """Read what a followed channel said, then do what is due there."""
    work_on(worker, INBOX_WORK, (team, channel))
    work_on(worker, CHANNEL_WORK, (team, channel))
