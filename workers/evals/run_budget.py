"""A run that asks a language model spends the deployment's budget of the day, like any other question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workers.bootstrap import build_reasoners
from workers.contracts import RequestLog
from workers.errors import ModelFailed
from workers.ports import Reasoners
from workers.settings.load import Settings
from workers.store.request_logs import open_store
from workers.store.spending import SpendingStore
from workers.toolkit.redaction import build_redactor


@dataclass(frozen=True)
class Spending:
    """Who thinks, on the budget of the deployment. ``spending_limit``: what is left of today's."""

    reasoners: Reasoners
    spending_limit: SpendingStore
    close: Callable[[], None]

    def check(self, log: RequestLog) -> None:
        """Raises: ModelFailed: the day's budget ended in the middle of this request: its answer is not the model's."""
        stopped = any(call.status == "budget" for call in log.model_calls)
        if stopped and (why := self.spending_limit.empty(log.question)):
            raise ModelFailed(why, lasting=True)


def open_spending(settings: Settings, database_url: str) -> Spending | None:
    """None when the rules think.

    Args:
        settings: whose models think.
        database_url: where the deployment keeps what was spent.

    Raises:
        ConfigError: a prompt is wrong.
        StoreUnavailable: the database cannot be reached.
    """
    if not settings.tree.models.thinks:
        return None
    redactor = build_redactor(settings)
    store = open_store(database_url, redactor.message)
    reasoner_access = build_reasoners(settings, store, redactor)

    def close() -> None:
        reasoner_access.close()
        store.database.close()

    return Spending(reasoner_access.open, SpendingStore(store.database, settings.tree.models.budget), close)
