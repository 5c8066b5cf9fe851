"""Slack's text is read as a person reads it."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from bot.parse import addressed_text
from tests.support.each_row import each_row
from tests.support.payload_reading import received
from tests.support.slack_payloads import APP, mention
from workers.language.mrkdwn import plain_text


@each_row(
    "raw, read",
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
    assert addressed_text(received(mention(f"hey <@{APP}>, why?"))) == "hey why?"
    assert addressed_text(received(mention(f"why is <@U5> paged? <@{APP}>"))) == "why is @U5 paged?"
    unnamed = {**mention("<@U0OTHER|bot>: why?"), "authorizations": []}
    assert addressed_text(received(unnamed)) == "why?"


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
    assert addressed_text(received(mention(raw))) == " ".join((*around, f"@{name}", f"@{user}"))


@each_row("text", ["<" * 300_000, " " * 300_000, "<@" * 150_000, "&amp" * 100_000, f"<@{APP}" * 50_000])
def test_huge_text_is_read_in_one_pass(text: str) -> None:
    assert plain_text(text, frozenset({APP}), leading=True) is not None


@each_row(
    "said, read",
    [
        (":+1:", ":+1:"),
        (": why?", "why?"),
        (", :eyes: why?", ":eyes: why?"),
        (":tada: perfect", ":tada: perfect"),
    ],
)
def test_a_colon_after_the_mention_goes_unless_an_emoji_begins_with_it(said: str, read: str) -> None:
    assert addressed_text(received(mention(f"<@{APP}>{said}"))) == read
    assert addressed_text(received(mention(f"<@{APP}> {said}"))) == read
    unnamed = {**mention(f"<@{APP}> {said}"), "authorizations": []}
    assert addressed_text(received(unnamed)) == read
