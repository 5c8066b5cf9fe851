"""One turn at a row that is leased, such as a request or a followed channel: from its claim until it is given back."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal

from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, LeaseLost, StoreUnavailable
from workers.requests.worker_context import WorkerContext
from workers.store.leases import Held, Key, Leases, backoff

logger = logging.getLogger(__name__)
Outcome = Literal["claimed", "busy", "ambiguous", "refused", "failed", "lost"]


def note_nothing(*_: Any) -> None:
    """Nobody counts how a turn went."""


@dataclass(frozen=True)
class Work(Generic[Held]):
    """What is done with the rows of one table.

    ``does``: the work of one turn, which gives the lease back when all went well; ``refused``: what is done when Slack
    refuses for good, a failure when None; ``unsure_s``: how long at least a row rests when a post may be under way
    still; ``note``: is told how a turn goes.
    """

    leases: Leases[Held]
    does: Callable[[WorkerContext, Held], object]
    refused: Callable[[WorkerContext, Held, ChatRefused], None] | None = None
    unsure_s: float = 0.0
    note: Callable[[WorkerContext, Held, Outcome], None] = note_nothing


def work_on(worker: WorkerContext, work: Work[Held], key: Key) -> None:
    """Claim a row and do what is to be done. The outermost frame: whatever goes wrong is written down, nothing is lost.

    Args:
        worker: what it is worked on with.
        work: what is done.
        key: which row.
    """
    held, name = None, work.leases.name(key)
    try:
        held = work.leases.claim(worker.ledger.database, key, worker.ledger.limits.lease_s)
        if held is not None:
            work.note(worker, held, "claimed")
            attempt(worker, work, held, name)
    except LeaseLost as error:
        logger.warning("%s", error)
        if held is not None:
            work.note(worker, held, "lost")
    except StoreUnavailable as error:
        logger.warning("%s waits: %s", name, error)


def attempt(worker: WorkerContext, work: Work[Held], held: Held, name: str) -> None:
    """Do it; or try again later; or go another way, or count a failure. Raises: LeaseLost, StoreUnavailable."""
    leases, database = work.leases, worker.ledger.database
    try:
        work.does(worker, held)
    except (LeaseLost, StoreUnavailable):
        raise
    except ChatBusy as error:
        work.note(worker, held, "busy")
        pause_s = error.retry_after_s * random.uniform(1.0, 1.3)  # noqa: S311 - jitter
        leases.postpone(database, held, pause_s, str(error))
    except ChatUnavailable as error:
        logger.warning("%s: %s", name, error)
        work.note(worker, held, "ambiguous")
        pause_s = backoff(held.delays + 1) * random.uniform(0.8, 1.2)  # noqa: S311 - jitter
        leases.postpone(database, held, max(pause_s, work.unsure_s), str(error))
    except ChatRefused as error:
        held = leases.current(database, held)
        logger.error("%s: %s", name, error)  # noqa: TRY400 - the sentence says it all
        work.note(worker, held, "refused")
        if work.refused:
            work.refused(worker, held, error)
        else:
            leases.fail(database, held, str(error))
    except Exception as error:
        logger.exception("%s failed", name)
        held = leases.current(database, held)
        work.note(worker, held, "failed")
        leases.fail(database, held, f"{type(error).__name__}: {error}")
    except BaseException:
        leases.postpone(database, held, 0, "the worker was stopped")
        raise
