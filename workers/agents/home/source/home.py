"""One Home Assistant as the tools use it: the home, kept for some seconds, and states read when they are asked for."""

from __future__ import annotations

import contextlib
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
        self.failed_at = float("-inf")
        self.failure: ToolError | None = None

    def prepare(self) -> None:
        """Have the registries: wait for them once, and renew them later while what is known is used.

        Raises:
            ToolUnavailable: there is no answer, and no home is known from before.
            ToolDenied: the token is refused.
        """
        if self.known is None and self.failure is None:
            self.renew()
            return
        old = time.monotonic() - max(self.read_at + self.access.keep_s, self.failed_at + RETRY_S) >= 0
        if old and not self.lock.locked():  # whoever asks of something else does not wait for a slow home
            threading.Thread(target=self.renew_quietly, name="home-names", daemon=True).start()
        if self.known is None and self.failure is not None:
            raise self.failure

    def renew(self) -> None:
        """Read the registries now when they are not known or are old. Raises: as `prepare`."""
        if not self.access.connected:
            raise ToolUnavailable("no home is connected: name one in home_assistant.url and home_assistant.token")
        with self.lock:
            if self.known is not None and time.monotonic() - self.read_at < self.access.keep_s:
                return
            routines = [routine.entity for routine in self.access.routines.values()]
            try:
                self.known = read_home(read_registries(self.access, routines))
            except ToolError as error:
                self.failed_at, self.failure = time.monotonic(), error
                if self.known is None or not isinstance(error, ToolUnavailable):
                    raise
                return
            self.read_at, self.failure = time.monotonic(), None

    def renew_quietly(self) -> None:
        """As `renew`; a failure is kept for who asks next."""
        with contextlib.suppress(ToolError):
            self.renew()

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
