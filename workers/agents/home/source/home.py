"""One Home Assistant as the tools use it: the home, kept for some seconds, and states read when they are asked for."""

from __future__ import annotations

import threading
import time

from workers.agents.home.sections import HomeAssistantSection
from workers.agents.home.source.model import Home, State
from workers.agents.home.source.registries import read_registries
from workers.agents.home.source.rest_client import RestClient
from workers.agents.home.source.snapshot import read_home
from workers.errors import ToolError, ToolUnavailable
from workers.settings.load import Settings

RETRY_S = 15.0
"""A home that did not answer is not asked for its names again before that, so that nobody waits twice."""


class HomeAssistant:
    """The connection. ``home`` is renewed by `prepare` when it is older than ``keep_s`` of the configuration."""

    def __init__(self, settings: Settings) -> None:
        self.access = settings.section(HomeAssistantSection)
        self.rest = RestClient(self.access)
        self.lock = threading.Lock()
        self.read_at = float("-inf")
        self.known: Home | None = None
        self.failed_at, self.failure = float("-inf"), ""

    def prepare(self) -> None:
        """Read the registries when they are not known or are old.

        Raises:
            ToolUnavailable: there is no answer, and no home is known from before.
            ToolDenied: the token is refused.
        """
        if not self.access.connected:
            raise ToolUnavailable("no home is connected: name one in home_assistant.url and home_assistant.token")
        with self.lock:
            now = time.monotonic()
            if self.known is not None and now - self.read_at < self.access.keep_s:
                return
            if now - self.failed_at < RETRY_S:
                self.go_on_without(self.failure)
                return
            routines = [routine.entity for routine in self.access.routines.values()]
            try:
                self.known = read_home(read_registries(self.access, routines))
            except ToolError as error:
                self.failed_at, self.failure = time.monotonic(), str(error)
                if not isinstance(error, ToolUnavailable):
                    raise
                self.go_on_without(self.failure)
                return
            self.read_at = time.monotonic()

    def go_on_without(self, why: str) -> None:
        """Use the home that is known from before. Raises: ToolUnavailable: none is."""
        if self.known is None:
            raise ToolUnavailable(why)

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
