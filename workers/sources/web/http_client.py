"""One request for a page or a file of a site: who asks, within which size and time, unpacked no further than that."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

from workers.errors import ToolUnavailable
from workers.sources.web.address_rules import AddressRules
from workers.sources.web.guarded_transport import GuardedTransport, Resolve, ends_within, resolve_name

AGENT = "OracleOnCall"
HEADERS = {"user-agent": f"{AGENT}/1.0 (reads documentation)", "accept-encoding": "gzip, deflate"}
CONNECT_S, READ_S = 5.0, 10.0
GZIP, ZLIB, DEFLATE = 31, 15, -15
PACKED = {"gzip": GZIP, "x-gzip": GZIP, "deflate": ZLIB}


@dataclass(frozen=True)
class Answer:
    """What a server said. ``whole``: the body is all of it, not only its first bytes."""

    status: int
    headers: httpx.Headers
    body: bytes = b""
    whole: bool = True

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters; empty when none is said."""
        said: str = self.headers.get("content-type", "")
        return said.partition(";")[0].strip().lower()


def open_client(rules: AddressRules, accept: str, proxy: str = "", resolve: Resolve = resolve_name) -> httpx.Client:
    """A client that reaches what the rules allow, follows no redirect by itself and keeps no cookie for the next host.

    Args:
        rules, proxy, resolve: as `GuardedTransport` takes them.
        accept: the media types that are asked for.
    """
    return httpx.Client(
        transport=GuardedTransport(rules, proxy, resolve),
        headers={**HEADERS, "accept": accept},
        timeout=httpx.Timeout(READ_S, connect=CONNECT_S),
        follow_redirects=False,
        trust_env=False,
    )


def ask(
    client: httpx.Client, address: str, most_bytes: int, within_s: float, headers: Mapping[str, str] | None = None
) -> Answer:
    """One answer, its body unpacked and cut at a size.

    Args:
        client: see `open_client`.
        address: of a page.
        most_bytes: of the body, once it is unpacked.
        within_s: for all of it, from the name's resolution to the last byte.
        headers: sent beside the client's own.

    Raises:
        ToolUnavailable: no answer, none in time, or one that cannot be unpacked.
        ToolDenied: the address may not be reached.
    """
    host = address[:100]
    try:
        host = httpx.URL(address).host
        with ends_within(within_s) as end, client.stream("GET", address, headers=dict(headers or {})) as answer:
            client.cookies.clear()
            body = bytearray()
            for part in unpacked(answer, most_bytes):
                if time.monotonic() > end:
                    raise ToolUnavailable(f"{host} did not answer in time")
                body += part[: most_bytes + 1 - len(body)]
                if len(body) > most_bytes:
                    return Answer(answer.status_code, answer.headers, bytes(body[:most_bytes]), whole=False)
            return Answer(answer.status_code, answer.headers, bytes(body))
    except httpx.TimeoutException as error:
        raise ToolUnavailable(f"{host} did not answer in time") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise ToolUnavailable(f"{host} does not answer: {str(error)[:150] or type(error).__name__}") from error
    except zlib.error as error:
        raise ToolUnavailable(f"{host} sent a body that cannot be unpacked") from error


def unpacked(answer: httpx.Response, most_bytes: int) -> Iterator[bytes]:
    """The parts of a body. A part that unpacks to more than anyone reads is not unpacked further.

    Raises:
        ToolUnavailable: it is packed in a way that was not asked for.
        zlib.error: it is damaged.
    """
    packing = answer.headers.get("content-encoding", "identity").strip().lower()
    if packing in {"", "identity"}:
        yield from answer.iter_raw()
        return
    if packing not in PACKED:
        raise ToolUnavailable(f"{answer.url.host} packs its answer as {packing[:40]!r}, which is not read")
    bits, unpacker = PACKED[packing], None
    for part in answer.iter_raw():
        if unpacker is None:
            headless = bits == ZLIB and part[:1] and part[0] & 0x0F != zlib.DEFLATED
            unpacker = zlib.decompressobj(DEFLATE if headless else bits)
        yield unpacker.decompress(part, most_bytes + 1)
        if unpacker.eof:
            return
