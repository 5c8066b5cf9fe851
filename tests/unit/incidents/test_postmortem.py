"""The draft of a postmortem: what it holds, and that Markdown shows every text as it was written."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.channel import DAY, OUTAGE, channel
from workers.incidents.measured import Measured
from workers.incidents.model import Line, Standing, Summary
from workers.incidents.postmortem import file_name, write_postmortem
from workers.incidents.summarize import summarize

NOTHING = Measured(start=DAY, end=DAY, gaps=("error_ratio: no metrics source is connected",))
SINCE, UNTIL = DAY + timedelta(hours=9, minutes=9), DAY + timedelta(hours=10, minutes=32)


def address(ts: str) -> str:
    return f"https://acme.slack.com/archives/C1/p{ts.replace('.', '')}"


def shown(markdown: str) -> list[str]:
    """The text of each block as it is read."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "inline":
            parts = [child.content if child.type in {"text", "code_inline"} else " " for child in token.children or ()]
            found.append(" ".join("".join(parts).split()))
    return found


def test_it_tells_what_happened_with_links_and_what_people_have_to_fill_in() -> None:
    text = write_postmortem(summarize(channel(OUTAGE)), "Checkout errors", SINCE, UNTIL, address, NOTHING)
    assert text.startswith("# Postmortem: Checkout errors\n")
    assert "- **Lasted:** 1 h 23 min" in text
    for part in ("Impact", "Timeline", "Contributing factors", "What was tried", "Actions"):
        assert f"\n## {part}\n" in text
    assert "- [x] **Priya**: Post on the status page" in text
    assert "- [ ] **Lena**: File a ticket for automatic cert renewal" in text
    assert "expired at 09:09 [[1]](https://acme.slack.com/archives/C1/p" in text
    assert text.count("_To be filled in by people:_") == 3
    assert "_Not measured:_ error\\_ratio: no metrics source is connected." in text
    assert "I'm IC" not in text.partition("## Contributing factors")[2].partition("## What was tried")[0]
    blocks = shown(text)
    assert any(block.startswith("2026-11-20 09:09") for block in blocks)


def test_a_hypothesis_stays_one() -> None:
    early = [m for m in channel(OUTAGE) if f"{m.at:%H:%M}" <= "09:23"]
    text = write_postmortem(summarize(early), "Checkout errors", SINCE, UNTIL, address, NOTHING)
    assert "b81f2c of checkout-api that went out at 09:06 [[1]]" in text
    assert "- **Hypothesis:** I suspect the deploy b81f2c" in text
    assert "**Evidenced:**" not in text


MARKS = st.text("&lt;gamp#x1 *_`~[]()<>!|\\{}-+=.:/", min_size=1, max_size=40)
"""Texts full of what Markdown reads."""


@given((st.text(min_size=1, max_size=80) | MARKS).filter(str.strip))
@example("pods &lt;none&gt; &amp; &#35; &copy;")
@example("| a | b |")
@example("1. first")
def test_any_text_is_shown_as_it_was_written(text: str) -> None:
    said = " ".join(text.split())
    summary = Summary(
        title="t", status=Standing(text="x", ts=("1.1",), state="resolved"), impact=(Line(text=text, ts=()),)
    )
    markdown = write_postmortem(summary, "t", SINCE, UNTIL, lambda _: "", NOTHING)
    assert said in shown(markdown) or any(ord(c) < 32 or c in "\x7f\x85\u2028\u2029\ufffd" for c in said)


def test_its_name_is_one_for_every_system() -> None:
    assert file_name("Checkout: 502s / EU?", DAY, 7) == "2026-11-20-checkout-502s-eu-7.md"
    assert file_name("🔥", DAY, 1) == "2026-11-20-incident-1.md"
