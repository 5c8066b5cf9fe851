"""One connection to a server that speaks the Prometheus HTTP API: who asks, over which TLS, within which bounds."""

from __future__ import annotations

import json
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Generator, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx

from workers.errors import ToolUnavailable
from workers.settings.schema import PrometheusSource
from workers.sources.http_answers import explain

MAX_BYTES = 16_000_000
LONG_QUERY = 1_500  # characters; longer ones go as a form
CONNECT_S = 2.0  # a server that is there accepts at once, however busy it is
KEEP_S = 60.0  # how long lists of names are kept
TENANT = "X-Scope-OrgID"
T = TypeVar("T")


class TokenFile(httpx.Auth):
    """A bearer token that stands in a file and may be replaced there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Put the token into a request."""
        try:
            token = self.path.read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise ToolUnavailable(f"prometheus.bearer_token_file {str(self.path)!r} cannot be read") from error
        request.headers["Authorization"] = f"Bearer {token}"
        yield request


def authentication(access: PrometheusSource) -> httpx.Auth | None:
    """Who asks, when not by the address or headers alone.

    Raises:
        ToolUnavailable: two ways are given at once.
    """
    given = [k for k in ("bearer_token", "bearer_token_file", "username") if getattr(access, k)]
    if len(given) > 1:
        raise ToolUnavailable(f"prometheus.{given[0]} and prometheus.{given[1]} stand together; give one of them")
    if access.bearer_token_file:
        return TokenFile(Path(access.bearer_token_file).expanduser())
    return httpx.BasicAuth(access.username, access.password) if access.username else None


def encryption(access: PrometheusSource) -> ssl.SSLContext | bool:
    """How a server's certificate is checked, and our own shown.

    Raises:
        ToolUnavailable: a file cannot be read, or a key is given without its certificate.
    """
    if not (access.ca_file or access.cert_file or access.key_file or access.insecure_skip_verify):
        return True
    if access.key_file and not access.cert_file:
        raise ToolUnavailable("prometheus.key_file needs prometheus.cert_file")
    key = "ca_file"
    try:
        context = ssl.create_default_context(cafile=expanded(access.ca_file))
        key = "cert_file"
        if access.cert_file:
            context.load_cert_chain(str(expanded(access.cert_file)), expanded(access.key_file))
    except (OSError, ValueError) as error:
        path = getattr(access, key)
        raise ToolUnavailable(f"prometheus.{key} {path!r} cannot be used: {error.args[-1]}") from error
    if access.insecure_skip_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def expanded(path: str) -> str | None:
    """A path with its home folder; None for none."""
    return str(Path(path).expanduser()) if path else None


