"""A worker with one chat and the ledger of an engine's store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workers.bootstrap import Oracle
from workers.delivery.progress import ProgressBoard
from workers.ports import Chat
from workers.requests.ledger import Ledger
from workers.requests.worker_context import WorkerContext
from workers.settings.schema import WorkerSection
from workers.telemetry.service_metrics import ServiceMetrics


@contextmanager
def chat_worker(oracle: Oracle, chat: Chat) -> Iterator[WorkerContext]:
    """Give the worker; closes its board and the engine afterwards."""
    ledger = Ledger(oracle.store.database, WorkerSection())
    board = ProgressBoard(lambda _: chat, ledger.note_progress)
    try:
        yield WorkerContext(
            oracle=oracle, ledger=ledger, chats=lambda _: chat, board=board, metrics=ServiceMetrics(oracle.metrics)
        )
    finally:
        board.close()
        oracle.close()
