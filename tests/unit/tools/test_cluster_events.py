"""The tool cluster_events: of the API and of files, the gravest and nearest first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.cluster_payloads import cluster_api, core_event, event_list, new_event
from tests.support.json_server import JsonServer, run_json_server
from tests.support.toolkit_parts import NOON, make_context
from workers.contracts import Evidence, ToolOutput
from workers.errors import ToolUnavailable
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.cluster_events import build

TOKEN = "eyJhbGciOi"


def ago(minutes: float) -> Any:
    return NOON - timedelta(minutes=minutes)


EVENTS = [
    core_event(ago(5), "Pulled", warning=False),
    core_event(ago(6), "BackOff", count=14, minutes=9),
    core_event(ago(30), "OOMKilling", "node-a", kind="Node", message="Memory cgroup out of memory: Killed process 7"),
    core_event(ago(20), "ScalingReplicaSet", "pay", kind="Deployment", warning=False, node="", message="Scaled to 1"),
    core_event(ago(10), "Evicted", "pay-5b8c9d7f6b-q9w4k", node="node-b", message="The node was low on memory"),
    core_event(ago(3), "Unhealthy", "cart-5b8c9d7f6b-abcde", namespace="shop-qa", message="Readiness probe failed"),
    core_event(ago(300), "NodeNotReady", "node-b", kind="Node"),
]


@pytest.fixture
def server() -> Iterator[JsonServer]:
    with run_json_server(cluster_api(EVENTS), f"Bearer {TOKEN}") as running:
        yield running


def tool_of(home: Path, **overrides: Any) -> Tool:
    named = {f"oracle.cluster.{name}": value for name, value in overrides.items()}
    return build({}, Resources(load_settings(named, home=home), lambda start, end: ()))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), make_context())


def values(item: Evidence) -> dict[str, Any]:
    return {name: fact.value for name, fact in item.facts.items()}


def reasons(output: ToolOutput) -> list[str]:
    return [str(values(item)["reason"]) for item in output.evidence[1:]]


def test_the_gravest_and_nearest_come_first_with_typed_facts(home: Path, server: JsonServer) -> None:
    output = call(tool_of(home, url=server.url, token=TOKEN, page=2))
    assert reasons(output) == ["Evicted", "OOMKilling", "BackOff", "ScalingReplicaSet", "Unhealthy"]
    summary = values(output.evidence[0])
    assert (summary["count"], summary["left_out"], summary["ordinary"]) == (5, 0, 1)
    back_off = output.evidence[3]
    assert back_off.kind == "event"
    assert (values(back_off)["count"], values(back_off)["workload"], values(back_off)["node"]) == (
        14,
        "checkout",
        "node-a",
    )
    assert (back_off.facts["first_at"].at, back_off.facts["last_at"].at) == (ago(15), ago(6))
    assert output.evidence[5].title.startswith("shop-qa: "), "another environment is told as its own, and last"
    assert sum("continue=" in path for path in server.asked) == 3
    few = call(tool_of(home, url=server.url, token=TOKEN), limit=2)
    assert (reasons(few), values(few.evidence[0])["left_out"]) == (["Evicted", "OOMKilling"], 3)


def test_a_service_brings_the_events_of_its_nodes(home: Path, server: JsonServer) -> None:
    tool = tool_of(home, url=server.url, token=TOKEN)
    assert reasons(call(tool, service="checkout")) == ["OOMKilling", "BackOff"]
    assert reasons(call(tool, service="pay")) == ["Evicted", "ScalingReplicaSet"]
    assert reasons(call(tool, object="checkout")) == ["BackOff", "Pulled"], "what is asked for is told whole"
    assert reasons(call(tool, reason="oomkilling")) == ["OOMKilling"]
    assert reasons(call(tool, namespace="shop-qa")) == ["OOMKilling", "Unhealthy"]
    assert reasons(call(tool, since="6 hours ago", until="2 hours ago")) == ["NodeNotReady"]
    none = call(tool, service="chekout")
    assert (none.status, none.nearest[:1]) == ("empty", ("checkout",))


def test_only_the_named_namespaces_are_asked_for(home: Path, server: JsonServer) -> None:
    output = call(tool_of(home, url=server.url, token=TOKEN, namespaces=["shop-qa"], environment="staging"))
    assert reasons(output) == ["Unhealthy"]
    assert values(output.evidence[1])["environment"] == "staging"
    assert {path.split("?")[0] for path in server.asked} == {"/api/v1/namespaces/shop-qa/events"}


def test_files_of_lists_lines_and_both_versions(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(event_list(*EVENTS[:3])))
    lines = [json.dumps({"type": "MODIFIED", "object": new_event(ago(8))}), "no JSON", json.dumps(EVENTS[1])]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    tool = tool_of(home, files=[str(tmp_path / "*.json*")])
    output = call(tool)
    assert reasons(output) == ["FailedScheduling", "OOMKilling", "BackOff"]
    assert output.data["notes"] == ["1 lines of b.jsonl are no JSON"]
    assert tool.ping is not None
    assert tool.ping() == "cluster events in 2 files"


def test_what_a_cluster_tells_again_is_one_event_with_its_last_count(home: Path, tmp_path: Path) -> None:
    told = [core_event(ago(9 - n), count=n + 1, minutes=n) for n in range(3)]
    (tmp_path / "a.json").write_text(json.dumps(told))
    (item,) = call(tool_of(home, files=[str(tmp_path / "a.json")])).evidence[1:]
    assert values(item)["count"] == 3


def test_what_fails_is_told(home: Path, server: JsonServer, tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="KUBERNETES_URL"):
        call(tool_of(home))
    with pytest.raises(ToolUnavailable, match=r"refuses us \(401\): see cluster.token in oracle.yaml"):
        call(tool_of(home, url=server.url, token="another"))
    (tmp_path / "a.json").write_text(json.dumps(EVENTS))
    both = call(tool_of(home, url=server.url, token="another", files=[str(tmp_path / "a.json")]))
    assert reasons(both)[:1] == ["Evicted"]
    assert "refuses us" in both.data["unavailable"][0]
    server.body = b'{"items": {}}'
    with pytest.raises(ToolUnavailable, match="something else"):
        call(tool_of(home, url=server.url, token=TOKEN))
    with pytest.raises(ToolUnavailable, match="no file of events"):
        call(tool_of(home, files=[str(tmp_path / "gone.json")]))


def test_it_answers_a_check_with_its_version(home: Path, server: JsonServer) -> None:
    ping = tool_of(home, url=server.url, token=TOKEN).ping
    assert ping is not None
    assert ping().startswith("Kubernetes v1.31.2 at ")
    server.answer = cluster_api([])
    none = call(tool_of(home, url=server.url, token=TOKEN))
    assert (none.status, values(none.evidence[0])["count"]) == ("ok", 0)
