"""What nobody named is found and veiled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.grounding.known_names import unknown_specifics, veil

KNOWN = """why is /api/search slow since 14:06 UTC? see search/cache.py and https://docs.example.org/a/b,
metrics_query 4 times"""


@each_row(
    "text, odd",
    [
        ("look at /api/search since 14:06 UTC", ()),
        ("open cache.py", ()),
        ("read https://docs.example.org/a/b", ()),
        ("read https://docs.example.org/a", ("https://docs.example.org/a",)),
        ("read https://docs.example.org/a/b/c", ("https://docs.example.org/a/b/c",)),
        ("see docs.example.org.evil.com/a", ("docs.example.org.evil.com/a",)),
        ("open other.py and /api/searches", ("other.py", "/api/searches")),
        ("write to ops@evil.example", ("ops@evil.example",)),
        ("call 10.0.0.7:8080", ("10.0.0.7:8080",)),
        ("ask <@U12345> and @channel", ("<@U12345>", "@channel")),
        ("click [here](evil/path)", ("evil/path",)),
        ("it took 35 ms", ("35 ms",)),
        ("javascript:alert", ("javascript:alert",)),
        ("metrics_query 4 times, repo_search", ("repo_search",)),
        ("ｅｖｉｌ.example/ｘ", ("evil.example/x",)),
    ],
)
def test_what_nobody_named(text: str, odd: tuple[str, ...]) -> None:
    assert unknown_specifics(text, KNOWN) == odd
    for one in odd:
        assert one not in veil(text, KNOWN)


def test_only_the_kinds_asked_for_count() -> None:
    assert unknown_specifics("open other.py in 35 ms", KNOWN, frozenset({"path"})) == ("other.py",)


def test_a_mention_is_never_known() -> None:
    assert unknown_specifics("tell <!channel>", "tell <!channel>") == ("<!channel>",)


@given(st.text(max_size=200), st.text(max_size=100))
def test_what_is_veiled_holds_nothing_unknown_that_leads_somewhere(text: str, known: str) -> None:
    veiled = veil(f"{text} https://evil.example/{len(text)} ", known)
    assert "evil.example" not in veiled
    assert not unknown_specifics(veiled, known, frozenset({"url", "mention"}))


@given(st.text(max_size=300))
def test_everything_said_is_known_to_itself_but_mentions(text: str) -> None:
    assert not unknown_specifics(text, text, frozenset({"url", "path", "version", "commit"}))
