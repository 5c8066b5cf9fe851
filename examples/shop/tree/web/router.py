"""Routes. A route's endpoint is its label in the metrics, so it never holds an id."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from web.request import HTTPError, Request, Response

Handler = Callable[[Request], Response]


@dataclass(frozen=True)
class Route:
    method: str
    pattern: re.Pattern[str]
    endpoint: str
    handler: Handler


class Router:
    def __init__(self) -> None:
        self._routes: list[Route] = []

    def add(self, method: str, path: str, handler: Handler) -> None:
        """``/api/products/<id>`` matches any id and is labelled ``/api/products``."""
        pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", path)
        endpoint = re.sub(r"/<\w+>", "", path)
        self._routes.append(Route(method, re.compile(f"^{pattern}$"), endpoint, handler))

    def find(self, request: Request) -> tuple[Route, Request]:
        known = False
        for route in self._routes:
            match = route.pattern.match(request.path)
            if match and route.method == request.method:
                return route, replace(request, params=match.groupdict())
            known = known or match is not None
        if known:
            raise HTTPError(405, f"{request.method} is not allowed here")
        raise HTTPError(404, "no such page")
