"""The decision by itself: who a rule means, where an answer stands, and that nothing widens it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.access.policy import (
    ALONE,
    Asker,
    Audience,
    Policy,
    Rule,
    Thing,
    all_may_see,
    asker_named,
    decide,
)
from workers.contracts import LOCAL_USER
from workers.ports import Belonging

ANN = Asker("U1", "T1", Belonging(frozenset({"S1"}), member=True))
GUEST = Asker("U9", "T1")
HERE = Audience("C1", "T1")
SHOP = Thing("source", "repository:shop")


def rule(*who: str, line: str = "access.yaml:1", **gives: tuple[str, ...]) -> Rule:
    return Rule(who, line=line, **(gives or {"sources": ("*",)}))


def allowed(rules: tuple[Rule, ...], asker: Asker, audience: Audience = ALONE, thing: Thing = SHOP) -> bool:
    return decide(Policy(rules), asker, audience, thing).allowed


@pytest.mark.parametrize(
    ("term", "asker", "may"),
    [
        ("everyone", ANN, True),
        ("everyone", GUEST, False),
        ("everyone", Asker("bob"), False),
        ("workspace:T1", ANN, True),
        ("workspace:T2", ANN, False),
        ("person:U1", ANN, True),
        ("person:T1/U1", ANN, True),
        ("person:T2/U1", ANN, False),
        ("person:U1", Asker("U1"), False),
        ("group:S1", ANN, True),
        ("group:S2", ANN, False),
        ("token:bob", Asker("bob"), True),
        ("token:U1", ANN, False),
        ("channel:C1", ANN, False),
        ("person:U9", Asker(), False),
        ("everyone", Asker(), False),
    ],
)
def test_whom_a_term_means_alone(term: str, asker: Asker, may: bool) -> None:
    assert allowed((rule(term),), asker) is may


@pytest.mark.parametrize(
    ("who", "asker", "audience", "may"),
    [
        (("channel:C1",), ANN, HERE, True),
        (("channel:C1",), GUEST, HERE, True),
        (("channel:T2/C1",), ANN, HERE, False),
        (("channel:C2",), ANN, HERE, False),
        (("person:U1",), ANN, HERE, False),
        (("person:U1", "channel:C1"), ANN, HERE, True),
        (("everyone",), ANN, HERE, True),
        (("everyone",), GUEST, HERE, False),
        (("everyone",), ANN, replace(HERE, outside=True), False),
        (("everyone", "channel:C1"), ANN, replace(HERE, outside=True), True),
        (("everyone",), Asker(), HERE, False),
        (("channel:C1",), Asker(), HERE, True),
        (("everyone",), Asker(nobody=True), HERE, True),
        (("everyone",), Asker(nobody=True), ALONE, False),
        (("person:U1",), Asker(nobody=True), HERE, False),
    ],
)
def test_in_a_channel_everyone_there_has_to_be_given_it(
    who: tuple[str, ...], asker: Asker, audience: Audience, may: bool
) -> None:
    assert allowed((rule(*who),), asker, audience) is may


def test_the_line_is_the_rule_that_decides() -> None:
    rules = (rule("person:U1", line="a:1"), rule("channel:C1", line="a:5"))
    assert decide(Policy(rules), ANN, ALONE, SHOP).line == "a:1"
    assert decide(Policy(rules), ANN, HERE, SHOP).line == "a:5"
    refused = decide(Policy(rules[:1]), ANN, HERE, SHOP)
    assert (refused.allowed, "a:1" in refused.line) == (False, True)


def test_a_thing_that_says_nothing_of_itself_is_given_by_its_name_alone() -> None:
    mine = Thing("tool", "mine", by_name=True)
    assert not allowed((rule("everyone", tools=("*",)),), ANN, thing=mine)
    assert allowed((rule("everyone", tools=("mine",)),), ANN, thing=mine)


def test_no_rules_are_no_policy_and_an_empty_list_is_one() -> None:
    assert decide(None, GUEST, HERE, SHOP).allowed
    assert not allowed((), ANN)
    assert allowed((), asker_named(LOCAL_USER))


def test_whom_a_note_reaches_may_see_what_it_tells() -> None:
    rules = (rule("everyone", sources=("notes:vault", "repository:shop")), rule("group:S1", sources=("repository:*",)))
    readers = ["everyone"]
    assert all_may_see(Policy(rules), readers, [SHOP]) is None
    assert all_may_see(Policy(rules), readers, [Thing("source", "repository:cold")]) is not None
    assert all_may_see(Policy(rules), ["group:S1"], [SHOP, Thing("source", "repository:cold")]) is None
    assert all_may_see(Policy(rules), ["token:ci"], [SHOP]) == SHOP


TERMS = st.sampled_from(
    ["everyone", "workspace:T1", "person:U1", "person:T2/U1", "group:S1", "channel:C1", "channel:C2", "token:bob"]
)
NAMES = st.sampled_from(["*", "repository:*", "repository:shop", "repository:cold", "metrics:prometheus"])
RULES = st.lists(
    st.builds(
        Rule,
        who=st.lists(TERMS, max_size=3).map(tuple),
        sources=st.lists(NAMES, max_size=3).map(tuple),
        line=st.sampled_from(["a:1", "a:2"]),
    ),
    max_size=5,
).map(tuple)
ASKERS = st.sampled_from([ANN, GUEST, Asker("bob"), Asker(), Asker("U1", "T2", Belonging(member=True))])
AUDIENCES = st.sampled_from([ALONE, HERE, Audience("C2", "T1"), replace(HERE, outside=True)])
THINGS = st.sampled_from([SHOP, Thing("source", "repository:cold"), Thing("source", "metrics:prometheus")])


@given(rules=RULES, more=RULES, asker=ASKERS, audience=AUDIENCES, thing=THINGS)
def test_rules_only_give(
    rules: tuple[Rule, ...], more: tuple[Rule, ...], asker: Asker, audience: Audience, thing: Thing
) -> None:
    assert allowed((*rules, *more), asker, audience, thing) or not allowed(rules, asker, audience, thing)


@given(rules=RULES, asker=ASKERS, audience=AUDIENCES, thing=THINGS)
def test_nothing_is_allowed_that_no_rule_gives_to_a_term_of_the_place(
    rules: tuple[Rule, ...], asker: Asker, audience: Audience, thing: Thing
) -> None:
    if not allowed(rules, asker, audience, thing):
        return
    terms = {term for one in rules if one.gives(thing) for term in one.who}
    assert terms
    if not audience.alone:
        public = set() if audience.outside else {"everyone", "workspace:T1"}
        assert terms & {f"channel:{audience.channel}", *public}
    assert asker.user or not audience.alone


@given(rules=RULES, audience=AUDIENCES, thing=THINGS)
def test_who_is_nobodys_member_is_given_no_more_than_a_member(
    rules: tuple[Rule, ...], audience: Audience, thing: Thing
) -> None:
    unknown = replace(ANN, belonging=Belonging())
    assert allowed(rules, ANN, audience, thing) or not allowed(rules, unknown, audience, thing)


@pytest.mark.parametrize(
    ("name", "asker"),
    [
        ("T1/U1", Asker("U1", "T1")),
        ("ci/U1", Asker("ci/U1")),
        ("bob", Asker("bob")),
        ("T1/U1/x", Asker("T1/U1/x")),
        ("local", Asker("local", local=True)),
        ("x/local", Asker("x/local")),
    ],
)
def test_who_a_name_means(name: str, asker: Asker) -> None:
    assert asker_named(name) == asker


def test_a_program_called_like_a_person_is_none() -> None:
    rules = (rule("person:U1"), rule("token:ci/U1", sources=("metrics:*",)))
    assert not allowed(rules, asker_named("ci/U1"))
    assert allowed(rules, asker_named("ci/U1"), thing=Thing("source", "metrics:prometheus"))
