"""What failed first, and who failed by it."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.incident_files import ONSET, at, write_incident
from workers.agents.causes.source.bundle import read_bundle
from workers.agents.causes.source.failure_chain import costly_callees, failure_chain
from workers.agents.causes.source.incident import Alert, Incident
from workers.agents.causes.source.symptoms import read_symptoms

CALLS = frozenset({("edge", "orders"), ("orders", "ledger"), ("edge", "search")})


def incident(uses: frozenset[tuple[str, str]] = frozenset()) -> Incident:
    return Incident(alert=Alert("edge", "errors", "edge fails", None), calls=CALLS, uses=uses)


def test_a_failure_runs_from_the_callee_to_its_callers() -> None:
    chain = failure_chain(incident(), {"edge": 30.0, "orders": 20.0, "ledger": 10.0})
    assert chain.origin == "ledger"
    assert chain.edges == (("ledger", "orders"), ("orders", "edge"))


def test_services_that_share_a_node_fail_by_it() -> None:
    uses = frozenset({("edge", "node-1"), ("mail", "node-1"), ("search", "node-2")})
    chain = failure_chain(incident(uses), {"edge": 30.0, "mail": 31.0, "node-1": 25.0})
    assert (chain.origin, set(chain.victims)) == ("node-1", {"edge", "mail"})


def test_what_fails_beside_it_is_no_part_of_it() -> None:
    chain = failure_chain(incident(), {"edge": 30.0, "orders": 20.0, "batch": 5.0})
    assert (chain.origin, chain.victims) == ("orders", ("edge",))


def test_a_map_and_events_name_what_services_rest_on(tmp_path: Path) -> None:
    service_map = {
        "services": [{"name": "quote", "node": "ip-10-0-0-7.eu"}, {"name": "price", "node": "ip-10-0-0-8.eu"}]
    }
    events = {
        "events": [
            {
                "timestamp": at(ONSET - 2),
                "type": "Warning",
                "object": "node/ip-10-0-0-7.eu",
                "message": "MemoryPressure",
            }
        ]
    }
    folder = write_incident(tmp_path, commits=[], deploys=[], patterns=[], traces=[])
    for name, value in (("service_map", service_map), ("events", events)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    chain = read_symptoms(read_bundle(folder)).chain
    assert (chain.origin, chain.victims) == ("ip-10-0-0-7.eu", ("quote",))


def test_the_time_is_spent_where_most_calls_got_slower() -> None:
    costs = {"edge": 100.0, "orders": 90.0, "ledger": 80.0, "search": 5.0}
    assert costly_callees(CALLS, costs, "edge")[0] == "ledger"
    assert costly_callees(CALLS, {"edge": 100.0}, "edge") == ("edge",)


@given(
    st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=15),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 100), max_size=6),
)
def test_any_graph_has_an_end(calls: set[tuple[str, str]], numbers: dict[str, float]) -> None:
    assert set(costly_callees(calls, numbers, "a")) <= set("abcdef")
    chain = failure_chain(Incident(alert=Alert("a", "", "", None), calls=frozenset(calls)), numbers)
    assert len(chain.victims) == len(chain.edges) <= max(0, len(numbers) - 1)
