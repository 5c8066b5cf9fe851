"""The way of a question that a model investigates: its calls, its draft against the evidence, what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.agent_rules import rules
from tests.support.engine_fakes import NOW, FakeClock, FakeStore, FakeToolbox, nothing
from tests.support.investigation_parts import INVENTED, PEAKED, PLACE, ROSE, code, documents, found, metrics, workbench
from tests.unit.engine.test_run import LANDSCAPE
from workers.agents.registry import build_agents
from workers.contracts import (
    Ambiguity,
    Claim,
    Draft,
    Evidence,
    Option,
    Question,
    RequestLog,
    Scalar,
    Step,
    ToolOutput,
    Verdict,
)
from workers.engine.investigation import LOOP, MOST_UNCITED, without
from workers.engine.run import Pipeline
from workers.engine.synthesize_stage import synthesize_stage
from workers.ports import Brief, Finding, Workbench
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import load_settings

WHY = "Why is /api/search slow since yesterday's deploy?"
Investigating = Callable[[Workbench], Finding | None]


@dataclass(frozen=True)
class Driver:
    """Investigates by a function; does everything else as the rules do."""

    rules: RulesReasoner
    work: Investigating
    seen: list[Brief] = field(default_factory=list)
    name: str = "m"
    drives: bool = True

    def __getattr__(self, name: str) -> object:
        return getattr(self.rules, name)

    def investigate(self, brief: Brief, bench: Workbench) -> Finding | None:
        self.seen.append(brief)
        return self.work(bench)


@dataclass
class Run:
    """What one question came to."""

    log: RequestLog
    told: list[tuple[str, object]]
    engine: Pipeline
    driver: Driver

    @property
    def missing(self) -> str:
        assert self.log.answer is not None
        return "\n".join(gap.text for gap in self.log.answer.missing)


Ask = Callable[..., Run]


@pytest.fixture
def ask(home: Path) -> Ask:
    settings = load_settings(home=home)

    def asked(work: Investigating, text: str = WHY, box: FakeToolbox | None = None) -> Run:
        driver, told = Driver(rules(settings, "research"), work), list[tuple[str, object]]()
        box = box or FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=code, doc_search=documents)
        engine = Pipeline(
            build_agents(settings),
            "research",
            box,
            lambda _: driver,  # type: ignore[arg-type,return-value]
            FakeStore(),
            FakeClock(),
            progress=lambda event, detail: told.append((event, detail)),
        )
        log = engine.ask(Question(request_id="r1", text=text, received_at=NOW))
        return Run(log, told, engine, driver)

    return asked


def step(number: int, tool: str, query: str = "p95") -> Step:
    return Step(id=f"call_{number}", tool=tool, args={"query": query}, purpose="look")


LOOKS = (step(1, "metrics_query"), step(2, "repo_search"))


def draft(headline: str = ROSE, *evidence: str, **sections: tuple[Claim, ...]) -> Draft:
    return Draft(headline=claim(headline, *evidence), confidence="high", **sections)


def claim(text: str, *evidence: str) -> Claim:
    return Claim(template=text, evidence=evidence or ("E1",))


def writes(made: Draft, *refuted: Verdict, kind: str = "debug_incident") -> Investigating:
    def work(bench: Workbench) -> Finding:
        bench.call(LOOKS)
        return Finding(made, kind, refuted)

    return work


# --- the way --------------------------------------------------------------------------------------------------


def test_a_draft_becomes_the_answer_and_its_calls_the_plan(ask: Ask) -> None:
    ran = ask(writes(draft(metrics=(claim(PEAKED),), code=(claim(PLACE, "E3"),))))
    log = ran.log
    assert log.answer is not None
    assert (log.answer.headline.text, log.reasoner, log.grounded, log.struck) == (ROSE, "m", True, ())
    assert [c.text for c in (*log.answer.metrics, *log.answer.code)] == [PEAKED, PLACE]
    assert log.plan is not None
    assert (log.plan.pattern, log.plan.steps) == (LOOP, LOOKS)
    assert [c.name for c in log.tool_calls] == ["metrics_query", "repo_search"]
    assert log.answer.tools_used == ("metrics_query ×1", "repo_search ×1")
    assert [e.id for e in log.evidence] == ["E1", "E2", "E3"]
    assert log.answer.banner is None


def test_the_rules_plan_is_advice_with_names_that_exist(ask: Ask) -> None:
    (brief,) = ask(writes(draft())).driver.seen
    assert {s.tool for s in brief.plan.steps} >= {"metrics_query", "repo_search"}
    assert "/api/search" in brief.landscape.names
    assert brief.evidence == ()


def test_what_it_says_a_question_is_about_counts(ask: Ask) -> None:
    log = ask(writes(draft(), kind="operations_status")).log
    assert log.intent is not None
    assert log.intent.question_type == "operations_status"


def test_people_see_its_list_and_its_steps(ask: Ask) -> None:
    def work(bench: Workbench) -> Finding:
        bench.show([("see when it moved", "active")])
        bench.call(LOOKS[:1])
        return Finding(draft(), "debug_incident")

    told = ask(work).told
    assert ("todo", (("see when it moved", "active"),)) in told
    steps = [detail for event, detail in told if event == "step"]
    assert [detail[1] for detail in steps] == ["running", "ok"]  # type: ignore[index]
    assert "plan" not in dict(told)


def test_the_draft_is_kept_so_that_another_worker_can_finish(ask: Ask) -> None:
    ran = ask(writes(draft(metrics=(claim(INVENTED),))))
    kept = ran.log.model_copy(update={"answer": None, "struck": ()})
    again = synthesize_stage(ran.engine, RequestLog.model_validate_json(kept.model_dump_json()))
    assert again.answer == ran.log.answer
    assert again.struck == ran.log.struck


def test_a_question_back_ends_it(ask: Ask) -> None:
    options = tuple(Option(value=v, label=v) for v in ("/api/search", "/api/checkout"))

    def work(bench: Workbench) -> Finding:
        bench.call(LOOKS)
        return Finding(ambiguity=Ambiguity(question="Which one?", options=options))

    log = ask(work).log
    assert log.asks_back
    assert log.answer is not None
    assert [o.value for o in log.answer.options] == ["/api/search", "/api/checkout"]
    assert log.answer.tools_used == ("metrics_query ×1", "repo_search ×1")


# --- when it fails --------------------------------------------------------------------------------------------


def test_the_rules_plan_is_run_and_shown_when_nobody_drives_to_the_end(ask: Ask) -> None:
    def gives_up(bench: Workbench) -> None:
        bench.call(LOOKS[:1])

    ran = ask(gives_up)
    assert ran.log.answer is not None
    assert "/api/search" in ran.log.answer.headline.text
    assert ran.log.plan is not None
    assert ran.log.plan.pattern != LOOP
    assert {s.id for s in ran.log.plan.steps} == {c.step for c in ran.log.tool_calls}
    assert [detail for event, detail in ran.told if event == "plan"] == [ran.log.plan]


def test_the_rules_ask_back_then_when_a_question_has_two_meanings(ask: Ask) -> None:
    log = ask(lambda bench: None, text="is it slow?").log
    assert log.asks_back


def test_two_meanings_for_the_rules_do_not_keep_a_model_from_looking(ask: Ask) -> None:
    log = ask(writes(draft()), text="is it slow?").log
    assert log.answer is not None
    assert (log.answer.kind, log.answer.headline.text) == ("answer", ROSE)


# --- what of a draft is left ----------------------------------------------------------------------------------


def test_an_invented_claim_is_struck_and_named(ask: Ask) -> None:
    ran = ask(writes(draft(metrics=(claim(INVENTED), claim(PEAKED)))))
    assert ran.log.answer is not None
    assert [c.text for c in ran.log.answer.metrics] == [PEAKED]
    assert [v.id for v in ran.log.struck] == ["metrics.0"]
    assert "Could not verify" in ran.missing
    assert "7.7" not in ran.missing
    assert not ran.log.grounded


def refuted(name: str, why: str = "the evidence does not say this: it names no owner") -> Verdict:
    return Verdict(id=name, verdict="struck", reason=why)


def test_what_a_verifier_refuted_is_struck_and_named(ask: Ask) -> None:
    ran = ask(writes(draft(metrics=(claim(PEAKED), claim("Its baseline was 210 ms."))), refuted("metrics.0")))
    assert ran.log.answer is not None
    assert [c.text for c in ran.log.answer.metrics] == ["Its baseline was 210 ms."]
    assert [v.id for v in ran.log.struck] == ["metrics.0"]
    assert "Could not verify" in ran.missing
    assert "it names no owner" in ran.missing


def test_a_refuted_headline_gives_way_to_the_first_claim_that_holds(ask: Ask) -> None:
    ran = ask(writes(draft(metrics=(claim(PEAKED),)), refuted("headline")))
    assert ran.log.answer is not None
    assert ran.log.answer.headline.text == PEAKED
    assert ran.log.answer.metrics == ()
    assert "Could not verify" in ran.missing


def test_nothing_is_left_of_a_draft_that_does_not_hold(ask: Ask) -> None:
    for ran in (ask(writes(draft(), refuted("headline"))), ask(writes(draft(INVENTED)))):
        assert ran.log.answer is not None
        assert ran.log.answer.headline.text.startswith("I could not verify an answer")
        assert ran.log.answer.headline.evidence == ()
        assert [v.id for v in ran.log.struck] == ["headline"]


def test_a_verdict_of_a_claim_that_is_not_there_does_nothing(ask: Ask) -> None:
    log = ask(writes(draft(metrics=(claim(PEAKED),)), refuted("metrics.7"), refuted("x"))).log
    assert log.answer is not None
    assert (log.answer.headline.text, len(log.answer.metrics)) == (ROSE, 1)


def test_claims_without_the_refuted_ones_keep_their_order() -> None:
    made = draft(metrics=(claim("a"), claim("b"), claim("c")), docs=(claim("d"),))
    left = without(made, {"metrics.1", "docs.0"})
    assert ([c.template for c in left.metrics], left.docs, left.headline) == (["a", "c"], (), made.headline)


def test_general_knowledge_needs_no_evidence_where_nothing_of_ours_is_named(ask: Ask) -> None:
    told = "A circuit breaker stops calls to something that keeps failing, and lets a few through later."
    made = Draft(headline=Claim(template=told))
    log = ask(lambda bench: Finding(made, "conceptual"), text="what is a circuit breaker?").log
    assert log.answer is not None
    assert log.answer.headline.text == told
    of_ours = Draft(headline=Claim(template="p95 latency of /api/search rose because of the circuit breaker."))
    ours = ask(lambda bench: Finding(of_ours, "conceptual"), text="what is the circuit breaker of /api/search?").log
    assert ours.answer is not None
    assert "rose" not in ours.answer.headline.text


# --- sources that fail ----------------------------------------------------------------------------------------


def breaks_at_first() -> Callable[[Mapping[str, Scalar]], ToolOutput]:
    outputs = iter([ToolOutput(status="error", reason="prometheus answered 502"), metrics({})])
    return lambda args: next(outputs)


@pytest.mark.parametrize(("again", "named"), [(False, True), (True, False)])
def test_a_source_that_failed_is_missing_unless_another_call_reached_it(ask: Ask, again: bool, named: bool) -> None:
    def work(bench: Workbench) -> Finding:
        bench.call(LOOKS[:1])
        bench.call([step(2, "metrics_query", "again") if again else LOOKS[1]])
        made = draft() if again else Draft(headline=claim(PLACE))
        return Finding(made, "debug_incident")

    box = FakeToolbox(LANDSCAPE, metrics_query=breaks_at_first(), repo_search=code, doc_search=nothing)
    assert ("metrics_query failed: prometheus answered 502" in ask(work, box=box).missing) == named


# --- the bench ------------------------------------------------------------------------------------------------


def test_a_piece_keeps_its_number_for_the_whole_request() -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=lambda args: found("E5", "E1"))
    bench = workbench(box)
    first, second = bench.call(LOOKS)
    assert [e.id for e in first.evidence] == ["E1", "E2"]
    assert [e.id for e in second.evidence] == ["E3", "E1"]
    (again,) = bench.call([step(3, "metrics_query")])
    assert again.evidence == first.evidence
    assert [e.id for e in bench.evidence] == ["E1", "E2", "E3"]


def test_the_same_place_with_another_text_is_another_piece() -> None:
    texts = iter(["one", "two"])

    def reads(args: Mapping[str, Scalar]) -> ToolOutput:
        return ToolOutput(evidence=(Evidence(kind="code", title="t", locator="a.py:1-9", excerpt=next(texts)),))

    bench = workbench(FakeToolbox(LANDSCAPE, metrics_query=nothing, repo_search=reads))
    bench.call([step(1, "repo_search")])
    bench.call([step(2, "repo_search")])
    assert [(e.id, e.excerpt) for e in bench.evidence] == [("E1", "one"), ("E2", "two")]


def test_calls_that_are_left_are_those_of_the_agents_limit() -> None:
    bench = workbench(FakeToolbox(LANDSCAPE, metrics_query=nothing, repo_search=nothing))
    most = bench.calls_left
    bench.call(LOOKS)
    assert bench.calls_left == most - 2


def test_what_is_cited_is_kept_however_much_there_is() -> None:
    many = tuple(Evidence(kind="row", title="t", locator=f"row {n}", excerpt=str(n)) for n in range(200))
    bench = workbench(FakeToolbox(LANDSCAPE, metrics_query=lambda args: ToolOutput(evidence=many)))
    bench.call([step(1, "metrics_query")])
    kept = [e.id for e in bench.kept(replaced(draft("a", "E150"), "{E170.x} rose."))]
    assert len(kept) == MOST_UNCITED + 2
    assert {"E150", "E170"} < set(kept)
    assert kept[:MOST_UNCITED] == [f"E{n}" for n in range(1, MOST_UNCITED + 1)]


def replaced(made: Draft, template: str) -> Draft:
    return made.model_copy(update={"metrics": (Claim(template=template),)})


def test_checked_claims_stand_under_the_ids_that_a_model_mends_by() -> None:
    bench = workbench(FakeToolbox(LANDSCAPE, metrics_query=metrics))
    bench.call([step(1, "metrics_query")])
    made = draft(metrics=(claim(INVENTED), claim("{E1.metric} was {E1.baseline} before."), claim(INVENTED)))
    checked = {c.id: c for c in bench.check(made, "debug_incident")}
    assert list(checked) == ["headline", "metrics.0", "metrics.1", "metrics.2"]
    assert [name for name, c in checked.items() if c.failure] == ["metrics.0", "metrics.2"]
    assert "210 ms" in checked["metrics.1"].text
    assert checked["metrics.0"].text == INVENTED


def test_an_old_copy_is_told_whatever_the_model_says(ask: Ask) -> None:
    old = "shop is known at 4f2c1ab and was last fetched 3 d ago, at 2026-11-18 09:00 UTC: nobody looked since"

    def stale(args: Mapping[str, Scalar]) -> ToolOutput:
        return code(args).model_copy(update={"data": {"unavailable": [old]}})

    def work(bench: Workbench) -> Finding:
        bench.call([Step(id="call_1", tool="repo_search", args={"query": "cache"}, purpose="find it")])
        return Finding(Draft(headline=Claim(template=PLACE, evidence=("E1",))), "locate_code")

    run = ask(work, "where is the key of the cache built?", FakeToolbox(LANDSCAPE, repo_search=stale))
    assert old in run.missing
