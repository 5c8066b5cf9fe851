"""What families build from what is served: routes of the HTTP API, and texts over MCP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workers.ports import Compressor
from workers.settings.load import Settings
from workers.store.database import Database


def no_model(user_id: str) -> Compressor | None:
    """No language model is connected."""
    del user_id
    return None


@dataclass(frozen=True)
class Serving:
    """What is served is built from this.

    ``compressor``: sums up texts for a person, whose budget it uses; None where no language model is connected.
    """

    settings: Settings
    database: Database
    compressor: Callable[[str], Compressor | None] = no_model
