"""Which options a clarifying question offers, in which order, and with which reason."""

from __future__ import annotations

from typing import Any

from tests.support.latency_evidence import VOICE
from workers.agents.research.option_ranking import MAX_OPTIONS, weigh_options
from workers.contracts import Ambiguity, Option, ToolOutput

LISTED = tuple(Option(value=f"/api/{n}", label=f"/api/{n}") for n in ("a", "b", "c", "d", "e"))


def found(name: str, direction: str, current: float = 0.9) -> dict[str, Any]:
    baseline = current if direction == "steady" else 0.1
    return {"value": name, "baseline": baseline, "current": current, "direction": direction}


def weighed(*candidates: dict[str, Any]) -> tuple[Option, ...]:
    output = ToolOutput(data={"unit": "s", "candidates": list(candidates)})
    return weigh_options(Ambiguity(question="Which?", options=LISTED), output, VOICE.now, VOICE.zone)[0].options


def test_what_moved_comes_first_with_its_reason_even_when_it_was_not_listed() -> None:
    options = weighed(found("/api/a", "steady"), found("/api/z", "rose"), found("/api/c", "fell", 0.05))
    assert [o.value for o in options] == ["/api/z", "/api/c", "/api/a", "/api/b", "/api/d"]
    assert options[0].reason == "p95 rose from 100 ms to 900 ms"
    assert options[2].reason == "p95 steady at 900 ms"
    assert options[3].reason == ""


def test_where_samples_ended_the_last_known_level_is_the_reason() -> None:
    ended = {**found("/api/a", "rose"), "current": None, "last_known": 0.9}
    assert weighed(ended)[0].reason == "p95 rose from 100 ms to 900 ms"


def test_steady_ones_that_nobody_listed_do_not_take_the_place_of_those_that_were() -> None:
    asked = Ambiguity(question="Which?", options=LISTED[:2])
    steady = [found(f"/s/{i}", "steady") for i in range(9)]
    output = ToolOutput(data={"unit": "s", "candidates": [*steady, found("/m/1", "rose"), found("/m/2", "rose")]})
    options = weigh_options(asked, output, VOICE.now, VOICE.zone)[0].options
    assert [o.value for o in options] == ["/m/1", "/m/2", "/api/a", "/api/b"]


def test_the_only_one_that_got_slower_is_meant_where_what_is_slow_is_asked_about() -> None:
    def options(*candidates: dict[str, Any], of_latency: bool = True) -> list[str]:
        asked = Ambiguity(question="Which?", options=LISTED, of_latency=of_latency)
        output = ToolOutput(data={"unit": "s", "candidates": list(candidates)})
        return [o.value for o in weigh_options(asked, output, VOICE.now, VOICE.zone)[0].options]

    slow, steady = found("/api/b", "rose"), found("/api/a", "steady")
    assert options(steady, slow) == ["/api/b"]
    assert options(steady, slow, of_latency=False)[:2] == ["/api/b", "/api/a"]
    assert len(options(steady, slow, found("/api/c", "rose"))) == len(LISTED)
    assert len(options(steady, found("/api/b", "fell"))) == len(LISTED)


def test_more_than_five_are_offered_only_as_far_as_they_moved() -> None:
    steady = [found(f"/s/{i}", "steady") for i in range(9)]
    assert len(weighed(*steady)) == 5
    some = [found(f"/m/{i}", "rose") for i in range(8)]
    assert [o.value for o in weighed(*steady, *some)] == [f"/m/{i}" for i in range(8)]
    many = [found(f"/m/{i}", "rose") for i in range(30)]
    assert len(weighed(*many)) == MAX_OPTIONS


def test_without_candidates_the_question_stays_as_it_was_asked() -> None:
    assert weighed() == LISTED
