"""One route in the notations of many frameworks."""

from __future__ import annotations

import time

from tests.support.each_row import each_row
from workers.language.route_notation import PIECE, ROUTE, route_form, same_routes
from workers.language.tokens import routes_in

NOTATIONS = [
    "/users/<uuid:pk>/cart",
    "/users/<pk>/cart",
    "/users/{id}/cart",
    "/users/{id:[0-9]+}/cart",
    "/users/{id:[^/]+}/cart",
    "/users/{id:[0-9]{4}}/cart",
    "/users/${user.id}/cart",
    "/users/[id]/cart",
    "/users/[...slug]/cart",
    "/users/:id/cart",
    r"/users/:id(\d+)/cart",
    "/users/*path/cart",
    "/users/*/cart",
    "/Users/:id/cart/",
]


@each_row("route", NOTATIONS)
def test_every_notation_of_a_parameter_in_the_middle_is_one_route(route: str) -> None:
    assert route_form(route) == "/users/*/cart"
    assert routes_in(f"why is GET {route} slow") == ["/users/*/cart"]
    assert same_routes(route, ("/users/:id/cart", "/users/:id/orders", "/users/me/cart")) == ("/users/:id/cart",)


def test_parts_of_a_segment_stay() -> None:
    assert route_form("/blog/{_locale}/list.{_format}") == "/blog/*/list.*"
    assert route_form("/flights/:from-:to") == "/flights/*-*"


def test_values_are_those_of_a_parameter_only_where_no_route_has_them() -> None:
    assert same_routes("/errors/404", ("/errors/404", "/errors/500", "/errors/:code")) == ("/errors/404",)
    assert same_routes("/errors/404", ("/errors/:code", "/errors/500")) == ("/errors/:code",)


def test_a_verb_chooses_among_routes_that_have_verbs() -> None:
    known = ("GET /x/:id", "POST /x/:id", "/y")
    assert same_routes("GET /x/{id}", known) == ("GET /x/:id",)
    assert same_routes("/x/{id}", known) == known[:2]


@each_row("part", ["/a{", "/{{a}", "/[[", "[a", "/:a(", "/<a", "${", "/a", "*:"])
def test_routes_are_read_in_linear_time(part: str) -> None:
    text = "/" + part * 8_000
    began = time.process_time()
    routes_in(text)
    route_form(text)
    assert time.process_time() - began < 2.0
    assert max(len(ROUTE.pattern), len(PIECE)) <= 160
