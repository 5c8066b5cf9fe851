"""One Home Assistant as the tools use it: the home, kept for some seconds, and states read when they are asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from workers.errors import ToolUnavailable
from workers.settings.load import Settings
from workers.sources.home_assistant.model import Home, State
from workers.sources.home_assistant.registries import read_registries
from workers.sources.home_assistant.rest_client import RestClient
from workers.sources.home_assistant.snapshot import read_home

POLL_S = 0.04


class HomeAssistant:
    """The connection. ``home`` is renewed by `prepare` when it is older than ``keep_s`` of the configuration."""

    def __init__(self, settings: Settings) -> None:
        self.access = settings.core.home_assistant
        self.rest = RestClient(self.access)
        self.lock = threading.Lock()
        self.read_at = float("-inf")
        self.known: Home | None = None

    def prepare(self) -> None:
        """Read the registries when they are not known or are old.

        Raises:
            ToolUnavailable: there is no answer, and no home is known from before.
            ToolDenied: the token is refused.
        """
        with self.lock:
            if self.known is not None and time.monotonic() - self.read_at < self.access.keep_s:
                return
            routines = [routine.entity for routine in self.access.routines.values()]
            try:
                self.known = read_home(read_registries(self.access, routines))
            except ToolUnavailable:
                if self.known is None:
                    raise
            self.read_at = time.monotonic()

    @property
    def home(self) -> Home:
        """The home as it was read last. Raises: as `prepare`."""
        if self.known is None:
            self.prepare()
        return self.known or Home({})

    def states(self) -> dict[str, State]:
        """The states of all exposed entities, now. Raises: ToolUnavailable, ToolDenied."""
        exposed = self.home.entities
        return {entity: state for entity, state in self.rest.states().items() if entity in exposed}

    def settle(self, wanted: Iterable[tuple[str, str, str]], within_s: float) -> tuple[dict[str, State], set[str]]:
        """Wait until entities are as wanted.

        Args:
            wanted: each entity, the attribute (empty: the state itself) and what it should be, as `value_of` writes it.
            within_s: how long.

        Returns: the last states, and the entities that were not so until then.
        """
        end, goals = time.monotonic() + within_s, list(wanted)
        while True:
            states = self.states()
            late = {e for e, attribute, value in goals if e not in states or value_of(states[e], attribute) != value}
            if not late or time.monotonic() >= end:
                return states, late
            time.sleep(POLL_S)


def value_of(state: State, attribute: str = "") -> str:
    """The state or one of its attributes, as text that two equal values share: numbers without needless zeros."""
    value = state.attributes.get(attribute) if attribute else state.value
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:g}"
    return "" if value is None else str(value)


def open_home(settings: Settings) -> HomeAssistant:
    """The home of the configuration; nothing is asked of it yet."""
    return HomeAssistant(settings)
