"""Bound or named: a count or a list with a condition that nobody read is no answer, and what was not read is told."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.operations_agent import LANDSCAPE, NOW, inquire, intend, plan, question
from workers.agents.operations.answer_writers import write_answer
from workers.contracts import NEAREST, Draft, Evidence, Fact
from workers.ports import Brief

COUNTS = (
    "how many requests failed for heron-mini",
    "which requests failed on heron-mini",
    "what errors are there",
    "number of failed requests of heron-mini",
    "how many timeouts on heron-mini/east-cloud",
    "list active incidents",
    "how many incidents were there last week",
    "which incidents ended yesterday",
    "how many deployments are degraded",
    "which deployments are down",
    "how much traffic did we get yesterday",
    "how many requests did support-desk make yesterday",
    "average latency of heron-mini by backend",
)
LEADS = ("excluding", "except for", "outside", "unless", "only over", "but not from", "other than", "leaving aside")
PLACES = ("region eu", "germany", "cached ones", "websockets", "canada", "gpu pods", "the night shift")
DENIED = ("not on east-cloud", "without premium", "without heron-large")


def answer(text: str) -> Draft:
    """What is written over a state in which something is wrong."""
    read = inquire(text)
    facts = {
        "healthy": Fact(value=2),
        "total": Fact(value=3),
        "degraded": Fact(value=1),
        "as_of": Fact(value=NOW.isoformat(), unit="time"),
        "count": Fact(value=300),
        "error_count": Fact(value=12),
        "timeout_count": Fact(value=3),
    }
    places = ("context://deployments", "context://requests", "context://rows", "context://incidents")
    items = tuple(
        Evidence(id=f"E{n}", kind="row", title=place, locator=place, facts=facts, step="rows")
        for n, place in enumerate(places, 1)
    )
    brief = Brief(question(text), intend(text), plan(text), LANDSCAPE, items, ())
    return write_answer(brief, read)


@given(st.sampled_from(COUNTS), st.sampled_from(LEADS), st.sampled_from(PLACES))
def test_a_count_with_an_unread_condition_is_no_headline(count: str, lead: str, place: str) -> None:
    text = f"{count} {lead} {place}?"
    draft, read = answer(text), inquire(text)
    assert read.query is None
    head = draft.headline
    assert head.template.startswith(NEAREST) or not head.evidence
    named = " ".join(gap.text for gap in draft.missing if gap.tool == "question")
    assert re.findall(r"\w+", place)[-1] in named


@given(st.sampled_from(COUNTS), st.sampled_from(DENIED))
def test_a_name_that_is_left_out_is_not_counted_in(count: str, denied: str) -> None:
    text = f"{count} {denied}?"
    draft, read = answer(text), inquire(text)
    assert read.query is None
    assert draft.headline.template.startswith(NEAREST) or not draft.headline.evidence
    assert denied.rpartition(" ")[2] in " ".join(gap.text for gap in draft.missing)


@given(st.sampled_from(COUNTS))
def test_a_count_of_which_every_word_is_read_is_an_answer(count: str) -> None:
    read = inquire(f"{count}?")
    assert read.unread == ()
    assert not read.is_conditional
