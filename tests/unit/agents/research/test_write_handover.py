"""What no plan covers: no verdict, the nearest passages with their places, and how a model is connected."""

from __future__ import annotations

from dataclasses import replace

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import MODULE, brief
from workers.agents.research.agent import write_answer
from workers.contracts import Evidence, Fact, Intent, rfc3339
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.ports import Brief, Playbook
from workers.reasoning.rules import RulesReasoner

QUESTION = "Can two people reserve the last seat at the same time?"
CODE = Evidence(
    id="E1",
    kind="code",
    title="reserve",
    locator="seats/reserve.py:3-9",
    excerpt="def reserve(seat): ...",
    facts={
        "path": Fact(value="seats/reserve.py", unit="path", entity="seats/reserve.py"),
        "lines": Fact(value="seats/reserve.py:3-9", unit="lines", entity="seats/reserve.py"),
        "telling": Fact(value="def reserve(seat):", entity="seats/reserve.py"),
    },
)
DOC = Evidence(
    id="E2",
    kind="doc",
    title="ADR 3: seats",
    locator="docs/seats.md#locks",
    excerpt="The last seat is locked while it is reserved.",
    facts={
        "title": Fact(value="ADR 3: seats"),
        "path": Fact(value="docs/seats.md", unit="path"),
        "quote": Fact(value="The last seat is locked while it is reserved."),
    },
)
CHANGE = Evidence(
    id="E3",
    kind="change",
    title="Lock the seat",
    locator="ab12cd3",
    excerpt="Lock the last seat when people reserve",
    facts={
        "short": Fact(value="ab12cd3"),
        "subject": Fact(value="Lock the last seat when people reserve"),
        "author": Fact(value="Ann"),
        "at": Fact(value=rfc3339(NOW), unit="time"),
    },
)
FAR = DOC.model_copy(
    update={"id": "E4", "locator": "docs/menu.md", "title": "Canteen", "excerpt": "Soup.", "facts": {}}
)


def given(*evidence: Evidence, asking: str = QUESTION) -> Brief:
    base = brief(evidence=evidence, gaps=(), intent=Intent(question_type="other"))
    return replace(base, question=base.question.model_copy(update={"text": asking, "context": ()}))


def test_the_headline_gives_no_verdict_and_the_passages_hold() -> None:
    asked = given(CODE, DOC, CHANGE, FAR)
    draft = write_answer(asked, Playbook({}))
    answer, struck = check_grounding(draft, asked.evidence, Voice(NOW, "UTC"), (), known=QUESTION, asked=QUESTION)
    assert not struck
    assert (
        answer.headline.text == "I can't tell: no language model is connected; the passages nearest to your question:"
    )
    cited = {key for claim in answer.claims for key in claim.evidence}
    assert cited == {"E1", "E2", "E3"}
    assert all(claim.status == "supported" for claim in answer.claims if claim.evidence)


def test_how_a_model_is_connected_is_said_once() -> None:
    draft = write_answer(given(CODE, DOC), Playbook({}))
    assert sum("ANTHROPIC_API_KEY" in gap.text for gap in draft.missing) == 1


def test_a_model_that_is_down_is_not_called_missing() -> None:
    rules = RulesReasoner("research", {"research": MODULE}, Playbook({}))
    draft = rules.write_answer(replace(given(CODE), without_model="overloaded"))
    assert draft.headline.template.startswith("I can't tell: the language model did not answer; the passages")
    assert not any("ANTHROPIC_API_KEY" in gap.text for gap in draft.missing)
    plain = rules.write_answer(given(CODE, asking="how are seats reserved"))
    assert plain.headline.template.startswith("No language model is connected")


def test_where_nothing_is_near_that_is_said() -> None:
    draft = write_answer(given(FAR), Playbook({}))
    assert draft.headline.template.startswith("I found nothing")


def headline(asked: Brief) -> str:
    draft = write_answer(asked, Playbook({}))
    text = asked.question.text
    answer, struck = check_grounding(draft, asked.evidence, Voice(NOW, "UTC"), (), known=text, asked=text)
    assert not struck
    return answer.headline.text


def test_a_sentence_that_holds_most_of_a_question_for_yes_or_no_leads_without_a_verdict() -> None:
    assert headline(given(CODE, DOC, asking="is the last seat locked while somebody reserves it?")) == (
        "I can't tell for sure; nearest is *ADR 3: seats*: The last seat is locked while it is reserved."
    )


ROUTE = CODE.model_copy(
    update={
        "excerpt": 'router.add("POST", "/api/seats", reserve)',
        "facts": {**CODE.facts, "file_kind": Fact(value="code")},
    }
)


def test_where_only_the_route_is_found_nothing_is_denied() -> None:
    asked = given(ROUTE, asking="is there throttling on /api/seats?")
    asked = replace(asked, intent=Intent(question_type="other", subjects=("/api/seats",)))
    assert headline(asked) == (
        "I can't tell: /api/seats is in seats/reserve.py:3-9, and nothing that I found in code and documents speaks of"
        " throttling there."
    )
