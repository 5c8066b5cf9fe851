"""How an investigation ends: an answer that is checked, mended once, and verified; whatever is called is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.investigation_parts import (
    FAILS,
    INVENTED,
    LOOK,
    PEAKED,
    READ,
    ROSE,
    answer,
    answer_args,
    call,
    claim,
    headline,
    investigate,
    mend,
    say,
    tools,
)
from workers.errors import ModelFailed
from workers.reasoning.model.model_call import Reply
from workers.reasoning.model.untrusted_data import LARGEST, args_of

# --- the answer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [("answer", answer_args()), ("mend", {"claims": []}), ("ask_back", {})])
def test_what_ends_an_investigation_stands_alone_in_its_turn(own: tuple[str, dict[str, Any]]) -> None:
    run, talk = investigate(call(LOOK, own), answer(metrics=[claim(PEAKED)]))
    finding = run.run()
    assert "Call it by itself" in talk.told
    assert talk.wrong == [False, True]
    assert finding.draft is not None
    assert len(finding.draft.metrics) == 1, "the second answer counts"


@pytest.mark.parametrize("text", ["{}", "Here it is:\n```json\n{}\n```\nAnything else?"], ids=["bare", "in a fence"])
def test_an_answer_as_text_is_taken(text: str) -> None:
    run, _ = investigate(call(LOOK), say(text.replace("{}", json.dumps(answer_args()))))
    assert headline(run.run()) == ROSE


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "evidence that is not there": (answer_args(claim(ROSE, "E99")), "there is no evidence E99"),
    "no headline": ({"question_type": "other"}, "headline: Field required"),
    "an empty headline": (answer_args(claim(" \u200b")), "the headline is empty"),
    "the question again": (answer_args(claim("/api/search is slow since yesterday's deploy")), "repeats the question"),
    "what it was told": (
        answer_args(metrics=[claim("Say only what was asked for, in the form that was asked for, and nothing.")]),
        "repeats what you were told",
    ),
    "no claims at all": (answer_args(metrics="none"), "metrics"),
}


@each_row("args, said", BAD.values())
def test_an_answer_that_cannot_be_used_is_sent_back(args: dict[str, Any], said: str) -> None:
    run, talk = investigate(call(LOOK), call(("answer", args)), answer())
    assert headline(run.run()) == ROSE
    assert said in talk.told
    assert talk.wrong == [True]


def test_a_type_of_question_that_is_none_is_that_of_the_intent() -> None:
    run, talk = investigate(call(LOOK), call(("answer", answer_args() | {"question_type": "gossip"})))
    assert run.run().question_type == ""
    assert len(talk.asked) == 2


def test_a_claim_with_an_invented_number_comes_back_and_is_mended() -> None:
    run, talk = investigate(
        call(LOOK), answer(metrics=[claim(INVENTED), claim(PEAKED)]), mend(("metrics.0", claim("Its peak was 1.9 s.")))
    )
    finding = run.run()
    assert '"id": "metrics.0"' in talk.told
    assert "7.7" in talk.told
    assert "metrics.1" not in talk.told
    assert finding.draft is not None
    assert [c.template for c in finding.draft.metrics] == ["Its peak was 1.9 s.", PEAKED]
    assert len(talk.asked) == 3


@pytest.mark.parametrize("calm", ["All is well.", "Nothing is wrong here.", "This alert is noise and can be ignored."])
def test_that_all_is_well_comes_back_and_is_refuted(calm: str) -> None:
    run, talk = investigate(call(LOOK), answer(metrics=[claim(calm), claim(PEAKED)]), mend())
    finding = run.run()
    assert "metrics.0" in talk.told
    shown = [c.id for c in run.bench.check(finding.draft, "debug_incident") if not c.failure] if finding.draft else []
    assert "metrics.0" not in set(shown) - {v.id for v in finding.refuted}


def test_a_claim_that_is_mended_wrongly_is_left_to_be_struck() -> None:
    run, talk = investigate(call(LOOK), answer(metrics=[claim(INVENTED)]), mend(("metrics.0", claim(INVENTED))))
    finding = run.run()
    assert len(talk.asked) == 3, "it is asked once"
    assert finding.draft is not None
    (checked,) = [c for c in run.bench.check(finding.draft, "debug_incident") if c.id == "metrics.0"]
    assert checked.failure
    assert finding.refuted == (), "code will strike it again"


def test_an_empty_text_leaves_a_claim_out() -> None:
    run, _ = investigate(call(LOOK), answer(metrics=[claim(INVENTED), claim(PEAKED)]), mend(("metrics.0", claim(" "))))
    finding = run.run()
    assert finding.draft is not None
    assert [c.template for c in finding.draft.metrics] == [PEAKED]


def test_claims_that_hold_cannot_be_changed_by_mending() -> None:
    run, _ = investigate(
        call(LOOK),
        answer(metrics=[claim(INVENTED), claim(PEAKED)]),
        mend(("metrics.1", claim("It peaked at 9.9 s.")), ("headline", claim(INVENTED)), ("metrics.0", claim(""))),
    )
    finding = run.run()
    assert headline(finding) == ROSE
    assert finding.draft is not None
    assert [c.template for c in finding.draft.metrics] == [PEAKED]


def test_a_whole_new_answer_instead_of_mending_is_the_last_word() -> None:
    run, talk = investigate(
        call(LOOK), answer(metrics=[claim(INVENTED)]), answer(metrics=[claim(PEAKED), claim(INVENTED)])
    )
    finding = run.run()
    assert finding.draft is not None
    assert len(finding.draft.metrics) == 2
    assert len(talk.asked) == 3


def test_mending_before_there_is_an_answer_is_sent_back() -> None:
    run, talk = investigate(call(LOOK), mend(("headline", claim(ROSE))), answer())
    assert headline(run.run()) == ROSE
    assert "there is no answer to mend" in talk.told


@pytest.mark.parametrize("silence", [say("That is all."), FAILS])
def test_an_answer_that_nobody_mends_stands_as_it_is(silence: Reply | ModelFailed) -> None:
    run, _ = investigate(call(LOOK), answer(metrics=[claim(INVENTED)]), silence)
    assert headline(run.run()) == ROSE


# --- the verifier ---------------------------------------------------------------------------------------------

NOT = ("not", "the evidence says 1.9 s, and names no owner")
PARTLY = ("partly", "the certainty is not there")


def test_what_a_verifier_refutes_is_mended() -> None:
    run, talk = investigate(
        call(LOOK),
        answer(metrics=[claim(PEAKED)]),
        mend(("metrics.0", claim("The peak was 1.9 s."))),
        verdicts=[{"metrics.0": NOT}, {"metrics.0": ("entailed", "")}],
    )
    finding = run.run()
    assert f"the evidence does not say this: {NOT[1]}" in talk.told
    assert finding.refuted == ()
    assert finding.draft is not None
    assert finding.draft.metrics[0].template == "The peak was 1.9 s."
    assert talk.verified == [("headline", "metrics.0"), ("metrics.0",)], "only what is new is verified again"


@pytest.mark.parametrize("last", [mend(("metrics.0", claim("The peak was 1.9 s."))), mend(), say("No.")])
def test_what_it_refutes_twice_is_named_as_refuted(last: Reply) -> None:
    run, _ = investigate(
        call(LOOK),
        answer(metrics=[claim(PEAKED), claim("Its baseline was 210 ms.")]),
        last,
        verdicts=[{"metrics.0": NOT}, {"metrics.0": NOT}],
    )
    (verdict,) = run.run().refuted
    assert (verdict.id, verdict.verdict) == ("metrics.0", "struck")
    assert verdict.reason == "the evidence does not say this"


def test_a_refuted_claim_keeps_its_verdict_when_one_before_it_is_left_out() -> None:
    run, _ = investigate(
        call(LOOK),
        answer(metrics=[claim(INVENTED), claim(PEAKED)]),
        mend(("metrics.0", claim(""))),
        verdicts=[{"metrics.1": NOT}],
    )
    finding = run.run()
    assert [v.id for v in finding.refuted] == ["metrics.0"]
    assert finding.draft is not None
    assert finding.draft.metrics[0].template == PEAKED


def test_what_holds_in_part_is_asked_once_and_stays_as_a_hypothesis() -> None:
    run, talk = investigate(
        call(LOOK), answer(metrics=[claim(PEAKED)]), mend(), verdicts=[{"metrics.0": PARTLY}, {"metrics.0": PARTLY}]
    )
    finding = run.run()
    assert f"the evidence says this only in part: {PARTLY[1]}" in talk.told
    assert finding.refuted == ()
    assert finding.draft is not None
    (kept,) = finding.draft.metrics
    assert (kept.template, kept.status) == (PEAKED, "hypothesis")
    assert finding.draft.headline.status == "supported"


def test_what_holds_in_part_and_is_not_mended_is_a_hypothesis_too() -> None:
    run, _ = investigate(
        call(LOOK),
        answer(metrics=[claim(INVENTED), claim(PEAKED)]),
        mend(("metrics.0", claim(""))),
        verdicts=[{"metrics.1": PARTLY}],
    )
    finding = run.run()
    assert finding.draft is not None
    assert [(c.template, c.status) for c in finding.draft.metrics] == [(PEAKED, "hypothesis")]


def test_claims_that_no_verifier_judged_are_marked_and_the_answer_says_so_once() -> None:
    run, talk = investigate(call(LOOK), answer(metrics=[claim(PEAKED)]), verdicts=[None])
    finding = run.run()
    assert finding.refuted == ()
    assert len(talk.asked) == 2
    assert finding.draft is not None
    assert {c.note for c in finding.draft.claims} == {"unjudged"}
    assert (finding.draft.banner or "").count("No verifier judged") == 1


def test_answers_that_were_judged_carry_no_mark() -> None:
    run, _ = investigate(call(LOOK), answer(metrics=[claim(PEAKED)]))
    finding = run.run()
    assert finding.draft is not None
    assert ({c.note for c in finding.draft.claims}, finding.draft.banner) == ({""}, None)


def test_guesses_and_steps_are_verified_and_what_fails_already_is_not() -> None:
    run, talk = investigate(
        call(LOOK, READ),
        answer(
            metrics=[claim(INVENTED), claim("Latency may have risen by the database.", hypothesis=True)],
            next_steps=[claim("Check the cache key.", "E3")],
        ),
        mend(),
    )
    run.run()
    assert talk.verified[0] == ("headline", "metrics.1", "next_steps.0")


def test_a_step_that_the_evidence_does_not_speak_for_is_advice_and_one_that_it_speaks_against_is_refuted() -> None:
    steps = [claim("Check the cache key.", "E3"), claim("Look at the latency of the database.", "E2")]
    run, _ = investigate(
        call(LOOK, READ),
        answer(next_steps=steps),
        mend(),
        verdicts=[{"next_steps.0": PARTLY, "next_steps.1": NOT}, {}],
    )
    finding = run.run()
    assert finding.draft is not None
    assert finding.draft.next_steps[0].note == "advice"
    assert [v.id for v in finding.refuted] == ["next_steps.1"]


# --- without tools --------------------------------------------------------------------------------------------


def test_a_general_notion_is_answered_without_a_call() -> None:
    box = tools()
    told = "A circuit breaker stops calls to something that fails, and lets a few through later to see."
    run, talk = investigate(
        call(("answer", answer_args({"text": told, "evidence": []}) | {"question_type": "conceptual"})), box=box
    )
    finding = run.run()
    assert (headline(finding), finding.question_type) == (told, "conceptual")
    assert (box.made, talk.verified) == ([], [])


# --- arguments ------------------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2))


@given(st.dictionaries(st.text(st.characters()), ANY, max_size=5))
def test_arguments_are_plain_values_that_can_be_seen_and_written(args: dict[str, Any]) -> None:
    read = args_of(args)
    json.dumps(read, allow_nan=False).encode("utf-8")
    for value in read.values():
        assert isinstance(value, str | bool | int | float)
        assert isinstance(value, str | bool) or abs(value) < LARGEST


OWN = ("todo", "read_more", "ask_back", "answer", "mend", "metrics_query", "shell")


@given(st.lists(st.tuples(st.sampled_from(OWN), st.dictionaries(st.text(max_size=4), ANY, max_size=3)), max_size=4))
def test_whatever_is_called_every_call_is_answered_once(uses: list[tuple[str, dict[str, Any]]]) -> None:
    run, talk = investigate(call(*uses) if uses else say("…"), answer({"text": "I found nothing.", "evidence": []}))
    run.run()
    answered = [b["tool_use_id"] for m in talk.asked[-1] for b in m["content"] if b["type"] == "tool_result"]
    made = [b["id"] for m in talk.asked[-1] for b in m["content"] if b["type"] == "tool_use"]
    assert answered == made
    assert talk.shown == [()] * len(talk.shown)
