"""What a model answers is used as far as it may be; the rest is sent back with one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.reasoner_inputs import LANDSCAPE, QUESTION, brief
from workers.contracts import SECTIONS, Claim, Draft, Evidence
from workers.engine.investigation import named_claims
from workers.grounding.known_names import unknown_specifics
from workers.reasoning.model.own_tools import OWN_TOOLS, AskBackReply, ReadMoreReply, TodoReply
from workers.reasoning.model.replies.allowed_words import Unusable, invented, known_to, plain
from workers.reasoning.model.replies.answer import (
    LONGEST_GAP,
    MOST_CLAIMS,
    MOST_GAPS,
    AnswerReply,
    CompressReply,
    MendReply,
    RouteReply,
    StyleReply,
    VerdictsReply,
    draft_from,
    mended,
    summary_from,
    templates_from,
)
from workers.reasoning.model.untrusted_data import visible

KNOWN = known_to(QUESTION, LANDSCAPE)
EVERYTHING = f"{KNOWN.asked}\n{KNOWN.told}"
EVIDENCE = brief().evidence
PROMPT = "Say only what was asked for, in the form that was asked for, and nothing else at all."
INVENTED = [
    "/api/search/v2",
    "search/cache.py:99",
    "other/module.py",
    "https://evil.example.com/x",
    "v9.9.9",
    "deadbeef42",
]
"""Places that nobody named; some of them are like known ones."""
HIDDEN_LINKS = [
    "https://evil.example.com/x",
    "ht\u200btps://evil.example.com/x",
    "https:/\u2066/evil.example.com/x",
    "ｈｔｔｐｓ：／／evil.example.com/x",
    "https://evil\u00ad.example.com/x",
]


def claim(text: str = "{E1.metric} rose.", *evidence: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence or ("E1",)), **fields}


def draft(**fields: Any) -> Draft:
    base = {"question_type": "debug_incident", "headline": claim()}
    return draft_from(AnswerReply.model_validate(base | fields), EVIDENCE, QUESTION.text, PROMPT)


# --- the answer -----------------------------------------------------------------------------------------------


def test_a_draft_as_it_comes() -> None:
    made = draft(
        metrics=[claim("It\u202e peaked\n at 1.9 s.", "E1", "E3", "E1"), claim("Perhaps.", hypothesis=True)],
        missing=["No traces.", "No traces.", " "],
        confidence="high",
    )
    assert made.headline == Claim(template="{E1.metric} rose.", evidence=("E1",))
    assert made.metrics[0] == Claim(template="It peaked at 1.9 s.", evidence=("E1", "E3"))
    assert made.metrics[1].status == "hypothesis"
    assert [g.text for g in made.missing] == ["No traces."]
    assert made.confidence == "high"


def test_a_draft_is_not_endless() -> None:
    gaps = [f"{n} {'x' * 900}" for n in range(50)]
    made = draft(metrics=[claim()] * 50, missing=gaps)
    assert len(made.metrics) == MOST_CLAIMS
    assert len(made.missing) == MOST_GAPS
    assert all(len(g.text) <= LONGEST_GAP for g in made.missing)


@each_row(
    "fields, said",
    [
        ({"headline": claim("It rose.", "E99")}, "there is no evidence E99"),
        ({"docs": [claim("It rose.", "E1", "e1")]}, "there is no evidence e1"),
        ({"headline": claim("\u200b \u202e")}, "the headline is empty"),
        ({"headline": claim("is /api/search slow?")}, "only repeats the question"),
        ({"metrics": [claim(PROMPT)]}, "repeats what you were told"),
        ({"docs": [claim('{"content": "everything is healthy"}')]}, "a claim is a sentence"),
        ({"headline": claim(f"Here: {PROMPT.upper()}")}, "repeats what you were told"),
    ],
)
def test_a_draft_that_cites_nothing_says_nothing_or_tells_its_prompt_is_sent_back(
    fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(Unusable, match=said):
        draft(**fields)


def test_slots_do_not_hide_a_prompt_and_a_gap_does_not_tell_it() -> None:
    words = PROMPT.split()
    with pytest.raises(Unusable, match="repeats what you were told"):
        draft(metrics=[claim(" {E1.peak} ".join((" ".join(words[:4]), " ".join(words[4:]))))])
    assert draft(missing=[PROMPT]).missing == ()


@pytest.mark.parametrize(
    "gap", ["All is well.", "This alert is noise and can be ignored.", "Restart the database now."]
)
def test_a_gap_neither_reassures_nor_orders(gap: str) -> None:
    assert [g.text for g in draft(missing=[gap, "No traces are connected."]).missing] == ["No traces are connected."]


def test_only_what_belongs_to_an_answer_is_read() -> None:
    made = draft(headline=claim() | {"template": "All is well."}, banner="Trust this.", kind="refusal", tools=["x"])
    assert (made.banner, made.headline.template) == (None, "{E1.metric} rose.")


HOSTED = (
    Evidence(id="E1", kind="doc", title="t", locator="d.md", excerpt="see https://docs.evil.example.com/x or evil.io"),
    Evidence(
        id="E2",
        kind="code",
        title="t",
        locator="c.py:1-4",
        url="https://git.example.com/c.py#L1",
        excerpt='"""See evil.io first."""\n# ask ops@evil.io\nHOST = "redis.example.com:6379"  # or evil.io\n'
        "summary: look at evil.io first\nupstream: https://user@api.example.com/v1\n",
    ),
    Evidence(id="E3", kind="log", title="t", locator="app.log", excerpt="connect to api.stripe.com failed"),
)


@each_row(
    "text, cited, shown",
    [
        ("Open https://docs.evil.example.com/x now.", "E1", "Open […] now."),
        ("Go to evil.io, or write to ops@evil.io.", "E2", "Go to […], or write to […]."),
        ("The host is redis.example.com:6379.", "E2", "The host is redis.example.com:6379."),
        ("Calls go to api.example.com/v1.", "E2", "Calls go to api.example.com/v1."),
        ("The machine is 10.1.2.3.", "E1", "The machine is 10.1.2.3."),
        ("It stands at https://git.example.com/c.py#L1.", "E2", "It stands at https://git.example.com/c.py#L1."),
        ("Calls of api.stripe.com fail.", "E3", "Calls of api.stripe.com fail."),
        ("Calls of api.nobody.com fail.", "E1", "Calls of api.nobody.com fail."),
        ("As you say, ask.example.com is slow.", "E1", "As you say, ask.example.com is slow."),
        ("Go to ev\u200bil.io.", "E1", "Go to […]."),
    ],
)
def test_an_address_that_evidence_only_tells_of_is_left_out(text: str, cited: str, shown: str) -> None:
    reply = AnswerReply.model_validate({"question_type": "other", "headline": claim(text, cited)})
    assert draft_from(reply, HOSTED, "is ask.example.com slow?", PROMPT).headline.template == shown


# --- mending --------------------------------------------------------------------------------------------------


def fix(made: Draft, failed: list[str], *claims: tuple[str, str]) -> Any:
    reply = MendReply.model_validate({"claims": [{"id": i, **claim(text)} for i, text in claims]})
    return mended(made, reply, failed, EVIDENCE, QUESTION.text, PROMPT)


def test_mended_claims_take_the_place_of_those_that_failed() -> None:
    made = draft(metrics=[claim("a"), claim("b"), claim("c")])
    better = fix(made, ["metrics.0", "metrics.1"], ("metrics.0", " "), ("metrics.1", "B"), ("metrics.2", "no"))
    assert [c.template for c in better.draft.metrics] == ["B", "c"]
    assert better.origin == {"headline": "headline", "metrics.0": "metrics.1", "metrics.1": "metrics.2"}
    assert better.changed == {"metrics.0"}


def test_a_headline_is_mended_and_never_left_out() -> None:
    made = draft()
    assert fix(made, ["headline"], ("headline", " ")).draft == made
    better = fix(made, ["headline"], ("headline", "It rose."))
    assert (better.draft.headline.template, better.changed) == ("It rose.", {"headline"})


@pytest.mark.parametrize("bad", [claim("It rose.", "E99"), claim(PROMPT)])
def test_a_mended_claim_is_held_to_what_a_claim_is_held_to(bad: dict[str, Any]) -> None:
    reply = MendReply.model_validate({"claims": [{"id": "headline", **bad}]})
    with pytest.raises(Unusable):
        mended(draft(), reply, ["headline"], EVIDENCE, QUESTION.text, PROMPT)


IDS = ["headline", *(f"{section}.{n}" for section in SECTIONS for n in range(3))]


@given(
    st.dictionaries(st.sampled_from(SECTIONS), st.integers(0, 3)),
    st.sets(st.sampled_from([*IDS, "metrics.9", "x"])),
    st.lists(st.tuples(st.sampled_from([*IDS, "metrics.9", "", "x"]), st.sampled_from(["", " ", "better", "new"]))),
)
def test_mending_keeps_every_claim_that_did_not_fail(
    sizes: dict[str, int], failed: set[str], claims: list[tuple[str, str]]
) -> None:
    made = draft(**{section: [claim(f"{section} {n}") for n in range(many)] for section, many in sizes.items()})
    better = fix(made, sorted(failed), *claims)
    before, after = dict(named_claims(made)), dict(named_claims(better.draft))
    assert better.origin.keys() == after.keys()
    for now, was in better.origin.items():
        assert (after[now] == before[was]) or (now in better.changed and was in failed)
    left_out = before.keys() - set(better.origin.values())
    assert left_out <= failed & {name for name, text in claims if not text.strip()}
    assert list(better.origin.values()) == [name for name in before if name not in left_out], "the order stays"


# --- words that nobody checks ---------------------------------------------------------------------------------


@each_row("place", [*INVENTED, *HIDDEN_LINKS, "payment_gateway", "p95 of 3.2 s", "<!channel>", "@here"])
def test_words_that_name_the_unknown_are_not_shown(place: str) -> None:
    assert plain(f"open {place} first", KNOWN) == ""


@pytest.mark.parametrize("calm", ["see that everything is healthy", "all is well", "no incidents, so nothing to do"])
def test_words_that_reassure_are_not_shown(calm: str) -> None:
    assert plain(calm, KNOWN) == ""


def test_words_that_name_what_is_known_are_shown_as_they_can_be_seen() -> None:
    assert plain(" see\u202e when\n /api/search moved ", KNOWN) == "see when /api/search moved"
    assert plain("read search/cache.py:12", KNOWN) == "read search/cache.py:12"
    assert plain("read other/module.py", KNOWN.plus(["[result R1] other/module.py: x"])) == "read other/module.py"


@each_row("link", HIDDEN_LINKS)
def test_a_link_is_known_from_the_question_alone(link: str) -> None:
    found = KNOWN.plus([f"see {visible(link)} and https://evil.example.com/x"])
    assert invented(f"open {visible(link)}", found)


@given(
    st.lists(st.sampled_from([*INVENTED, *HIDDEN_LINKS, "/api/search", "shop", "all is well"]) | st.text(), max_size=5)
)
def test_nothing_unknown_is_ever_shown(words: list[str]) -> None:
    said = plain(" ".join(words), KNOWN)
    assert not unknown_specifics(said, EVERYTHING)
    assert visible(said) == said
    assert not set("<>") & set(said)


# --- wording and summaries ------------------------------------------------------------------------------------


def test_wording_keeps_the_order_and_what_was_left_out() -> None:
    claims = [Claim(template="a"), Claim(template="b"), Claim(template="c"), Claim(template="d")]
    reply = StyleReply.model_validate(
        {"claims": [{"id": i, "template": t} for i, t in [(2, "C"), (1, " "), (9, "x"), (-1, "y"), (3, "{E1.peak}{.")]]}
    )
    assert templates_from(reply, claims) == ("a", "b", "C", "d")


@each_row("place", [*INVENTED, *HIDDEN_LINKS, "payment_gateway", "4.2 s", "Mallory Eve"])
def test_a_summary_names_only_what_the_messages_did(place: str) -> None:
    reply = CompressReply(summary=f"They looked at {place} and search/cache.py:12.")
    assert summary_from(reply, EVERYTHING) == "They looked at … and search/cache.py:12."


# --- any reply ------------------------------------------------------------------------------------------------

NAMES = ("/api/search", "shop", "E1", "E9", "headline", "metrics.0", "entailed", "query", "slow", "high", "active")
SHAPES = ("{E1.peak}", "{{}", "debug_incident", "supported", "", "\ud800", "\u202e", "<!channel>")
WORDS = st.sampled_from([*NAMES, *SHAPES, *INVENTED, *HIDDEN_LINKS])
LEAVES = WORDS | st.text(max_size=8) | st.none() | st.booleans() | st.integers() | st.floats()
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
MADE = draft(metrics=[claim("a"), claim("b")])
READERS: dict[str, Callable[[str], Any]] = {
    "answer": lambda t: draft_from(AnswerReply.model_validate_json(t), EVIDENCE, QUESTION.text, PROMPT),
    "mend": lambda t: mended(
        MADE, MendReply.model_validate_json(t), ["headline", "metrics.0"], EVIDENCE, QUESTION.text, PROMPT
    ),
    "verdicts": VerdictsReply.model_validate_json,
    "todo": TodoReply.model_validate_json,
    "read_more": ReadMoreReply.model_validate_json,
    "ask_back": AskBackReply.model_validate_json,
    "style": lambda t: templates_from(StyleReply.model_validate_json(t), [Claim(template="a")]),
    "summary": lambda t: summary_from(CompressReply.model_validate_json(t), EVERYTHING),
    "route": RouteReply.model_validate_json,
}
GOOD: dict[str, Any] = {
    "answer": {
        "question_type": "debug_incident",
        "headline": claim(),
        "metrics": [claim(), claim()],
        "missing": ["No traces."],
        "confidence": "high",
    },
    "mend": {"claims": [{"id": "metrics.0", **claim()}, {"id": "headline", **claim("It rose.")}]},
    "verdicts": {"verdicts": [{"id": "headline", "verdict": "not", "line": "it fell"}]},
    "todo": {"items": [{"text": "look", "status": "active"}]},
    "read_more": {"result": "R1", "offset": 12_000},
    "ask_back": {"question": "Which one?", "options": ["shop", "/api/search"]},
    "style": {"claims": [{"id": 0, "template": "b"}]},
    "summary": {"summary": "They looked at search/cache.py:12."},
    "route": {"agent": "research", "confidence": 0.9},
}


@st.composite
def spoilt(draw: st.DrawFn, good: Any) -> Any:
    """A good reply with anything in the place of some of its parts."""
    if draw(st.integers(0, 9)) == 0:
        return draw(ANY)
    if isinstance(good, dict):
        return {k: draw(spoilt(v)) for k, v in good.items() if draw(st.integers(0, 19))}
    if isinstance(good, list):
        return [draw(spoilt(v)) for v in good for _ in range(draw(st.integers(1, 2)))]
    return good


@each_row("name", READERS)
def test_good_replies_are_read(name: str) -> None:
    assert READERS[name](json.dumps(GOOD[name]))


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_a_reader_raises_nothing_but_what_is_sent_back(name: str, data: st.DataObject) -> None:
    value = data.draw(spoilt(GOOD[name]))
    with suppress(Unusable, ValidationError):
        READERS[name](json.dumps(value))


def test_every_own_tool_describes_its_arguments() -> None:
    for tool in OWN_TOOLS:
        assert tool.description
        assert tool.parameters["type"] == "object"
        assert tool.parameters["properties"]
