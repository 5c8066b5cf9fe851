"""Asks every source of memory at the same time, each with a deadline; one that fails or is late is named."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workers.agents.memory.source.retrieval.contract import Query, Retrieved, Retriever
from workers.errors import OracleError
from workers.toolkit.deadlines import begin


@dataclass(frozen=True)
class Retrieval:
    """What the sources returned. ``failed``: the name of each that did not answer, and why."""

    found: tuple[Retrieved, ...]
    failed: tuple[tuple[str, str], ...] = ()


def retrieve_all(retrievers: Sequence[Retriever], query: Query, k: int, deadline_ms: float) -> Retrieval:
    """Passages of all sources, in the order of the sources.

    Args:
        retrievers: the sources.
        query: what is looked for.
        k: of each source.
        deadline_ms: how long each may take; they run side by side.
    """
    ends_at = time.monotonic() + deadline_ms / 1000
    running = []
    found: list[Retrieved] = []
    failed: list[tuple[str, str]] = []
    for retriever in retrievers:
        try:
            running.append((retriever.name, begin(partial(ask_one, retriever, query, k), deadline_ms)))
        except TimeoutError:
            failed.append((retriever.name, "too much runs at the same time"))
    for name, result in running:
        try:
            passages, why = result.result(timeout=max(ends_at - time.monotonic(), 0))
        except TimeoutError:
            failed.append((name, f"no answer within {deadline_ms:.0f} ms"))
            continue
        found.extend(passages)
        failed.extend([(name, why)] if why else [])
    return Retrieval(tuple(found), tuple(failed))


def ask_one(retriever: Retriever, query: Query, k: int) -> tuple[Sequence[Retrieved], str]:
    """What one source returned, and why it did not."""
    try:
        return retriever.retrieve(query, k), ""
    except OracleError as error:
        return (), str(error)
