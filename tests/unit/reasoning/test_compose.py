"""What was found is told: the likeliest finding leads, and nothing is said to be missing while something was found."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.reasoner_inputs import brief
from workers.contracts import NEAREST, Claim, Draft, Evidence, Fact, ToolCall
from workers.ports import Brief
from workers.reasoning.compose import compose
from workers.reasoning.finding_rank import features_of, load_weights
from workers.reasoning.findings import Reading, single_findings
from workers.reasoning.wish import read_wish

SUBJECT = "/api/search"


def of(role: str, title: str, key: str, direction: str, change: float, endpoint: str = SUBJECT) -> Evidence:
    """A metric of an endpoint."""
    facts = {
        "metric": Fact(value=title, entity=endpoint),
        "role": Fact(value=role),
        "endpoint": Fact(value=endpoint),
        "baseline": Fact(value=1.0, unit="s", entity=endpoint),
        "current": Fact(value=1.0 + change / 100, unit="s", entity=endpoint),
        "change_pct": Fact(value=change, unit="percent", entity=endpoint),
        "direction": Fact(value=direction),
    }
    return Evidence(id=key, kind="metric", step="metric", title=f"{title} of {endpoint}", locator=key, facts=facts)


def section(key: str, text: str, **facts: str) -> Evidence:
    """A section of a document."""
    told = {"title": "Runbook: Deploys", "heading": "Roll back", "passage": text, "path": "deploys.md", **facts}
    values = {name: Fact(value=value) for name, value in told.items()}
    return Evidence(id=key, kind="doc", step="docs", title="Runbook: Deploys", locator=key, excerpt=text, facts=values)


def asked(text: str, *items: Evidence, subjects: tuple[str, ...] = (SUBJECT,)) -> Brief:
    """A brief over some evidence."""
    base = brief(evidence=items, gaps=(), calls=())
    intent = base.intent.model_copy(update={"subjects": subjects, "question_type": "operations_status"})
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}), intent=intent)


def told(found: Brief) -> Draft:
    """The answer that its single findings give."""
    reading = Reading(found)
    return compose(reading, single_findings(reading))


METRICS = st.lists(
    st.tuples(st.sampled_from(["latency", "errors", "traffic"]), st.sampled_from(["rose", "fell", "steady"])),
    max_size=4,
)
TEXTS = st.sampled_from(["is /api/search ok?", "are there errors on /api/search?", "what is p95 of /api/search now?"])


@given(TEXTS, METRICS, st.floats(0, 900))
def test_nothing_is_said_only_where_nothing_was_found(text: str, metrics: list[tuple[str, str]], change: float) -> None:
    found = [of(role, role, f"E{n}", way, change) for n, (role, way) in enumerate(metrics, 1)]
    draft = told(asked(text, *found))
    assert bool(draft.headline.evidence) == bool(found)


def test_the_trouble_of_another_thing_is_no_answer_and_its_remedy_no_help() -> None:
    found = asked("why is the label printer's spooler lagging?", subjects=("label printer's spooler",))
    base = of("latency", "p95", "E1", "rose", 800)
    found = replace(found, evidence=(base,))
    reading = Reading(found)
    (single,) = single_findings(reading)
    remedy = Claim(template="Roll back.", evidence=("E1",))
    draft = compose(reading, [replace(single, draft=single.draft.model_copy(update={"next_steps": (remedy,)}))])
    assert draft.headline.template.startswith(NEAREST) or not draft.headline.evidence
    assert not draft.next_steps
    assert any("spooler" in gap.text for gap in draft.missing) or not draft.headline.evidence


@each_row("role", ["latency", "errors"])
def test_the_measure_that_is_asked_for_leads(role: str) -> None:
    text = {"latency": "how is the latency of /api/search?", "errors": "are there errors on /api/search?"}[role]
    draft = told(asked(text, of("latency", "p95", "E1", "steady", 0), of("errors", "error ratio", "E2", "steady", 0)))
    assert draft.headline.evidence == ("E1" if role == "latency" else "E2",)


def test_what_is_measured_of_another_place_does_not_stand_beside() -> None:
    other = of("latency", "p95", "E2", "rose", 400, endpoint="/api/cart")
    draft = told(asked("how is the latency of /api/search?", of("latency", "p95", "E1", "steady", 0), other))
    assert "E2" not in {key for claim in draft.claims for key in claim.evidence}


def test_who_owns_something_is_answered_by_the_owner_that_a_document_names() -> None:
    draft = told(asked("who owns the roll back?", section("E1", "How to deploy.", owner="team platform"), subjects=()))
    assert draft.headline.template.startswith("{E1.owner}")


def test_a_row_of_a_table_is_a_finding_by_its_own_words() -> None:
    rows = {"row_1": "endpoint: /api/cart · success: 99.9 %", "row_2": "endpoint: /api/orders · success: 99.5 %"}
    reading = Reading(asked("what success do we promise for orders?", section("E1", "", **rows), subjects=()))
    cells = {f.draft.headline.template: f for f in single_findings(reading) if f.kind == "cell"}
    wish = read_wish(reading.brief, reading.said)
    shares = {"row_1" in text: wish.share(finding.words) for text, finding in cells.items()}
    assert shares[False] > shares[True]


def test_below_the_threshold_it_is_the_nearest_with_how_to_connect_a_model() -> None:
    draft = told(asked("which moon rolls back?", section("E1", "Press redeploy to roll back."), subjects=()))
    assert draft.headline.template.startswith("Nearest: ")
    assert any("language model" in gap.text for gap in draft.missing)


def test_a_source_that_failed_is_named_beside_what_was_found() -> None:
    late = {"name": "doc_search", "args": {}, "start_ms": 0, "end_ms": 1, "status": "timeout", "step": "docs"}
    found = asked("is /api/search ok?", of("latency", "p95", "E1", "steady", 0))
    draft = told(replace(found, calls=(ToolCall.model_validate(late),)))
    assert any("doc_search did not answer in time" in gap.text for gap in draft.missing)


def test_the_weights_are_of_the_features_that_there_are() -> None:
    reading = Reading(asked("is /api/search ok?", of("latency", "p95", "E1", "steady", 0)))
    (finding,) = single_findings(reading)
    names = features_of(finding, read_wish(reading.brief, reading.said))
    assert set(load_weights()) <= set(names)
    assert len(names) <= 40


def test_an_id_that_nothing_holds_is_said_to_be_unknown_beside_what_was_measured() -> None:
    found = of("latency", "p95 latency", "E1", "rose", 900.0)
    draft = told(asked("what happened to request req_88a1c3f09e on /api/search?", found))
    assert "req_88a1c3f09e" in draft.headline.template
    assert not draft.headline.evidence
    assert any("E1" in claim.evidence for claim in draft.metrics)


def test_an_id_that_stands_in_the_evidence_is_answered_from_it() -> None:
    found = section("E1", "Request req_88a1c3f09e timed out after 30 s.", heading="Incident notes")
    draft = told(asked("what happened to request req_88a1c3f09e?", found, subjects=()))
    assert draft.headline.evidence == ("E1",)
