"""The draft of a postmortem: what it holds, and that Markdown shows every text as it was written."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.support.channel_lines import DAY, OUTAGE, channel
from workers.incidents.summary.metric_impact import Measured
from workers.incidents.summary.narrative import story_of
from workers.incidents.summary.postmortem_draft import EndNote, file_name, write_postmortem
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import IncidentStatus, Line, Summary

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


def test_its_summary_tells_what_was_felt_why_and_what_ended_it() -> None:
    note = EndNote("Mira", Line(text="renewed by hand, OPS-12 automates it", ts=("1795000000.000100",)))
    text = write_postmortem(summarize(channel(OUTAGE)), "Checkout errors", SINCE, UNTIL, address, NOTHING, note)
    felt, cause, ended, said = text.partition("## Summary\n\n")[2].partition("\n\n##")[0].splitlines()
    begin = (
        "- **What people felt,** 2026-11-20 09:09 UTC to 2026-11-20 10:32 UTC: It's 4% of checkouts, not 6 [[1]](http"
    )
    assert felt.startswith(begin)
    assert cause.startswith(
        "- **Cause:** Found it: the payment gateway's TLS certificate in eu-west expired at 09:09 [[1]]"
    )
    assert ended.startswith("- **What ended it:**")
    assert "ollback" not in ended
    assert (
        said == f"- **Mira said with its end:** renewed by hand, OPS-12 automates it [[1]]({address(note.line.ts[0])})"
    )


def test_a_cause_that_nobody_named_is_not_known() -> None:
    early = [m for m in channel(OUTAGE) if f"{m.at:%H:%M}" <= "09:23"]
    text = write_postmortem(summarize(early), "Checkout errors", SINCE, UNTIL, address, NOTHING)
    assert "- **Cause:** _Not known yet._\n" in text


def test_how_it_showed_is_no_factor_and_the_cause_is_the_first() -> None:
    said = """
09:10 Ben: pages just spin for me and support has ~20 tickets since nine
09:11 Mira: I'm IC. SEV2, search is slow for everyone
09:14 Ben: the rollback got stuck because of the config map, canary failing readiness
09:20 Tom: found it: with the 5s timeout the ranking calls exhaust the worker pool
09:30 Tom: deployed 2.40 to 100%
09:40 Mira: all green, resolved
"""
    summary = summarize(channel(said))
    spin = Line(text="Pages just spin for me and support has ~20 tickets since nine", ts=(channel(said)[0].ts,))
    summary = summary.model_copy(update={"known": (spin, *summary.known)})
    text = write_postmortem(summary, "Search", SINCE, UNTIL, address, NOTHING)
    rows = text.partition("## Contributing factors\n\n")[2].partition("\n\n")[0].splitlines()
    assert rows[0].startswith("- **Hypothesis:** Found it: with the 5s timeout")
    assert not any("spin" in row for row in rows)
    assert "spin" in text.partition("### As people said it")[2].partition("##")[0]


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
        title="t", status=IncidentStatus(text="x", ts=("1.1",), state="resolved"), impact=(Line(text=text, ts=()),)
    )
    markdown = write_postmortem(summary, "t", SINCE, UNTIL, lambda _: "", NOTHING)
    assert said in shown(markdown) or any(ord(c) < 32 or c in "\x7f\x85\u2028\u2029\ufffd" for c in said)


def test_its_name_is_one_for_every_system() -> None:
    assert file_name("Checkout: 502s / EU?", DAY, 7) == "2026-11-20-checkout-502s-eu-7.md"
    assert file_name("🔥", DAY, 1) == "2026-11-20-incident-1.md"


def test_how_many_feel_it_is_told_before_a_status_code() -> None:
    talk = """
    17:00 maya: SEV2: customers report 502 at checkout, I'm IC, investigating.
    17:02 maya: Impact: 40% of requests to /checkout fail with 503
    17:03 tomas: found it: the connection pool is exhausted since v2 of till went out
    17:09 tomas: rolled back till to v1, errors on /checkout are back to normal
    """
    felt = story_of(summarize(channel(talk))).felt
    assert felt is not None
    assert felt.text.startswith("40% of requests")
