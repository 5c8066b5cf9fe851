"""Routes as web frameworks write them: one form for all notations of a parameter.

``/users/<uuid:pk>``, ``/users/{id:[0-9]+}``, ``/users/[id]``, ``/users/:id`` and ``/users/$id`` are ``/users/*``. So is
what takes the rest of a path: ``*path``, ``[...slug]``, ``{rest:.*}``.
"""

from __future__ import annotations

import re
from functools import lru_cache

PIECE = (
    r"\$?\{[^{}\s]*(?:\{[^{}\s]*\}[^{}\s]*)*\}|<[^<>\s/]*>|\[\[?[\w.:-]+\]\]?|(?<![\w}>])[:*$]\w*(?:\([^()\s]*\))?\??"
)
"""A parameter: ``{id}``, ``${id}``, ``<int:id>``, ``[id]``, ``:id``, ``*path``; the braces may hold a pattern."""
ROUTE = re.compile(rf"(?<![\w.)\]}}/<\\*~$@:-])(?:/(?:[\w.~%+-]|{PIECE})+)+")
"""A route in a text; no path, closing tag or division comes before it."""
PARAMETER = re.compile(PIECE)
VALUE = re.compile(r"\d+|[0-9a-f]{8,}(-[0-9a-f]{4,})*", re.IGNORECASE)
VERB = re.compile(r"^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ANY)\s+(?=/)")


@lru_cache(maxsize=16_384)
def route_form(route: str) -> str:
    """A route in lower case with ``*`` for each parameter, whatever its notation; values of parameters stay.

    A verb before it, a query string and a closing slash are left out.
    """
    path = PARAMETER.sub("*", VERB.sub("", route.strip()))
    return path.split("?", 1)[0].rstrip("/.,;:").lower() or "/"


def verb_of(route: str) -> str:
    """The verb that stands before a route; empty without one."""
    found = VERB.match(route.strip())
    return found.group().strip() if found else ""


def with_values_open(form: str) -> str:
    """A form in which numbers and ids count as parameters too: ``/orders/42`` as ``/orders/*``."""
    return "/".join("*" if VALUE.fullmatch(part) else part for part in form.split("/"))


def same_routes(route: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some routes that are a route in any notation.

    Args:
        route: as somebody writes it; with a verb, it is that verb's where known ones have verbs.
        known: as a server writes them.

    Returns: those of its form; where none has it, those whose parameters its numbers and ids are values of.
    """
    form, verb = route_form(route), verb_of(route)
    fitting = [k for k in known if "/" in k and (not verb or verb_of(k) in {"", verb})]
    same = tuple(k for k in fitting if route_form(k) == form)
    if same or with_values_open(form) == form:
        return same
    return tuple(k for k in fitting if route_form(k) == with_values_open(form))
