"""What assembling marks: values beside the telling line, whole passages, conditions of alerts; never orders."""

from __future__ import annotations

from datetime import UTC, datetime

from workers.contracts import Evidence, Fact, Intent, Question
from workers.engine.assemble import assemble


def marked(item: Evidence, text: str) -> list[Evidence]:
    question = Question(request_id="r", text=text, received_at=datetime(2026, 11, 21, tzinfo=UTC))
    return assemble([item], question, Intent(question_type="other"), 4_000)


def code(path: str, excerpt: str, start: int = 1) -> Evidence:
    facts = {
        "path": Fact(value=path, unit="path", entity=path),
        "start_line": Fact(value=start, unit="line", entity=path),
        "lines": Fact(value=f"{path}:{start}-{start}", unit="lines", entity=path),
    }
    return Evidence(id="E1", kind="code", title=path, locator=f"{path}:{start}", excerpt=excerpt, facts=facts)


def doc(excerpt: str, heading: str = "Backlog") -> Evidence:
    facts = {"title": Fact(value="Runbook"), "heading": Fact(value=heading), "path": Fact(value="r.md", unit="path")}
    return Evidence(id="E1", kind="doc", title="Runbook", locator="r.md", excerpt=excerpt, facts=facts)


def test_values_beside_the_telling_line_are_facts() -> None:
    item = code("client.rb", "class Client\n  CONNECT_LIMIT = 2\n  ANSWER_LIMIT = 8\nend")
    facts = marked(item, "which limits does the client have")[0].facts
    said = {str(facts[n].value) for n in facts if n in {"telling", "setting_1", "setting_2"}}
    assert said == {"CONNECT_LIMIT = 2", "ANSWER_LIMIT = 8"}


def test_one_line_is_no_span() -> None:
    assert marked(code("a.yaml", "size: 3", 23), "size?")[0].facts["lines"].value == "a.yaml:23"


def test_the_condition_of_an_alert_is_a_fact() -> None:
    item = code("rules.yaml", "- alert: QueueDeep\n  expr: queue_depth > 2000\n  for: 15m")
    assert marked(item, "threshold of QueueDeep")[0].facts["alert_1_expr"].value == "queue_depth > 2000"


def test_a_short_section_is_quoted_whole() -> None:
    text = "`intake` reads mails. `sorter` files them. `archive` keeps them for a year."
    assert marked(doc(text), "which parts are there")[0].facts["passage"].value == text
