"""Whatever the policy is: nothing of a source that is not given stands anywhere in what a request came to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.two_repositories import BELONGINGS, GUEST, MEMBER, OPEN, PAY_GROUP, PAYER, PAYMENTS, two_repositories
from workers.access.policy import Thing, asker_of_question, audience_of_question, decide
from workers.access.views import access_of
from workers.bootstrap import Oracle, SeenEngines, build_engine
from workers.contracts import Deploy, Question, RequestLog
from workers.engine.engine import Engine
from workers.ports import ALL_TEAMS, Standing, ToolContext
from workers.settings.schema import Access, AccessRule
from workers.store.deploys import record_deploys
from workers.toolkit.redaction import build_redactor

MARKS = {
    "repository:coldvault": ("coldvault", "settle_zebrafish", "4711", "v9.9.9-frost"),
    "repository:shop": ("add_to_cart", "src/cart.py"),
    "notes:vault": ("pomegranate",),
    "deploys:told": ("v3.1.4-plain",),
}
"""What tells that something of a source was read; none of it stands in a question."""
QUESTIONS = (
    "How is a zebrafish batch settled?",
    "What was deployed in the last two days?",
    "Where does an item go into the cart?",
    "What do our notes say about fruit?",
    "Which repositories do you know?",
)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    folder = tmp_path_factory.mktemp("generated")
    found = two_repositories(folder, None)
    vault = found.home / "vault"
    vault.mkdir()
    (vault / "fruit.md").write_text("# Fruit\n\nOur notes say that the fruit of the week is the pomegranate.\n")
    built = build_engine(found)
    now = datetime.now(UTC)
    for service, version in (("coldvault", "v9.9.9-frost"), ("till", "v3.1.4-plain")):
        record_deploys(built.store.database, [Deploy(service=service, version=version, at=now - timedelta(hours=5))])
    yield built
    built.close()


TERMS = st.sampled_from(
    ["everyone", f"person:{PAYER}", f"person:{MEMBER}", f"group:{PAY_GROUP}", f"channel:{PAYMENTS}", "token:bot"]
)
SOURCES = st.sampled_from(["repository:shop", "repository:coldvault", "notes:*", "deploys:told", "repository:c*"])
RULES = st.lists(
    st.builds(
        AccessRule,
        who=st.lists(TERMS, min_size=1, max_size=2).map(tuple),
        agents=st.sampled_from([("*",), ("research", "knowledge"), ("memory",)]),
        tools=st.sampled_from([("*",), ("doc_*", "repo_*", "deploys"), ("memory_search", "search_*", "read_*")]),
        sources=st.lists(SOURCES, max_size=3).map(tuple),
    ),
    max_size=4,
).map(tuple)
PLACES = st.sampled_from([OPEN, PAYMENTS, "D1", "api"])


def seen(oracle: Oracle, rules: tuple[AccessRule, ...], question: Question) -> tuple[Engine, set[str]]:
    """The engine of a question under a policy, and the sources that the policy gives there."""
    tree = oracle.settings.tree.model_copy(update={"access": Access(rules=rules)})
    access = access_of(replace(oracle.settings, tree=tree))
    redactor = build_redactor(oracle.settings)
    engines = SeenEngines(access, oracle.engine, redactor, oracle.store, oracle.reasoner_access, oracle.engine.likely)
    standing = Standing(BELONGINGS.get(question.asker, Standing().belonging), outside=False)
    engine = replace(oracle.engine, standing=lambda _: standing, view=engines.view)
    asker, audience = asker_of_question(question, standing.belonging), audience_of_question(question)
    given_here = {name for name in MARKS if decide(access.policy, asker, audience, Thing("source", name)).allowed}
    return engine, given_here


def everything(log: RequestLog) -> str:
    """All that a request came to, without the question's own words."""
    bare = log.question.model_copy(update={"text": "", "channel": "", "asker": ""})
    return log.model_copy(update={"question": bare}).model_dump_json()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rules=RULES,
    asker=st.sampled_from([MEMBER, PAYER, GUEST]),
    place=PLACES,
    text=st.sampled_from(QUESTIONS),
)
def test_nothing_stands_there_of_what_is_not_given(
    oracle: Oracle, rules: tuple[AccessRule, ...], asker: str, place: str, text: str
) -> None:
    shared = {"request_id": "g1", "text": text, "received_at": datetime.now(UTC), "channel": place}
    question = (
        Question(**shared, asker="bot", source="http")
        if place == "api"
        else Question(**shared, asker=asker, team="T1", source="slack")
    )
    engine, given_here = seen(oracle, rules, question)
    log = engine.ask(question)
    names = engine.view(engine, question).toolbox.landscape(context(question))
    told = everything(log) + names.model_dump_json()
    for source, marks in MARKS.items():
        if source not in given_here:
            assert [mark for mark in marks if mark in told] == []
    assert log.view is not None
    assert {name for name in log.view if name in MARKS} <= given_here


def context(question: Question) -> ToolContext:
    """As whom names are read."""
    return ToolContext("g1", "", datetime.now(UTC), team=question.team or ALL_TEAMS, user=question.user)


def test_what_is_given_is_found(oracle: Oracle) -> None:
    rules = (AccessRule(who=("everyone",), agents=("*",), tools=("*",), sources=("*",)),)
    found = ""
    for number, text in enumerate(QUESTIONS):
        asked = {"request_id": f"a{number}", "text": text, "received_at": datetime.now(UTC), "channel": "D1"}
        question = Question(**asked, asker=MEMBER, team="T1", source="slack")
        engine, _ = seen(oracle, rules, question)
        found += everything(engine.ask(question))
        found += engine.view(engine, question).toolbox.landscape(context(question)).model_dump_json()
    assert [mark for marks in MARKS.values() for mark in marks if mark not in found] == []
