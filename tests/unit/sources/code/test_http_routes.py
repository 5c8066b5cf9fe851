"""Endpoints in code."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.code.http_routes import find_routes, resolve_route
from workers.sources.code.posting_lists import Postings, WordCounter


@each_row(
    "line, routes",
    [
        ('@app.route("/orders/<int:id>", methods=["GET"])', ["/orders/<int:id>"]),
        ("router.get('/users/:id', show)", ["/users/:id"]),
        ('mux.HandleFunc("GET /items/{id}", items)', ["/items/{id}"]),
        ('ROUTES = {"/api/search": search}', ["/api/search"]),
        ("@GetMapping('/v1/x')", ["/v1/x"]),
        ('open("/etc/passwd")', []),
        ('path = "/tmp/x"', []),
        ('get("/static/app.js")', []),
        ('print("/")', []),
        ('x = "//cdn"', []),
        ('name = "/plain"', []),
    ],
)
def test_routes_of_a_line(line: str, routes: list[str]) -> None:
    assert [route for _, route in find_routes(["", line])] == routes


def test_long_lines_of_quotes_take_no_time() -> None:
    assert list(find_routes(['"/' + "a/" * 190 + "!"] * 100)) == []


def words(*routes: str) -> Postings:
    counter = WordCounter(1)
    counter.add(0, 0, routes)
    return counter.postings(1, lambda word: (word,))


@each_row(
    "route, known, found",
    [
        ("/api/search", "/api/search", "/api/search"),
        ("/api/users/bob", "/api/users/*", "/api/users/*"),
        ("/search", "/api/search", "/api/search"),
        ("/api/search", "/search", "/search"),
        ("/api/nothing", "/api/*", None),
        ("/api/nothing", "/api/search", None),
        ("/*", "/api/*", None),
    ],
)
def test_an_endpoint_is_known_by_other_spellings(route: str, known: str, found: str | None) -> None:
    assert resolve_route(words(known), {known}, route) == found


def test_what_only_stands_somewhere_is_no_mount() -> None:
    assert resolve_route(words("/search"), set(), "/api/search") is None
    assert resolve_route(words("/search"), set(), "/search") == "/search"
