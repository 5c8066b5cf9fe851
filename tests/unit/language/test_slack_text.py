"""Slack's text is read as a person reads it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.parse import addressed_text
from tests.support.slack_payloads import APP, mention
from workers.language.slack_text import plain_text, words_of


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("ask <@U7> or <@U8|ann> in <#C1|general> or <#C2>", "ask @U7 or @ann in #general or #C2"),
        ("<!here> <!channel|channel> <!subteam^S1|@payments> <!subteam^S2>", "@here @channel @payments @subteam"),
        ("since <!date^1763733600^{date}|21 November>", "since 21 November"),
        ("<http://cache.py|cache.py> and <https://x.io/a?b=1&amp;c=2>", "cache.py and https://x.io/a?b=1&c=2"),
        ("see <https://grafana.io/d/1|the dashboard>", "see the dashboard (https://grafana.io/d/1)"),
        ("<mailto:a@b.io|a@b.io> <mailto:c@d.io>", "a@b.io c@d.io"),
        ("p95 &gt; 1 &amp;&amp; errors &lt; 2, literally &amp;lt;", "p95 > 1 && errors < 2, literally &lt;"),
        ("a < b > c", "a  b  c"),
        ("line\r\n```code\x00\x1b[31m```\ud800", "line\n```code[31m```?"),
    ],
)
def test_text_as_a_person_reads_it(raw: str, read: str) -> None:
    assert plain_text(raw) == read


def test_the_apps_own_mention_is_left_out_wherever_it_stands() -> None:
    assert addressed_text(mention(f"hey <@{APP}>, why?")) == "hey why?"
    assert addressed_text(mention(f"why is <@U5> paged? <@{APP}>")) == "why is @U5 paged?"
    unnamed = {**mention("<@U0OTHER|bot>: why?"), "authorizations": []}
    assert addressed_text(unnamed) == "why?"


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


printable = st.text(st.characters(exclude_categories=("Cc", "Cs")))


@given(printable)
def test_what_someone_types_is_what_is_read(text: str) -> None:
    assert plain_text(escape(text)) == text.strip()


words = st.from_regex(r"[a-z/_.?0-9]{1,12}", fullmatch=True)


@given(st.lists(words, min_size=1), words, st.from_regex(r"[UW][A-Z0-9]{2,10}", fullmatch=True))
def test_mentions_go_and_come_back(around: list[str], name: str, user: str) -> None:
    assume(user != APP)
    raw = " ".join((f"<@{APP}>", *around, f"<@{user}|{name}>", f"<@{user}>"))
    assert addressed_text(mention(raw)) == " ".join((*around, f"@{name}", f"@{user}"))


@pytest.mark.parametrize("text", ["<" * 300_000, " " * 300_000, "<@" * 150_000, "&amp" * 100_000, f"<@{APP}" * 50_000])
def test_huge_text_is_read_in_one_pass(text: str) -> None:
    assert plain_text(text, frozenset({APP}), leading=True) is not None


def test_the_words_of_an_alert_stand_in_its_blocks_and_attachments() -> None:
    button = {"type": "button", "text": {"type": "plain_text", "text": "Acknowledge"}, "value": "ack"}
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "p95 &gt; 2 s on <https://g.io|search>"}}
    field = {"title": "severity", "value": "page", "short": True}
    attachment = {"fallback": "x", "title": "SearchLatencyHigh", "text": "since 14:06", "fields": [field]}
    alert = {"text": "", "blocks": [section, {"type": "actions", "elements": [button]}], "attachments": [attachment]}
    assert words_of(alert).split("\n") == [
        "p95 > 2 s on search (https://g.io)",
        "SearchLatencyHigh",
        "since 14:06",
        "severity",
        "page",
    ]
    assert words_of({**alert, "text": "look"}).split("\n")[:3] == [
        "look",
        "p95 > 2 s on search (https://g.io)",
        "SearchLatencyHigh",
    ]
    assert (
        words_of({"text": "p95 > 2 s on search (https://g.io)", "blocks": [section]})
        == "p95 > 2 s on search (https://g.io)"
    )
    assert words_of({"text": 7, "blocks": "x", "attachments": [None, 7, {"text": []}]}) == ""
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    assert words_of({"blocks": deep}) == ""
