"""One Home Assistant as the tools use it: the home, kept for some seconds, and states read when they are asked for."""

from __future__ import annotations

import threading
import time

from workers.errors import ToolUnavailable
from workers.settings.load import Settings
from workers.sources.home_assistant.model import Home, State
from workers.sources.home_assistant.registries import read_registries
from workers.sources.home_assistant.rest_client import RestClient
from workers.sources.home_assistant.snapshot import read_home


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


def open_home(settings: Settings) -> HomeAssistant:
    """The home of the configuration; nothing is asked of it yet."""
    return HomeAssistant(settings)
