"""Words to terms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.stems import stem
from workers.language.tokens import joined, route_term, routes_in, split_identifier, terms_of


@each_row(
    "word, parts",
    [
        ("retryPolicy", ["retry", "policy"]),
        ("retry_policy", ["retry", "policy"]),
        ("RetryPolicy", ["retry", "policy"]),
        ("HTTPServer", ["http", "server"]),
        ("MAX_ATTEMPTS", ["max", "attempts"]),
        ("parseHTML5Page", ["parse", "html", "5", "page"]),
        ("__init__", ["init"]),
        ("größe", ["gr", "öß", "e"]),
        ("_", []),
    ],
)
def test_identifiers_are_split(word: str, parts: list[str]) -> None:
    assert split_identifier(word) == parts


def test_terms_are_stems_and_the_whole() -> None:
    assert terms_of("retryPolicies") == (stem("retry"), stem("policies"), "=retrypolicies")
    assert terms_of("caching") == (stem("cached"),)
    assert terms_of("429") == ("429",)
    assert terms_of("1234567") == ()
    assert terms_of("a" * 65) == ()
    assert terms_of("_") == ()


@given(st.lists(st.sampled_from(["retry", "policy", "max", "http", "count"]), min_size=2, max_size=4))
def test_spelling_does_not_matter(words: list[str]) -> None:
    snake = "_".join(words)
    camel = words[0] + "".join(w.title() for w in words[1:])
    pascal = "".join(w.title() for w in words)
    assert terms_of(snake) == terms_of(camel) == terms_of(pascal) == terms_of(snake.upper())
    assert joined(snake) == joined(camel) == joined(pascal) == joined("-".join(words))


@given(st.text(max_size=80))
def test_any_word_has_plain_terms(word: str) -> None:
    for term in terms_of(word):
        assert term
        assert "\n" not in term or "\n" in word


@each_row(
    "text, routes",
    [
        ('app.get("/api/orders")', ["/api/orders"]),
        ('app.get("/api/orders/{order_id}")', ["/api/orders/*"]),
        ("@GetMapping('/users/:id/')", ["/users/*"]),
        ('path("/users/<int:pk>")', ["/users/*"]),
        ("why is /api/search slow?", ["/api/search"]),
        ("GET /api/orders/17?page=2", ["/api/orders/*"]),
        ("a / b", []),
        ("a/b", []),
        ("https://example.org/x", []),
        ("</div>", []),
        ("// comment", []),
    ],
)
def test_routes(text: str, routes: list[str]) -> None:
    assert routes_in(text) == routes


@given(st.from_regex(r"(/[a-zA-Z0-9{}:_-]{1,8}){1,4}", fullmatch=True))
def test_route_terms_are_stable(route: str) -> None:
    assert route_term(route_term(route)) == route_term(route)
