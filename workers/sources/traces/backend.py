"""What holds traces: what it can be asked for, and the connection to one that speaks HTTP."""

from __future__ import annotations

import json
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import httpx

from workers.errors import ToolUnavailable
from workers.settings.schema import TracesSection
from workers.sources.certificates import trusted
from workers.sources.http_answers import answering
from workers.sources.traces.reading import read_spans
from workers.sources.traces.span import Span

Params = Mapping[str, str | int]
THREADS = 6


@dataclass(frozen=True)
class Search:
    """Which traces: those with a span that all of it holds for. ``since``, ``until``: aware; ``min_ms``: the least
    duration of that span; ``limit``: how many traces."""

    since: datetime
    until: datetime
    service: str = ""
    operation: str = ""
    min_ms: float = 0.0
    errors_only: bool = False
    limit: int = 20

    def holds_for(self, span: Span) -> bool:
        """Whether a span is what is searched for."""
        return (
            self.since <= span.start <= self.until
            and (not self.service or span.service.lower() == self.service.lower())
            and (not self.operation or span.name.lower() == self.operation.lower())
            and span.duration_ms >= self.min_ms
            and (span.error or not self.errors_only)
        )


@dataclass(frozen=True)
class Found:
    """Whole traces. ``skipped``: what could not be read, counted by the reason; ``more``: there may be more traces than
    were asked for; ``unanswered``: requests that failed, of a trace that was found or of one service of several."""

    spans: tuple[Span, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    more: bool = False
    unanswered: int = 0


class TraceBackend(Protocol):
    """What holds traces. All of it raises ToolUnavailable, with a sentence, when it does not answer."""

    def trace(self, trace_id: str) -> Found:
        """One trace; no spans when there is none of this id."""
        ...

    def search(self, search: Search) -> Found:
        """Traces with a span that is searched for, the newest."""
        ...

    def services(self) -> tuple[str, ...]:
        """Names of services that sent spans, sorted."""
        ...

    def page(self, trace_id: str, span_id: str) -> str | None:
        """Where people look at a span in a browser; None where that is not known."""
        ...

    def ping(self) -> str:
        """What it is and that it answers, in one line."""
        ...


class NotFound(ToolUnavailable):
    """The server has nothing at a path."""


class TraceServer:
    """A connection to a server of traces. Threads may share it."""

    def __init__(self, section: TracesSection, called: str, transport: httpx.BaseTransport | None = None) -> None:
        self.section, self.called = section, called
        headers = {"accept": "application/json"}
        headers |= {"authorization": f"Bearer {section.token}"} if section.token else {}
        headers |= {"x-scope-orgid": section.tenant} if section.tenant else {}
        self.http = httpx.Client(
            base_url=section.url.rstrip("/"),
            headers=headers,
            timeout=section.timeout_ms / 1000,
            verify=trusted(section.url, section.ca_file),
            trust_env=False,
            transport=transport,
        )
        self.address = str(self.http.base_url.copy_with(userinfo=b"")).rstrip("/")
        weakref.finalize(self, self.http.close)  # its connections are kept open between questions

    def get(self, path: str, params: Params | None = None) -> Any:
        """One answer as JSON. ``path``: below the address.

        Raises:
            NotFound: there is nothing there.
            ToolUnavailable: no answer, none in time, too long a one, the token is refused, or it sends no JSON.
        """
        asked = self.http.stream("GET", path, params=dict(params or {}))
        with answering(self.called, self.section.timeout_ms), asked as answer:
            body = self.body_of(answer)
        if answer.status_code in {401, 403}:
            raise ToolUnavailable(
                f"{self.called} refuses the token ({answer.status_code}): see traces.token in oracle.yaml"
            )
        if answer.status_code == 404:
            raise NotFound(f"{self.called} has nothing at {path}")
        if answer.status_code >= 300:
            said = " ".join(body.decode("utf-8", "replace").split())[:150]
            raise ToolUnavailable(f"{self.called} answers {answer.status_code}{f': {said}' if said else ''}")
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ToolUnavailable(f"what answers in {self.called}'s place does not send JSON") from error

    def body_of(self, answer: httpx.Response) -> bytes:
        """What it sends. Raises: ToolUnavailable: it is too long."""
        body = bytearray()
        for part in answer.iter_bytes():
            body += part
            if len(body) > self.section.most_bytes:
                raise ToolUnavailable(f"{self.called} sends more than {self.section.most_bytes} bytes in one answer")
        return bytes(body)

    def list_of(self, key: str, path: str, params: Params | None = None) -> list[Any]:
        """The list under a key of an answer; empty when it is null or left out. Raises: as `get`."""
        answer = self.get(path, params)
        found = answer.get(key) or [] if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise ToolUnavailable(f"what answers in {self.called}'s place is no {self.called}")
        return found

    def close(self) -> None:
        """Close the connections."""
        self.http.close()


def each(fetch: Callable[[str], Any], names: Sequence[str]) -> list[Any]:
    """What is fetched for each name, several at a time, in their order; where that fails, the error itself.

    Raises: ToolUnavailable: all of them failed.
    """

    def attempt(name: str) -> Any:
        try:
            return fetch(name)
        except ToolUnavailable as error:
            return error

    if not names:
        return []
    with ThreadPoolExecutor(max_workers=min(THREADS, len(names)), thread_name_prefix="traces") as pool:
        found = list(pool.map(attempt, names))
    failed = [one for one in found if isinstance(one, ToolUnavailable)]
    if len(failed) == len(found):
        raise failed[0]
    return found


def read_answers(answers: Iterable[Any], *, more: bool = False) -> Found:
    """The spans of several answers; errors among them are counted."""
    skipped: Counter[str] = Counter()
    spans: list[Span] = []
    unanswered = 0
    for answer in answers:
        if isinstance(answer, ToolUnavailable):
            unanswered += 1
        else:
            if isinstance(answer, dict) and answer.get("status") == "PARTIAL":
                skipped["rest of a trace that Tempo cut"] += 1
            spans += read_spans(answer, skipped)
    return Found(tuple(spans), dict(skipped), more, unanswered)


def page_of(template: str, trace_id: str, span_id: str) -> str | None:
    """The address of a span by a template with {trace_id} and {span_id}; None without one."""
    shown = span_id.removesuffix(":server")
    return template.replace("{trace_id}", trace_id).replace("{span_id}", shown) if template else None
