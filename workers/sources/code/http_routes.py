"""Endpoints that source code registers, found by how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from workers.sources.code.posting_lists import Terms

LITERAL = re.compile(r"""(["'`])(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+)?(/[^"'`\s]{1,200})\1""")
WRITTEN = re.compile(r"[\w/{}<>:*.~\-\[\]$()?+|\\^,=]+")
REGISTERS = re.compile(
    r"\b(routes?|router|get|post|put|patch|delete|head|options|all|any|handle\w*|path|re_path|url|mount|endpoint|prefix"
    r"|resources?|group|\w*mapping|match|use|add_\w*route\w*|method|namespace|scope|api_view|register\w*)\b",
    re.IGNORECASE,
)
BASE = re.compile(r"/(api|v\d+|rest|graphql|internal|health\w*|ready\w*|live\w*|metrics|admin|auth)\b", re.IGNORECASE)
DISK = re.compile(
    r"/(usr|etc|tmp|var|dev|proc|home|bin|sbin|opt|lib|root|sys|mnt|srv|run|private|Users|Library)(/|$)"
    r"|/\.|.*\.(py|js|ts|css|html?|png|jpe?g|svg|json|ya?ml|txt|md|go|rb|rs|php|so|conf|log|sock|pem|key|crt)$"
)


def find_routes(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, route) for string literals that are a route and stand where routes are registered."""
    for number, line in enumerate(lines, 1):
        if "/" not in line or len(line) > 400:
            continue
        for match in LITERAL.finditer(line):
            route = match[2]
            if not WRITTEN.fullmatch(route) or DISK.match(route) or "//" in route:
                continue
            if BASE.match(route) or REGISTERS.search(line[: match.start()]):
                yield number, route


def resolve_route(words: Terms, registered: Set[str], route: str) -> str | None:
    """The term under which an endpoint is known.

    Itself; else with one part taken for a parameter (``/api/users/bob`` -> ``/api/users/*``). Else one that code
    registers: a longer one that ends so (``/v1/users/bob``), or its own end, which a prefix is put before elsewhere.
    """
    if words.has(route):
        return route
    parts = route.split("/")[1:]
    for i in reversed(range(2, len(parts))):
        option = "/" + "/".join([*parts[:i], "*", *parts[i + 1 :]])
        if words.has(option):
            return option
    if all(p == "*" for p in parts):
        return None
    longer = [known for known in registered if known.endswith(route)]
    if longer:
        return min(longer, key=lambda r: (len(r), r))
    shorter = ("/" + "/".join(parts[i:]) for i in range(1, len(parts)) if parts[-1] != "*")
    return next((s for s in shorter if s in registered), None)
