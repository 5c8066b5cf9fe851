"""The help names things that exist, and nothing in it pings or links."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bot.views.help import examples, help_post
from workers.contracts import Landscape

REAL = Landscape(
    labels={"service": ("shop",), "endpoint": ("/api/zones", "/api/cart")},
    alerts=("ZonesLatencyHigh",),
    repositories=("shop",),
)


def test_examples_are_about_real_things() -> None:
    assert examples(REAL) == (
        "Why did latency spike on /api/zones after the last deploy?",
        "Which alerts are firing right now?",
        "Where is the retry policy configured in shop?",
    )


def test_a_document_makes_a_fourth_example() -> None:
    found = examples(REAL.merged(Landscape(documents=("Zones runbook",))))
    assert found[:3] == examples(REAL)
    assert found[3:] == ("What does “Zones runbook” say?",)


def test_examples_when_nothing_is_known() -> None:
    assert all(text.endswith("?") and "  " not in text for text in examples(Landscape()))


def test_what_it_says() -> None:
    post = help_post(REAL, "/oracle-staging")
    shown = json.dumps(post.blocks)
    assert "/oracle-staging" in shown
    assert "/oracle-staging" in post.text
    assert all(text in shown for text in examples(REAL))


@given(st.lists(st.text(max_size=200)))
def test_hostile_names_neither_ping_nor_link(names: list[str]) -> None:
    hostile = (*names, "<!channel>", "<https://evil.example|here>")
    post = help_post(
        Landscape(alerts=hostile, repositories=hostile, documents=hostile, labels={"endpoint": ("/<!here>", *names)})
    )
    assert "<" not in post.text
    assert len(post.text) < 3_000
    for block in post.blocks:
        assert block["type"] == "rich_text"
        assert set(_kinds(block)) <= {"rich_text", "rich_text_section", "rich_text_list", "text"}


def _kinds(element: dict[str, object]) -> list[str]:
    inner = element.get("elements", [])
    assert isinstance(inner, list)
    return [str(element["type"]), *(kind for e in inner for kind in _kinds(e))]
