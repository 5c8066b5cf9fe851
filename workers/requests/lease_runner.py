"""One turn at a row that is leased, such as a followed channel: from its claim until it is given back or put off."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from functools import partial

from workers.delivery.slack_calls import TIMEOUT_S
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, LeaseLost, StoreUnavailable
from workers.requests.worker_context import Desk, Lease, renewing
from workers.store.leases import Held, Key, Leases
from workers.store.request_jobs import backoff

logger = logging.getLogger(__name__)
LONGEST_WAIT_S = 1_800.0


def work_on(desk: Desk, leases: Leases[Held], key: Key, does: Callable[[Held, Lease], None]) -> None:
    """Claim a row and do what is to be done. The outermost frame: whatever goes wrong is written down.

    Args:
        desk: what it is worked on with.
        leases: of its table.
        key: which row.
        does: the work; it gives the lease back when all went well.
    """
    limits, database, name = desk.inbox.limits, desk.inbox.database, leases.name(key)
    try:
        held = leases.claim(database, key, limits.lease_s)
        if held is None:
            return
        renew = partial(leases.renew, database, held, limits.lease_s)
        with renewing(name, renew, limits.heartbeat_s) as lease:
            attempt(name, partial(does, held, lease), partial(leases.postpone, database, held), held.failures)
    except (LeaseLost, StoreUnavailable) as error:
        logger.warning("%s waits: %s", name, error)


def attempt(name: str, does: Callable[[], None], postpone: Callable[..., None], failures: int) -> None:
    """Do it, or try again later. Raises: LeaseLost, StoreUnavailable."""
    try:
        does()
    except (LeaseLost, StoreUnavailable):
        raise
    except ChatBusy as error:
        postpone(error.retry_after_s * random.uniform(1.0, 1.3))  # noqa: S311 - jitter
    except ChatUnavailable as error:
        logger.warning("%s: %s", name, error)
        postpone(max(backoff(failures + 1), TIMEOUT_S + 1), failed=True)
    except ChatRefused as error:
        logger.error("%s: %s", name, error)  # noqa: TRY400 - the sentence says it all
        postpone(later_s(failures), failed=True)
    except Exception:
        logger.exception("%s failed", name)
        postpone(later_s(failures), failed=True)
    except BaseException:
        postpone(0)
        raise


def later_s(failures: int) -> float:
    """Seconds until something that failed for good is tried once more: half a minute, one, two … half an hour."""
    return min(30.0 * 2.0 ** min(failures, 10), LONGEST_WAIT_S)
