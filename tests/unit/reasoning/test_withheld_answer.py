"""What was found is told, whoever writes: no model's answer withholds what its own evidence answers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import VOICE
from tests.support.reasoner_inputs import MODULE, brief
from workers.contracts import Answer, Claim, Draft, Evidence, Fact, Gap, ToolCall
from workers.grounding.ground import check_grounding
from workers.ports import Brief, Playbook
from workers.reasoning.rules import RulesReasoner

RULES = RulesReasoner("research", {"research": MODULE}, Playbook({}))
PLACE = "/api/search"
ASKED = {
    "latency": ("how is the latency of /api/search?", "is /api/search slow now?", "what is p95 of /api/search?"),
    "errors": ("are there errors on /api/search?", "what is the error ratio of /api/search?"),
}
TITLES = {"latency": "p95 latency", "errors": "error ratio"}
DENIALS = (
    "I could not find this.",
    "There is no data that I can speak of.",
    "I am unable to determine how /api/search does.",
    "Leider konnte ich dazu nichts finden.",
    "Aucune information n'est disponible.",
    "Sorry.",
)
"""Cite nothing, in whatever words."""


def of(role: str, key: str, now: float, before: float = 0.2, place: str = PLACE) -> Evidence:
    """A metric of an endpoint, as its tool returns it."""
    unit = "s" if role == "latency" else "ratio"
    facts = {
        "metric": Fact(value=TITLES[role], entity=place),
        "role": Fact(value=role),
        "endpoint": Fact(value=place, entity=place),
        "baseline": Fact(value=before, unit=unit, entity=place),
        "current": Fact(value=now, unit=unit, entity=place),
        "change_pct": Fact(value=(now - before) / before * 100, unit="percent", entity=place),
        "direction": Fact(value="rose" if now > 1.5 * before else "fell" if 1.5 * now < before else "steady"),
    }
    title = f"{TITLES[role]} of {place}"
    return Evidence(id=key, kind="metric", step="call_1", title=title, locator=f"{role}{place}", facts=facts)


def section(key: str, text: str) -> Evidence:
    """A section that speaks of the endpoint."""
    facts = {"title": "Search", "heading": "How it works", "passage": text, "path": "search.md"}
    values = {name: Fact(value=value) for name, value in facts.items()}
    return Evidence(id=key, kind="doc", step="call_2", title="Search", locator=key, excerpt=text, facts=values)


def asked(text: str, *items: Evidence, subjects: tuple[str, ...] = (PLACE,)) -> Brief:
    """A brief over what a model found."""
    call = ToolCall(name="metrics_query", args={"query": "p95"}, start_ms=0, end_ms=1, status="ok")
    base = brief(evidence=items, gaps=(), calls=(call, call))
    intent = base.intent.model_copy(update={"subjects": subjects, "question_type": "operations_status"})
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}), intent=intent)


def answer(found: Brief, draft: Draft) -> Answer:
    """What a model's draft comes to: held against its evidence, and told."""

    def ground(one: Draft) -> Answer:
        known = f"{found.question.text}\nmetrics_query twice"
        return check_grounding(one, found.evidence, VOICE, (), known=known, asked=found.question.text)[0]

    return ground(RULES.tell_found(draft, ground(draft), found))


def says(*sections: str, head: str, cited: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> Draft:
    """What a model wrote."""
    claims = tuple(Claim(template=text, evidence=cited or ("E1",)) for text in sections)
    gaps = tuple(Gap(text=text) for text in missing)
    return Draft(headline=Claim(template=head, evidence=cited), metrics=claims, missing=gaps)


QUESTIONS = st.sampled_from([(role, text) for role, texts in ASKED.items() for text in texts])
VALUES = st.lists(st.tuples(st.sampled_from([*TITLES]), st.floats(0.01, 9.0)), max_size=4)


@given(QUESTIONS, VALUES, st.sampled_from(DENIALS), st.booleans())
def test_a_denial_leads_only_where_nothing_answers(
    question: tuple[str, str], values: list[tuple[str, float]], denial: str, documented: bool
) -> None:
    role, text = question
    items = [of(one, f"E{n}", now) for n, (one, now) in enumerate(values, 1)]
    items += [section(f"E{len(items) + 1}", "Search has a cache.")] if documented else []
    told = answer(asked(text, *items), says(head=denial))
    measured = {item.id for item in items if item.kind == "metric" and item.facts["role"].value == role}
    if measured:
        assert measured & set(told.headline.evidence)
        assert denial not in told.headline.text
        assert denial not in [gap.text for gap in told.missing]
    else:
        assert not {e.id for e in items if e.kind == "metric"} & set(told.headline.evidence)


@given(QUESTIONS, st.floats(0.01, 9.0), st.sampled_from(DENIALS))
def test_what_is_measured_of_another_place_answers_nothing(question: tuple[str, str], now: float, denial: str) -> None:
    told = answer(asked(question[1], of(question[0], "E1", now, place="/api/cart")), says(head=denial))
    assert told.headline.evidence == ()


@given(QUESTIONS, st.floats(0.01, 9.0))
def test_an_answer_that_tells_the_value_stays_as_it_is(question: tuple[str, str], now: float) -> None:
    role, text = question
    draft = says(head=f"{TITLES[role].capitalize()} of {PLACE} is {{E1.current}}.", cited=("E1",))
    told = answer(asked(text, of(role, "E1", now)), draft)
    assert told.headline.template == draft.headline.template
    assert told.missing == ()


def test_what_holds_of_nothing_gives_way_to_what_was_found() -> None:
    draft = says(head="p95 latency of /api/search is 77 s.", cited=("E1",))
    told = answer(asked(ASKED["latency"][0], of("latency", "E1", 1.9)), draft)
    assert "1.9 s" in told.headline.text
    assert "77" not in str(told.headline)


@each_row(
    "denial",
    ["No latency data was found for /api/search.", "The latency of /api/search is unknown: no result was returned."],
)
def test_a_denial_that_cites_something_goes_too(denial: str) -> None:
    items = (of("latency", "E1", 1.9), section("E2", "The latency of /api/search is told by a metric."))
    told = answer(asked(ASKED["latency"][0], *items), says(denial, head=denial, cited=("E2",), missing=(denial,)))
    assert told.headline.evidence == ("E1",)
    assert denial not in told.model_dump_json()


def test_what_is_really_missing_stays_named() -> None:
    gaps = ("No traces are connected.", "The error ratio of /api/search was not looked at.")
    head = "I could not find the error ratio of /api/search."
    told = answer(asked("how are latency and errors of /api/search?", of("latency", "E1", 1.9)), says(head=head))
    assert told.headline.evidence == ("E1",)
    assert head in [gap.text for gap in told.missing]
    told = answer(asked(ASKED["latency"][0], of("latency", "E1", 1.9)), says(head="I can't say.", missing=gaps))
    assert {gap.text for gap in told.missing} >= set(gaps)


def test_a_headline_beside_the_point_stands_below() -> None:
    head = "The search service keeps a cache."
    items = (of("latency", "E1", 1.9), section("E2", "The search service keeps a cache of results."))
    told = answer(asked(ASKED["latency"][0], *items), says(head=head, cited=("E2",)))
    assert told.headline.evidence == ("E1",)
    assert [claim.text for claim in told.docs] == [head]


def test_nothing_lists_what_was_looked_at() -> None:
    told = answer(asked("who owns the moon?", subjects=()), says(head="I could not find this."))
    assert told.headline.text == "I could not find this."
    assert "Checked: metrics_query twice." in [gap.text for gap in told.missing]