class HttpApi:
    """Asks one server. A path in the address is kept; credentials are used and never shown.

    Args:
        url: the server's address.
        headers: sent with every request.
        timeout_ms: for one request.
        transport: stands in for the network.
        access: how the server is entered.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        timeout_ms: int = 5_000,
        transport: httpx.BaseTransport | None = None,
        access: PrometheusSource | None = None,
        connections: int = 16,
    ) -> None:
        access = access or PrometheusSource()
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ToolUnavailable(f"prometheus.url {url!r} is not a URL") from error
        if address.scheme not in {"http", "https"} or not address.host:
            raise ToolUnavailable(f"prometheus.url {url!r} is not an http:// or https:// address")
        sent = {"Accept": "application/json", **(headers or {})}
        sent |= {TENANT: access.tenant} if access.tenant else {}
        sent |= {"Authorization": f"Bearer {access.bearer_token}"} if access.bearer_token else {}
        own = "bearer_token_file" if access.bearer_token_file else "password" if access.username else "bearer_token"
        self.secret = f"prometheus.{own}"
        self.shown = str(address.copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")
        self.timeout_ms = timeout_ms
        verify = encryption(access)
        if verify is True and address.scheme == "http":
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # reading who may sign takes longer than a question
        try:
            self.client = httpx.Client(
                base_url=str(address.copy_with(query=None, fragment=None)).rstrip("/") + "/",
                headers=sent,
                auth=authentication(access),
                verify=verify,
                timeout=httpx.Timeout(timeout_ms / 1000, connect=min(timeout_ms / 1000, CONNECT_S)),
                transport=transport,
                limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            )
        except UnicodeEncodeError as error:
            raise ToolUnavailable("prometheus: a header, the tenant or the token holds more than ASCII") from error
        self.close = weakref.finalize(self, self.client.close)  # tools are never closed; connections are
        self.lock = threading.Lock()
        self.kept: dict[Hashable, tuple[float, Any]] = {}

    def ask(self, path: str, params: Mapping[str, Any]) -> Any:
        """The ``data`` of one API call. Raises: ToolUnavailable: as `answer` does."""
        return self.answer(path, params)["data"]

    def answer(self, path: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The whole answer to one API call: ``data``, and ``warnings`` where there are any.

        Raises:
            ToolUnavailable: with one sentence for each way a server can fail.
        """
        deadline = time.monotonic() + self.timeout_ms / 1000
        form = len(str(params.get("query", ""))) > LONG_QUERY
        sent = {"data": params} if form else {"params": params}
        try:
            with self.client.stream("POST" if form else "GET", f"api/v1/{path}", **sent) as response:  # type: ignore[arg-type]
                body = self.read(response, deadline)
        except httpx.ConnectTimeout as error:
            raise ToolUnavailable(f"prometheus at {self.shown} cannot be reached: nothing accepts") from error
        except httpx.TimeoutException as error:
            raise self.slow() from error
        except httpx.HTTPError as error:
            raise ToolUnavailable(f"prometheus at {self.shown} cannot be reached: {explain(error)}") from error
        return self.understand(response.status_code, body)

    def read(self, response: httpx.Response, deadline: float) -> bytes:
        """The body, within its size and time."""
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_BYTES:
                raise ToolUnavailable(f"prometheus at {self.shown} answered more than {MAX_BYTES // 10**6} MB")
            if time.monotonic() > deadline:
                raise self.slow()
        return bytes(body)

    def slow(self) -> ToolUnavailable:
        """The error for a server that does not answer in time."""
        return ToolUnavailable(f"prometheus at {self.shown} did not answer within {self.timeout_ms} ms")

    def understand(self, status: int, body: bytes) -> Mapping[str, Any]:
        """An answer with its data, or the error it stands for."""
        if status in {401, 403}:
            raise ToolUnavailable(f"prometheus at {self.shown} refuses us ({status}): see {self.secret} in oracle.yaml")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            if status != 200:
                raise ToolUnavailable(f"prometheus at {self.shown} answered {status}") from error
            raise self.nonsense() from error
        if not isinstance(answer, dict) or answer.get("status") not in {"success", "error"}:
            raise ToolUnavailable(f"prometheus at {self.shown} answered {status}") if status != 200 else self.nonsense()
        if answer["status"] == "error":
            why = " ".join(str(answer.get("error") or f"status {status}").split())[:200]
            why = "too many samples" if "too many samples" in why else why
            raise ToolUnavailable(f"prometheus at {self.shown} refused: {why}")
        if status != 200 or "data" not in answer:
            raise self.nonsense()
        return answer

    def nonsense(self) -> ToolUnavailable:
        """The error for an answer of another kind."""
        return ToolUnavailable(f"prometheus at {self.shown} answered something that is not the Prometheus API")

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """A value asked for at most once a minute."""
        with self.lock:
            at, value = self.kept.get(key, (-KEEP_S, None))
        if time.monotonic() - at < KEEP_S and value is not None:
            return value  # type: ignore[no-any-return]
        made = make()
        with self.lock:
            if len(self.kept) > 2_000:
                self.kept.clear()
            self.kept[key] = (time.monotonic(), made)
        return made

    def words(self, path: str, params: Mapping[str, Any]) -> tuple[str, ...]:
        """A list of names."""
        data = self.ask(path, params)
        if not isinstance(data, list) or not all(isinstance(w, str) for w in data):
            raise self.nonsense()
        return tuple(sorted(data))
