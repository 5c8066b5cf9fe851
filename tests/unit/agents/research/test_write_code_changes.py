"""How a part of the code changed, as an answer: what was found leads, what was not is said."""

from __future__ import annotations

from dataclasses import replace

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import brief
from workers.agents.research.agent import write_one
from workers.agents.research.code_change_question import CodeChange
from workers.agents.research.write_code_changes import tells_changes
from workers.agents.research.write_code_places import write_places
from workers.contracts import Draft, Evidence, Fact, Intent, Plan, Step, ToolCall, rfc3339
from workers.ports import Brief

SPAN = {"span_commits": 2, "span_path": "pay/client.py", "span_since": rfc3339(NOW), "span_until": rfc3339(NOW)}


def code(key: str, path: str, step: str = "place") -> Evidence:
    facts = {"path": Fact(value=path, unit="path"), "lines": Fact(value=f"{path}:3-9", unit="lines")}
    return Evidence(id=key, kind="code", title="charge", locator=f"{path}:3-9", excerpt="limit", facts=facts, step=step)


def commit(key: str, step: str, **facts: str | int) -> Evidence:
    given = {"short": key * 3, "subject": f"Tidy {key}", "author": "Ann", "at": rfc3339(NOW), **facts}
    told = {name: Fact(value=value) for name, value in given.items()}
    return Evidence(id=key, kind="change", title=f"Tidy {key}", locator=key, facts=told, step=step)


def asking(text: str, *found: Evidence, steps: tuple[str, ...] = ("place", "own"), **changes: object) -> Brief:
    plan = Plan(
        pattern="locate_code",
        query_intent="",
        steps=tuple(Step(id=s, tool="repo_search", args={}, purpose="see") for s in steps),
    )
    base = brief(evidence=found, gaps=(), plan=plan, intent=Intent(question_type="locate_code"), **changes)
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}))


def write(given: Brief) -> Draft:
    return write_one(given)


IN_SPAN = "what changed in the pay client since Tuesday?"


def test_the_newest_of_the_commits_leads() -> None:
    old = commit("E2", "own", **SPAN | {"at": "2026-01-01T00:00:00Z"})
    draft = write(asking(IN_SPAN, code("E1", "pay/client.py"), old, commit("E3", "own", **SPAN)))
    assert draft.headline.evidence == ("E3",)
    assert "commits changed the pay client" in draft.headline.template
    assert [c.evidence for c in draft.what_changed] == [("E3",), ("E2",)]
    assert draft.confidence == "high"


def test_another_file_is_said_to_be_the_closest() -> None:
    found = commit("E3", "own", **SPAN | {"span_path": "web/app.py"})
    draft = write(asking(IN_SPAN, code("E1", "web/app.py"), found))
    assert "closest" in draft.headline.template
    assert any("No file is clearly the pay client" in g.text for g in draft.missing)
    assert draft.confidence == "low"


def test_a_search_that_failed_is_not_taken_for_no_change() -> None:
    call = ToolCall(name="repo_search", args={}, start_ms=0, end_ms=1, status="timeout", step="own")
    draft = write(asking(IN_SPAN, code("E1", "pay/client.py"), calls=(call,)))
    assert "in time, so I can't say" in draft.headline.template


def test_a_plan_without_these_steps_is_answered_as_ever() -> None:
    assert tells_changes(asking(IN_SPAN, steps=("code",))) is None
    assert tells_changes(asking(IN_SPAN)) == CodeChange("pay client")


def value(key: str, name: str, old: str, new: str) -> Evidence:
    values = {"value_1_name": name, "value_1_old": old, "value_1_new": new, "value_1_new_text": f"{name} = {new}"}
    return commit(key, "lines", **values, value_1_lines="pay/client.py:4-4")


def test_a_value_of_another_name_does_not_answer() -> None:
    text = "when was max_attempts raised from 3 to 5?"
    place = code("E1", "pay/client.py", "code")
    asked = write(asking(text, place, value("E2", "statuses", "1", "2"), steps=("code", "lines")))
    assert "value_1" not in asked.headline.template
    told = write(asking(text, place, value("E2", "max_attempts", "3", "5"), steps=("code", "lines")))
    assert "from `{E2.value_1_old}` to `{E2.value_1_new}`" in told.headline.template
    assert told.confidence == "high"
    other = write(asking(text, place, value("E2", "max_attempts", "7", "8"), steps=("code", "lines")))
    assert any("number that is asked for" in g.text for g in other.missing)
    assert other.confidence == "low"


def test_an_example_does_not_lead_unless_it_is_asked_for() -> None:
    found = (code("E1", "_examples/limits/main.go", "code"), code("E2", "middleware/throttle.go", "code"))
    assert write_places(asking("how does the throttle limit backlog?", *found)).headline.evidence == ("E2",)
    assert write_places(asking("where is the example of throttle?", *found)).headline.evidence == ("E1",)
