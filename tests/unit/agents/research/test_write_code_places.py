"""Where something is: the value in force leads, and what no lines show is no place."""

from __future__ import annotations

from dataclasses import replace

from tests.support.reasoner_inputs import brief
from workers.agents.research.write_code_places import write_places
from workers.contracts import Evidence, Fact, Intent
from workers.ports import Brief


def code(key: str, path: str, line: str, **facts: str) -> Evidence:
    own = {"telling": line, "symbol": "", **facts}
    given = {name: Fact(value=value, entity=path) for name, value in own.items() if value}
    places = {"path": Fact(value=path, unit="path"), "lines": Fact(value=f"{path}:3-9", unit="lines")}
    return Evidence(
        id=key, kind="code", title=path, locator=f"{path}:3-9", excerpt=line, facts=places | given, step="code"
    )


def asking(text: str, *found: Evidence) -> Brief:
    base = brief(evidence=found, gaps=(), intent=Intent(question_type="locate_code"))
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}))


DEFAULT = code("E1", "payments/retry.py", "max_attempts = 3  # retry policy of the payment client", symbol="RETRY")
LIVE = code("E2", "config/production.yaml", "max_attempts: 5")
OTHER = code("E3", "config/staging.yaml", "max_attempts: 1")
WHERE = "Where is the retry policy configured for our payment client?"


def test_what_production_sets_leads_before_the_default() -> None:
    draft = write_places(asking(WHERE, DEFAULT, OTHER, LIVE))
    assert draft is not None
    assert draft.headline.evidence == ("E2", "E1")
    assert draft.headline.template.index("{E2.telling}") < draft.headline.template.index("{E1.lines}")


def test_another_key_of_production_overrides_nothing() -> None:
    draft = write_places(asking(WHERE, DEFAULT, code("E2", "config/production.yaml", "pool_size: 5")))
    assert draft is not None
    assert draft.headline.evidence == ("E1",)


def test_lines_that_do_not_hold_what_is_asked_for_are_no_place() -> None:
    assert write_places(asking("where is the zebra quota configured for the aviary?", DEFAULT, LIVE)) is None


def test_a_value_is_asked_for_and_no_line_gives_one() -> None:
    uses = code("E1", "payments/client.py", "retry(policy.attempts, payment_client)")
    assert write_places(asking("what is the retry attempts value of the payment client?", uses)) is None


def test_users_are_told_of_a_definition_that_is_named_alone() -> None:
    used = code("E1", "pay/retry.py", "RETRY = 3", symbol="RETRY", reference_1="pay/client.py:5")
    draft = write_places(asking("where is `RETRY` of pay defined?", used))
    assert draft is not None
    assert any("Used" in claim.template for claim in draft.code)
    unnamed = write_places(asking("where is retry of pay defined?", used))
    assert unnamed is not None
    assert not any("Used" in claim.template for claim in unnamed.code)
