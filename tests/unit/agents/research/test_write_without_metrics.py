"""An alert of which nothing could be measured: its runbook's steps, what was not checked, and who owns it."""

from __future__ import annotations

from dataclasses import replace

from tests.support.reasoner_inputs import brief
from workers.agents.research.write_incident import write_incident
from workers.contracts import Evidence, Fact, Gap, Intent
from workers.ports import Brief

DOWN = Gap(text="metrics_query failed: prometheus cannot be reached", tool="metrics_query")


def section(number: int, heading: str, text: str, *steps: str, path: str = "users.md", **facts: str) -> Evidence:
    own = {"doc_kind": "runbook", "title": "Users latency", "heading": heading, "path": path, **facts}
    own |= {f"step_{i}": step for i, step in enumerate(steps, 1)}
    lines = {"lines": Fact(value=f"{path}:{10 * number}-{10 * number + 9}", unit="lines")}
    return Evidence(
        id=f"D{number}",
        kind="doc",
        title="Users latency",
        locator=f"{path}#{number}",
        excerpt=text,
        facts={**{name: Fact(value=value) for name, value in own.items()}, **lines},
    )


OPENING = section(1, "Users latency", "For UsersLatencyHigh and AccountsPoolExhausted.", owner="team platform")
FIRST = section(2, "First look", "1. Which is slow?", "Which is slow?", "Are there 503s?")
POOL = section(3, "Connection pool exhausted", "All in use.", "Find the leak.", "Switch over.", quote="All in use.")
INDEX = section(4, "Missing index", "Queries are slow.", "EXPLAIN it.", quote="Queries are slow.")
OTHER = section(5, "Pool exhausted", "Another team's.", "Call them.", path="cart.md", quote="Another team's.")


def asked(alert: str, *docs: Evidence) -> Brief:
    base = brief(evidence=docs, gaps=(DOWN,), calls=())
    intent = Intent.model_validate(
        {"question_type": "debug_incident", "subjects": ("/api/users", alert), "window": base.intent.window}
    )
    question = base.question.model_copy(update={"text": f"Why is {alert} firing for shop /api/users?", "context": ()})
    return replace(base, question=question, intent=intent)


def test_the_case_that_the_alert_is_named_after_comes_with_its_steps() -> None:
    draft = write_incident(asked("AccountsPoolExhausted", OTHER, OPENING, FIRST, POOL, INDEX))
    assert [c.template for c in draft.next_steps] == ["{D3.step_1}", "{D3.step_2}"]
    assert draft.docs[0].evidence == ("D3",)
    assert draft.docs[-1].template == "Owner, by *{D1.title}*: {D1.owner}."
    assert draft.missing == (DOWN,)


def test_without_such_a_case_it_begins_with_what_holds_for_all() -> None:
    draft = write_incident(asked("UsersLatencyHigh", OTHER, OPENING, FIRST, POOL, INDEX))
    assert [c.template for c in draft.next_steps[:2]] == ["{D2.step_1}", "{D2.step_2}"]
    assert draft.next_steps[2].template.startswith("Read *{D3.title} › {D3.heading}* and ")
    assert all("D2" not in claim.evidence for claim in draft.docs)


def test_an_owner_that_nobody_wrote_down_is_missing() -> None:
    silent = OPENING.model_copy(update={"facts": {k: f for k, f in OPENING.facts.items() if k != "owner"}})
    draft = write_incident(asked("UsersLatencyHigh", silent, FIRST))
    assert not any("Owner" in claim.template for claim in draft.docs)
    assert "Who owns it: the sections of its runbook that were read do not say." in [gap.text for gap in draft.missing]


def test_another_alerts_runbook_gives_no_steps_and_no_owner() -> None:
    draft = write_incident(asked("CartErrors", OTHER, OPENING, FIRST))
    assert draft.next_steps == ()
    assert not any("Owner" in claim.template for claim in draft.docs)
