"""The REST API: states, their history, services. Every failure is a `ToolError` with a sentence."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx

from workers.agents.home.sections import HomeAssistantSection
from workers.agents.home.source.model import Moment, State
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.sources.certificates import trusted
from workers.sources.http_answers import explain

CONNECT_S = 2.0
WORDS = 200
"""Of what a server says, so many characters are told."""


class TooSlow(ToolUnavailable):
    """It did not answer in time."""


class AnswerLost(ToolUnavailable):
    """A request was sent, and what became of it is not known."""


class RestClient:
    """One Home Assistant. Safe for several threads; connections are kept open."""

    def __init__(self, access: HomeAssistantSection) -> None:
        verify = access.ca_file or (False if access.insecure_skip_verify else trusted(access.url))
        within_s = access.timeout_ms / 1000
        self.token = access.token
        self.client = httpx.Client(
            base_url=access.url.rstrip("/") + "/api/",
            headers={"authorization": f"Bearer {access.token}"},
            timeout=httpx.Timeout(within_s, connect=min(within_s, CONNECT_S)),
            verify=verify,
            trust_env=False,
        )
        self.close = weakref.finalize(self, self.client.close)  # tools are never closed; connections are

    def states(self) -> dict[str, State]:
        """All states, by entity id. Raises: ToolUnavailable, ToolDenied."""
        found = (read_state(row) for row in rows_of(self.ask("GET", "states")))
        return {state.entity: state for state in found if state is not None}

    def history(self, entities: Sequence[str], start: datetime, end: datetime) -> dict[str, tuple[Moment, ...]]:
        """Values of entities in a span, oldest first; the first one held when the span began.

        Raises:
            ToolUnavailable: also when this Home Assistant keeps no history.
            ToolDenied: the token is refused.
        """
        params = {
            "filter_entity_id": ",".join(entities),
            "end_time": end.astimezone(UTC).isoformat(),
            "minimal_response": "",
            "no_attributes": "",
            "significant_changes_only": "0",
        }
        path = f"history/period/{start.astimezone(UTC).isoformat()}"
        found: dict[str, tuple[Moment, ...]] = {}
        for series in rows_of(self.ask("GET", path, params=params)):
            rows = [row for row in series if isinstance(row, dict)] if isinstance(series, list) else []
            if rows and isinstance(rows[0].get("entity_id"), str):
                found[rows[0]["entity_id"]] = tuple(m for m in map(read_moment, rows) if m is not None)
        return found

    def call_service(self, service: str, entities: Iterable[str], data: Mapping[str, Any], within_s: float) -> bool:
        """Call ``light.turn_off`` and the like. Home Assistant answers when it is done, and goes on when nobody waits.

        Args:
            service: its name.
            entities: of which.
            data: what else it is given.
            within_s: how long its end is waited for.

        Returns: whether it ended in that time.

        Raises:
            ToolArgumentError: there is no such service, or it refuses the data.
            ToolUnavailable: there is no connection.
            ToolDenied: the token is refused.
        """
        timeout = httpx.Timeout(within_s, connect=CONNECT_S)
        body = {**data, "entity_id": list(entities)}
        try:
            self.ask("POST", f"services/{service.replace('.', '/')}", json=body, timeout=timeout)
        except ToolUnavailable as error:
            if isinstance(error.__cause__, httpx.ReadTimeout):
                return False
            raise
        return True

    def version(self) -> str:
        """The version of Home Assistant. Raises: ToolUnavailable, ToolDenied."""
        said = self.ask("GET", "config")
        return str(said.get("version", "")) if isinstance(said, dict) else ""

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """One request's JSON. Raises: ToolUnavailable, ToolDenied, ToolArgumentError."""
        if not self.token:
            raise ToolUnavailable("home_assistant.token is empty: make a long-lived access token in Home Assistant")
        try:
            answer = self.client.request(method, path, **more)
        except httpx.TimeoutException as error:
            raise TooSlow("Home Assistant did not answer in time") from error
        except (httpx.ReadError, httpx.RemoteProtocolError) as error:
            raise AnswerLost("Home Assistant ended the connection without an answer") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolUnavailable(f"Home Assistant does not answer: {explain(error)}") from error
        if answer.status_code in {401, 403}:
            raise ToolDenied("Home Assistant refuses the token of home_assistant.token")
        if answer.status_code == 404:
            raise ToolUnavailable(f"this Home Assistant has no /api/{path.partition('/')[0]}")
        if answer.status_code == 400:
            raise ToolArgumentError(f"Home Assistant refuses this: {answer.text[:WORDS]}")
        if answer.status_code >= 500:
            raise AnswerLost(f"Home Assistant answers {answer.status_code}: {answer.text[:WORDS]}")
        if answer.status_code >= 300:
            raise ToolUnavailable(f"Home Assistant answers {answer.status_code}: {answer.text[:WORDS]}")
        try:
            return answer.json()
        except ValueError as error:
            raise ToolUnavailable("Home Assistant answers something that is no JSON") from error


def rows_of(answer: object) -> list[Any]:
    """A list. Raises: ToolUnavailable: it is none."""
    if not isinstance(answer, list):
        raise ToolUnavailable("Home Assistant answers in another shape than its API has")
    return answer


def read_state(row: object) -> State | None:
    """One state as the API gives it; None for what is none."""
    if not isinstance(row, dict) or not isinstance(row.get("entity_id"), str):
        return None
    given = row.get("attributes")
    attributes = given if isinstance(given, dict) else {}
    changed = read_time(row.get("last_changed") or row.get("last_updated"))
    if changed is None:
        return None
    return State(row["entity_id"], str(row.get("state", "")), attributes, changed)


def read_moment(row: Mapping[str, Any]) -> Moment | None:
    """One entry of a history; None for what is none."""
    at = read_time(row.get("last_changed") or row.get("last_updated"))
    return None if at is None or "state" not in row else Moment(str(row["state"]), at)


def read_time(said: object) -> datetime | None:
    """A time as RFC 3339, aware; None for what is none."""
    try:
        at = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else None
