"""What a model answers is used as far as it names what is known; the rest is sent back with one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, MODULE, QUESTION, STANDING, brief, thinking
from workers.agents.operations.validators import PLAN_INTENTS
from workers.contracts import Claim, Intent, Plan, Question, Step
from workers.grounding.known_names import unknown_specifics
from workers.ports import ToolSpec
from workers.reasoning.model import replies
from workers.reasoning.model.replies import (
    CompressReply,
    DraftReply,
    IntentReply,
    PlanReply,
    RefineReply,
    StyleReply,
    Unusable,
)
from workers.reasoning.model.replies.allowed_words import NAMED, Known, is_name
from workers.reasoning.model.replies.answer import MOST_CLAIMS
from workers.reasoning.model.replies.intent import ASKED, LONGEST_WINDOW, ClarifyReply, ambiguity_from
from workers.reasoning.model.replies.plan import LONGEST_ARGUMENT, SLOT, earlier
from workers.reasoning.model.untrusted_data import visible

PURPOSE = "search the code"
KNOWN = replies.known_to(QUESTION, LANDSCAPE)
INVENTED = [
    "/api/sea",
    "/api",
    "/api/search/v2",
    "search/cache.py:99",
    "other/module.py",
    "https://evil.example.com/x",
    "v9.9.9",
    "deadbeef42",
]
"""Places that nobody named; some of them are parts of known ones."""
HIDDEN_LINKS = [
    "https://evil.example.com/x",
    "ht\u200btps://evil.example.com/x",
    "https:/\u2066/evil.example.com/x",
    "ｈｔｔｐｓ：／／evil.example.com/x",
    "https://evil\u00ad.example.com/x",
]


def intent(question: Question = QUESTION, **fields: Any) -> Intent:
    base = {"question_type": "debug_incident", "subjects": ["/api/search"], "time_hints": []}
    reply = IntentReply.model_validate(base | fields)
    return replies.intent_from(reply, question, LANDSCAPE, NOW, MODULE.QUESTION_TYPES)


def plan(*steps: dict[str, Any], **fields: Any) -> Plan:
    base = {"query_intent": "find out", "steps": [step(), *steps] if len(steps) < 2 else list(steps)}
    reply = PlanReply.model_validate(base | fields)
    return replies.plan_from(reply, QUESTION, INTENT, thinking(), "NOVEL")


def step(**fields: Any) -> dict[str, Any]:
    base = {"id": "metric", "tool": "metrics_query", "args": {"query": "p95"}, "purpose": "see it move", "after": []}
    return base | fields


def code(**fields: Any) -> dict[str, Any]:
    base = {"id": "code", "tool": "repo_search", "args": {"query": "cache"}, "purpose": "find the code", "after": []}
    return base | fields


# --- intent ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("/api/search", "/api/search"),
        (" /API/Search ", "/api/search"),
        ("SHOP", "shop"),
        ("search/cache.py:12", "search/cache.py:12"),
        ("slow", "slow"),
    ],
)
def test_subjects_stand_as_people_and_sources_write_them(said: str, read: str) -> None:
    assert intent(subjects=[said]).subjects == (read,)


@pytest.mark.parametrize("subject", [*INVENTED, "payments", "slo", "/api/search\nshop", "e", "/api/search."])
def test_an_invented_subject_is_sent_back(subject: str) -> None:
    with pytest.raises(Unusable, match="stands in neither the question nor the list of names"):
        intent(subjects=["/api/search", subject])


def test_subjects_are_few_and_once() -> None:
    assert intent(subjects=["shop", "Shop", " ", "p95", "slow", "/api/search", "deploy"]).subjects == (
        *("shop", "p95", "slow", "/api/search"),
    )


@pytest.mark.parametrize("hint", ["last week", "yesterday’s", "day", "since yesterday's deploys"])
def test_a_time_that_the_question_does_not_name_is_sent_back(hint: str) -> None:
    with pytest.raises(Unusable, match="is not in the words of the question"):
        intent(time_hints=[hint])


def test_a_hint_that_the_rules_read_means_what_they_read() -> None:
    read = intent(time_hints=["since yesterday's deploy"], start="2026-11-01T00:00:00Z", end="2026-11-02T00:00:00Z")
    assert read.window is not None
    assert read.window.start.day == 20


ODD = QUESTION.model_copy(update={"text": "Was /api/search slow around the freeze?"})


def odd_window(start: Any, end: Any, hints: tuple[str, ...] = ("around the freeze",)) -> Any:
    return intent(ODD, time_hints=list(hints), start=start, end=end).window


def test_a_hint_that_only_the_model_reads_gives_the_span_with_the_asker_s_words() -> None:
    window = odd_window("2026-11-18T00:00:00+01:00", "2026-11-19T00:00:00+01:00")
    assert (window.start.isoformat(), window.why) == ("2026-11-18T00:00:00+01:00", "“around the freeze”")


def test_a_span_does_not_reach_into_the_future() -> None:
    assert odd_window("2026-11-18T00:00:00Z", "2027-01-01T00:00:00Z").end == NOW


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-11-18T00:00:00", "2026-11-19T00:00:00"),
        ("2026-11-19T00:00:00Z", "2026-11-18T00:00:00Z"),
        ("2026-11-19T00:00:00Z", "2026-11-19T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2026-11-18T00:00:00Z"),
        ("2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z"),
        ("0001-01-01T00:00:00+23:59", "0001-01-02T00:00:00Z"),
        ("9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59-23:59"),
        ("yesterday", "now"),
        (None, None),
        ("2026-11-18T00:00:00Z", None),
    ],
)
def test_a_span_that_cannot_be_one_is_left_out(start: Any, end: Any) -> None:
    assert odd_window(start, end) is None


def test_a_span_without_a_hint_is_left_out() -> None:
    assert odd_window("2026-11-18T00:00:00Z", "2026-11-19T00:00:00Z", ()) is None


def clarify(question: str = "Which one?", *options: str) -> Any:
    reply = ClarifyReply(question=question, options=list(options))
    return ambiguity_from(reply, QUESTION, LANDSCAPE)


def test_options_are_names_from_the_list() -> None:
    asked = clarify("Which\u202e one?", "/API/checkout", "shop", "shop")
    assert asked.question == "Which one?"
    assert [(o.value, o.label, o.reason) for o in asked.options] == [
        ("/api/checkout", "/api/checkout", ""),
        ("shop", "shop", ""),
    ]


@pytest.mark.parametrize("option", [*INVENTED, "", "Yes", "/api/search or /api/checkout", "/api/search\u200b"])
def test_an_invented_option_is_sent_back(option: str) -> None:
    with pytest.raises(Unusable, match="options must be names from the list"):
        clarify("Which one?", "/api/search", option)


@pytest.mark.parametrize("mark", ["<!channel>", "<@U0EVIL>", "@here", "[x](//evil)", "//evil.example", "www.evil"])
def test_a_question_back_holds_no_mention_and_no_link(mark: str) -> None:
    names = LANDSCAPE.model_copy(update={"labels": {"endpoint": (mark, "/api/search")}})
    reply = ClarifyReply(question=f"Is it {mark} that you mean?", options=["/api/search"])
    with pytest.raises(Unusable, match="which nobody named"):
        ambiguity_from(reply, QUESTION, names)


@pytest.mark.parametrize("asked", ["Which one?", "Do you mean the shop or /api/search?", "is it the deploy?"])
def test_a_question_back_is_asked_as_it_is(asked: str) -> None:
    assert clarify(asked, "shop").question == asked


@pytest.mark.parametrize(
    "asked",
    [
        *(
            "Please paste your password here, then choose.",
            "Turn off the firewall. Which one?",
            "All is well.",
            "",
            "?",
        ),
        *("Which one", "What is the root password?", "Which " + "x" * 200 + "?", "Which one? Restart it first?"),
    ],
)
def test_a_question_back_that_is_none_is_asked_in_our_words(asked: str) -> None:
    assert clarify(asked, "shop").question == ASKED


def test_a_question_back_needs_options() -> None:
    with pytest.raises(Unusable, match="none is not"):
        clarify("Which one?")


@pytest.mark.parametrize("name", [*INVENTED[2:], *HIDDEN_LINKS, "payment_gateway", "p95 of 3.2 s"])
def test_a_question_back_names_only_what_is_known(name: str) -> None:
    with pytest.raises(Unusable, match="which nobody named"):
        clarify(f"Do you mean {name} ?", "/api/search")


# --- plan -----------------------------------------------------------------------------------------------------


def test_a_plan_as_it_comes() -> None:
    made = plan(step(), code(args={"query": "cache {metric.endpoint|suspect.words}"}, after=["metric"]))
    assert [s.id for s in made.steps] == ["metric", "code"]
    assert made.steps[1].after == ("metric",)
    assert made.steps[0].purpose == "see it move"


@pytest.mark.parametrize("place", [*INVENTED[2:], *HIDDEN_LINKS])
def test_an_invented_place_in_an_argument_is_sent_back(place: str) -> None:
    with pytest.raises(Unusable, match="nobody named"):
        plan(code(args={"query": f"the cache in {place}"}))


@pytest.mark.parametrize(
    "value",
    [
        "ht{suspect.nothing}tps://evil.example.com/x",
        "https:{suspect.nothing}//evil.example.com/x",
        "see {suspect.nothing}https://evil.example.com/x",
        "https://{window.start}.evil.example.com",
        "/api/{suspect.nothing}admin",
    ],
)
def test_a_slot_hides_no_invented_place(value: str) -> None:
    with pytest.raises(Unusable, match="nobody named"):
        plan(code(args={"query": value}))


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("{metric.endpoint}", []),
        ("{deploy.at}", ["metric"]),
        ("{https://evil.example.com}", []),
        ("{metric.at|code.at}", ["metric"]),
        ("{code.at}", []),
    ],
)
def test_a_slot_that_nothing_fills_is_sent_back(value: str, after: list[str]) -> None:
    with pytest.raises(Unusable, match="nothing fills the slot"):
        plan(step(), code(args={"query": value}, after=after))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([step(), code(tool="shell")], "there is no tool 'shell'"),
        ([step(), code(tool="shell", args={"query": "{suspect.words}"})], "shell is not a tool of this agent"),
        ([step(), code(after=["nope"])], "waits for 'nope'"),
        ([step(), code(after=["code"])], "waits for 'code'"),
        ([step(), code(id="metric")], "stands twice"),
        ([step(after=["code"]), code(after=["metric"])], "waits for 'code'"),
        ([step(), step(id="more")], "needs repo_search"),
        ([code(), code(id="more")], "needs metrics_query"),
        ([step(id=f"m{n}") for n in range(9)], "at most 8 are allowed"),
        ([step(), code(args={"query": "x" * (LONGEST_ARGUMENT + 1)})], "longer than 1,000 characters"),
    ],
)
def test_a_plan_against_the_rules_is_sent_back(steps: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(Unusable, match=said):
        plan(*steps)


@pytest.mark.parametrize("name", ["", "Metric", "a b", "1", "a" * 40, "metric\n", "métric", "a.b", "<!channel>"])
def test_ids_of_steps_are_plain(name: str) -> None:
    with pytest.raises(ValidationError):
        plan(step(id=name))


@pytest.mark.parametrize("purpose", [f"open {p}" for p in (*INVENTED[2:], *HIDDEN_LINKS)])
def test_a_purpose_that_names_the_unknown_is_replaced(purpose: str) -> None:
    assert plan(step(), code(purpose=purpose)).steps[1].purpose == PURPOSE


@pytest.mark.parametrize(
    ("purpose", "shown"),
    [
        ("see when latency moved", "see when latency moved"),
        ("to find the code", "find the code"),
        ("Compare with a day earlier.", "Compare with a day earlier."),
        ("turn off the firewall", PURPOSE),
        ("Please paste your password here, then choose.", PURPOSE),
        ("find out your password", PURPOSE),
        ("see the code. Then restart it", PURPOSE),
        ("look at <!channel>", PURPOSE),
        ("", PURPOSE),
    ],
)
def test_a_purpose_is_to_look_at_something(purpose: str, shown: str) -> None:
    assert plan(step(), code(purpose=purpose)).steps[1].purpose == shown


@pytest.mark.parametrize("order", ["Turn off the firewall first.", "Please paste your password.", "All is well."])
def test_words_of_a_model_give_no_orders_and_no_all_clear(order: str) -> None:
    words = {"query_intent": order, "uncertainties": [order], "verification_tips": [order]}
    made = plan(step(), code(), **words)
    assert (made.query_intent, made.uncertainties, made.verification_tips) == ("answer the question", (), ())
    gaps = [g.text for g in draft(missing=[order, "No traces."]).missing]
    assert gaps == ["doc_search: nothing found", "No traces."]


def test_a_purpose_is_shown_as_it_can_be_seen() -> None:
    assert plan(step(), code(purpose="find\u202e the\n cache")).steps[1].purpose == "find the cache"


@pytest.mark.parametrize("text", ["see https://evil.example.com/x", "it took 4.2 s", "Ask Mallory Eve about it"])
def test_other_words_of_a_plan_that_name_the_unknown_are_left_out(text: str) -> None:
    words = {"query_intent": text, "uncertainties": [text, "no traces"], "verification_tips": ["compare a day", text]}
    made = plan(step(), code(), **words)
    assert (made.query_intent, made.uncertainties, made.verification_tips) == (
        "answer the question",
        ("no traces",),
        ("compare a day",),
    )


@pytest.mark.parametrize("name", sorted(PLAN_INTENTS))
def test_the_names_of_intents_are_kept(name: str) -> None:
    assert plan(code(), query_intent=f" {name} ").query_intent == name
    assert plan(code(), query_intent=f"{name}, and restart it").query_intent == "answer the question"


def test_rules_hold_for_an_intent_that_a_model_names() -> None:
    reply = PlanReply.model_validate({"query_intent": "ops_investigation", "steps": [step()]})
    strict = thinking(limits=replace(LIMITS, validators=("ops_first",)))
    with pytest.raises(Unusable, match="get_active_incidents must be among"):
        replies.plan_from(reply, QUESTION.model_copy(update={"text": "hello"}), INTENT, strict, "NOVEL")


def test_arguments_are_plain_values() -> None:
    given_args = {
        "query": "p95\u200b \ud800", "k": 3, "ok": True, "list": [1], "none": None, "deep": {"a": 1},
        "nan": float("nan"), "far": float("inf"), "huge": 10**4000,
    }  # fmt: skip
    assert replies.args_of(given_args) == {"query": "p95 ", "k": 3, "ok": True}


# --- refined query --------------------------------------------------------------------------------------------


def refine(args: Any, known: Known = KNOWN) -> Any:
    return replies.args_from(RefineReply(args=args), STANDING.steps[0], known, thinking())


def test_better_arguments() -> None:
    assert refine({"query": "latency of /api/checkout"}) == {"query": "latency of /api/checkout"}


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_better_arguments(nothing: Any) -> None:
    assert refine(nothing) is None


def test_a_nearest_name_may_be_asked_for_and_an_invented_one_may_not() -> None:
    with pytest.raises(Unusable, match="nobody named /api/zones"):
        refine({"query": "latency of /api/zones"})
    assert refine({"query": "latency of /api/zones"}, KNOWN.plus(["/api/zones"], []))


# --- answer ---------------------------------------------------------------------------------------------------


def draft(**fields: Any) -> Any:
    return replies.draft_from(DraftReply.model_validate({"headline": claim()} | fields), brief())


def claim(template: str = "{E1.metric} rose.", *evidence: str, status: str = "supported") -> dict[str, Any]:
    return {"template": template, "evidence": list(evidence or ("E1",)), "status": status}


def test_a_draft_as_it_comes() -> None:
    made = draft(metrics=[claim("It\u202e peaked\n at {E1.peak}.", "E1", "E1")], missing=["No\u200b traces."])
    assert made.metrics == (Claim(template="It peaked at {E1.peak}.", evidence=("E1",)),)
    assert [g.text for g in made.missing] == ["doc_search: nothing found", "No traces."]
    assert made.banner is None


@pytest.mark.parametrize("section", ["headline", "what_changed", "metrics", "code", "docs", "next_steps"])
@pytest.mark.parametrize("cited", ["E99", "", "e1", "https://evil.example.com"])
def test_evidence_that_does_not_exist_is_sent_back(section: str, cited: str) -> None:
    bad = claim("It rose.", "E1", cited)
    with pytest.raises(Unusable, match="there is no evidence"):
        draft(**{section: bad if section == "headline" else [bad]})


def test_an_empty_headline_is_sent_back() -> None:
    with pytest.raises(Unusable, match="the headline is empty"):
        draft(headline=claim("\u200b \n"))


def test_long_drafts_are_cut_and_long_claims_sent_back() -> None:
    made = draft(metrics=[claim()] * 50, missing=["No " + "x" * 5_000] * 50)
    assert len(made.metrics) == MOST_CLAIMS
    assert all(len(g.text) <= 400 for g in made.missing)
    with pytest.raises(ValidationError):
        draft(headline=claim("x" * 2_001))


def test_a_reply_writes_no_banner_and_no_text() -> None:
    made = draft(headline=claim() | {"text": "All is well."}, banner="Trust this.", kind="refusal", tools_used=["x"])
    assert (made.banner, made.headline.text) == (None, "")


# --- wording and summaries ------------------------------------------------------------------------------------


def test_wording_keeps_the_order_and_what_was_left_out() -> None:
    claims = [Claim(template="a"), Claim(template="b"), Claim(template="c"), Claim(template="d")]
    reply = StyleReply.model_validate(
        {"claims": [{"id": i, "template": t} for i, t in [(2, "C"), (1, " "), (9, "x"), (-1, "y"), (3, "{E1.peak}{.")]]}
    )
    assert replies.templates_from(reply, claims) == ("a", "b", "C", "d")


@pytest.mark.parametrize("place", [*INVENTED[2:], *HIDDEN_LINKS, "payment_gateway", "4.2 s", "Mallory Eve"])
def test_a_summary_names_only_what_the_messages_did(place: str) -> None:
    reply = CompressReply(summary=f"They looked at {place} and search/cache.py:12.")
    summary = replies.summary_from(reply, KNOWN.everything)
    assert summary == "They looked at … and search/cache.py:12."


# --- any reply ------------------------------------------------------------------------------------------------

NAMES = ("/api/search", "shop", "E1", "E9", "metric", "code", "metrics_query", "repo_search", "query", "slow", "high")
SHAPES = ("{E1.peak}", "{metric.at|suspect.since}", "{{}", "since yesterday's deploy", "debug_incident", "supported")
ODDITIES = ("2026-11-18T00:00:00Z", "0001-01-01T00:00:00+23:59", "<!channel>", "", "\ud800", "\u202e")
WORDS = st.sampled_from([*NAMES, *SHAPES, *ODDITIES, *INVENTED, *HIDDEN_LINKS])
LEAVES = WORDS | st.text(max_size=8) | st.none() | st.booleans() | st.integers() | st.floats()
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
TOOL = ToolSpec("metrics_query", "Metrics.", {"type": "object", "properties": {"query": {"type": "string"}}})
READERS: dict[str, Callable[[str], Any]] = {
    "intent": lambda t: replies.intent_from(
        IntentReply.model_validate_json(t), QUESTION, LANDSCAPE, NOW, MODULE.QUESTION_TYPES
    ),
    "plan": lambda t: replies.plan_from(PlanReply.model_validate_json(t), QUESTION, INTENT, thinking(), "NOVEL"),
    "refine": lambda t: replies.args_from(RefineReply.model_validate_json(t), STANDING.steps[0], KNOWN, thinking()),
    "draft": lambda t: replies.draft_from(DraftReply.model_validate_json(t), brief()),
    "style": lambda t: replies.templates_from(StyleReply.model_validate_json(t), [Claim(template="a")]),
    "summary": lambda t: replies.summary_from(CompressReply.model_validate_json(t), KNOWN.everything),
    "route": replies.RouteReply.model_validate_json,
}
GOOD: dict[str, Any] = {
    "intent": {
        "question_type": "debug_incident",
        "subjects": ["/api/search", "shop"],
        "time_hints": ["since yesterday's deploy"],
        "start": "2026-11-18T00:00:00Z",
        "end": "2026-11-19T00:00:00Z",
        "clarify": {"question": "Which one?", "options": ["shop", "/api/search"]},
    },
    "plan": {
        "query_intent": "find out",
        "steps": [step(), code(args={"query": "{metric.at}", "k": 3}, after=["metric"])],
        "uncertainties": ["no traces"],
        "verification_tips": ["compare a day"],
    },
    "refine": {"args": {"query": "p95", "k": 3}},
    "draft": {"headline": claim(), "metrics": [claim(), claim()], "missing": ["No traces."], "confidence": "high"},
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


@pytest.mark.parametrize("name", READERS)
def test_good_replies_are_read(name: str) -> None:
    assert READERS[name](json.dumps(GOOD[name]))


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_a_reader_raises_nothing_but_what_is_sent_back(name: str, data: st.DataObject) -> None:
    value = data.draw(spoilt(GOOD[name]))
    with suppress(Unusable, ValidationError):
        READERS[name](json.dumps(value))


PROSE = st.lists(WORDS | st.text(max_size=12), max_size=6).map(" ".join)
STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["metric", "code", "more"]),
            "tool": st.sampled_from(["metrics_query", "repo_search", "doc_search"]),
            "args": st.dictionaries(st.sampled_from(["query", "k"]), PROSE | st.integers(), max_size=2),
            "purpose": PROSE,
            "after": st.lists(st.sampled_from(["metric", "code"]), max_size=2),
        }
    ),
    min_size=1,
    max_size=4,
)
EASY = replace(LIMITS, validators=("order",))


def free(text: str) -> tuple[str, ...]:
    """What of a text nobody named."""
    return unknown_specifics(text, KNOWN.everything)


@given(steps=STEPS, words=PROSE, tips=st.lists(PROSE, max_size=3))
def test_no_words_of_a_plan_are_shown_that_name_the_unknown(steps: Any, words: str, tips: list[str]) -> None:
    given_fields = {"query_intent": words, "steps": steps, "uncertainties": tips, "verification_tips": tips}
    try:
        reply = PlanReply.model_validate(given_fields)
        made = replies.plan_from(reply, QUESTION, INTENT, thinking(limits=EASY), "NOVEL")
    except (Unusable, ValidationError):
        return
    for text in (made.query_intent, *made.uncertainties, *made.verification_tips, *(s.purpose for s in made.steps)):
        assert not free(text)
        assert visible(text) == text
    for value in (str(v) for s in made.steps for v in s.args.values()):
        assert not unknown_specifics(SLOT.sub("", value), KNOWN.everything, NAMED)


@given(subjects=st.lists(PROSE | WORDS, max_size=3), hints=st.lists(PROSE | WORDS, max_size=2), asked=PROSE)
def test_no_words_of_an_intent_are_shown_that_nobody_said(subjects: list[str], hints: list[str], asked: str) -> None:
    try:
        read = intent(subjects=subjects, time_hints=hints, clarify={"question": asked, "options": ["shop"]})
    except (Unusable, ValidationError):
        return
    assert all(s in KNOWN.everything for s in read.subjects)
    assert all(h in f"{KNOWN.asked}\n{KNOWN.said}" for h in read.time_hints)
    assert read.ambiguity is not None
    assert not free(read.ambiguity.question)
    assert {o.label for o in read.ambiguity.options} == {"shop"}


def test_schemas_offer_each_tool_with_its_own_arguments() -> None:
    made = replies.plan_schema((TOOL, ToolSpec("doc_search", "Docs.", {"type": "object", "properties": {}})))
    offered = made["properties"]["steps"]["items"]["anyOf"]
    assert [o["properties"]["tool"]["const"] for o in offered] == ["metrics_query", "doc_search"]
    assert offered[0]["properties"]["args"] == TOOL.parameters
    assert replies.refine_schema(TOOL)["properties"]["args"]["anyOf"] == [TOOL.parameters, {"type": "null"}]


def test_windows_stay_short() -> None:
    assert timedelta(days=90) == LONGEST_WINDOW
    assert odd_window((NOW - timedelta(days=90)).isoformat(), NOW.isoformat())
    assert odd_window((NOW - timedelta(days=91)).isoformat(), NOW.isoformat()) is None


def test_earlier_steps_are_those_that_are_waited_for_at_any_distance() -> None:
    steps = tuple(
        Step(id=i, tool="t", args={}, purpose="p", after=after)
        for i, after in [("a", ()), ("b", ("a",)), ("c", ("b", "c"))]
    )
    assert earlier(steps[2], steps) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "asked", "named"),
    [
        ("/api/search", "is the search slow?", True),
        ("payment gateway", "is the gateway slow?", True),
        ("please evaluate", "is the gateway slow?", False),
        ("please evaluate", "what does please evaluate mean?", True),
        ("evaluate:𝚙𝚛𝚒𝚗𝚝(2+2)", "is the gateway slow?", False),
        ("a name of four words", "is a name slow?", False),
    ],
)
def test_a_subject_looks_like_a_name_and_is_meant(text: str, asked: str, named: bool) -> None:
    assert is_name(text, asked) == named
