"""What a section of a postmortem says of its cause and its end: in its own words, or nothing."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.contracts import Evidence, Fact
from workers.engine.assemble import past_facts


def section(heading: str, kind: str = "postmortem") -> Evidence:
    facts = {"doc_kind": Fact(value=kind), "heading": Fact(value=heading), "path": Fact(value="pm.md")}
    return Evidence(kind="doc", title="Outage", locator="pm.md", facts=facts)


@each_row(
    "heading, sentences, cause, fix",
    [
        ("Summary", ("It was slow.", "Cause: the pool was full.", "What ended it: a rollback."), 1, 2),
        ("Summary", ("Root cause of it: the pool was full.", "Fixed by: a rollback."), 0, 1),
        ("Root cause", ("The pool was full.", "It has 5 slots."), 0, None),
        ("What happened", ("The gateway answered 429.",), 0, None),
        ("Resolution", ("We rolled back.",), None, 0),
        ("What we changed", ("429 is repeated.",), None, 0),
        ("Summary", ("Cause: Not known yet.", "Cause: unknown."), None, None),
        ("Open questions", ("Why did the canary not catch it?",), None, None),
    ],
)
def test_what_it_says_of_cause_and_end(
    heading: str, sentences: tuple[str, ...], cause: int | None, fix: int | None
) -> None:
    found = {name: fact.value for name, fact in past_facts(section(heading), sentences).items()}
    wanted = {"cause": cause, "fix": fix}
    assert found == {name: sentences[number] for name, number in wanted.items() if number is not None}


def test_only_postmortems_tell_of_the_past() -> None:
    assert past_facts(section("Root cause", "runbook"), ("The pool was full.",)) == {}
