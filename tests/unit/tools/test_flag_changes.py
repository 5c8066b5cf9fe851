"""The tool flag_changes: what hooks told, LaunchDarkly and Unleash, in one list, the nearest first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.flag_payloads import launchdarkly_entry, unleash_event
from tests.support.flag_servers import launchdarkly_api, unleash_api
from tests.support.json_server import run_json_server
from tests.support.tables import sqlite_tables
from tests.support.toolkit_parts import NOON, make_context
from workers.contracts import Evidence, FlagChange, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.settings.load import load_settings
from workers.store.database import Database, open_database
from workers.store.flag_changes import record_flag_changes
from workers.toolkit.tool import Resources, Tool
from workers.tools.flag_changes import build

TOKEN = "api-1234"


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    yield opened
    opened.close()


def tool_of(home: Path, database: Database | None = None, **overrides: Any) -> Tool:
    named = {f"oracle.{name.replace('__', '.')}": value for name, value in overrides.items()}
    settings = load_settings(named, home=home)
    return build({}, Resources(settings, lambda start, end: (), database=database))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), make_context())


def values(item: Evidence) -> dict[str, Any]:
    return {name: fact.value for name, fact in item.facts.items()}


def names(output: ToolOutput) -> list[str]:
    return [str(v["flag"]) for v in map(values, output.evidence[1:])]


def change(minutes_ago: float, flag: str = "new-cart", **more: str) -> FlagChange:
    told: dict[str, Any] = {"flag": flag, "change": "turned on", "before": "off", "after": "on", **more}
    return FlagChange.model_validate({**told, "at": NOON - timedelta(minutes=minutes_ago)})


def entry(minutes_ago: float, flag: str = "new-cart", **more: Any) -> Any:
    at = NOON - timedelta(minutes=minutes_ago)
    return launchdarkly_entry(flag, date=int(at.timestamp() * 1_000), _id=f"{flag}{minutes_ago}", **more)


def test_what_hooks_told_stands_with_typed_facts_nearest_first(home: Path, database: Database) -> None:
    told = [change(90, "old"), change(5, who="ana"), change(400, "too-old"), change(1, "new-cart-qa", environment="qa")]
    record_flag_changes(database, told)
    output = call(tool_of(home, database, hooks__token=TOKEN))
    assert names(output) == ["new-cart", "old", "new-cart-qa"], "another environment stands last"
    first = output.evidence[1]
    assert first.kind == "flag"
    assert (values(first)["before"], values(first)["after"], values(first)["who"]) == ("off", "on", "ana")
    assert first.facts["at"].at == NOON - timedelta(minutes=5)
    assert output.evidence[3].title.startswith("qa: ")
    few = call(tool_of(home, database, hooks__token=TOKEN), limit=1)
    assert (values(few.evidence[0])["count"], values(few.evidence[0])["left_out"]) == (3, 2)
    assert "2 left out" in few.summary


def test_the_span_ends_where_until_says(home: Path, database: Database) -> None:
    record_flag_changes(database, [change(5), change(40, "b"), change(500, "c")])
    tool = tool_of(home, database, hooks__token=TOKEN)
    assert names(call(tool, until="30 minutes ago")) == ["b"]
    assert names(call(tool, since="10 hours ago", until="30 minutes ago")) == ["b", "c"]
    with pytest.raises(ToolArgumentError, match="since, until"):
        call(tool, since="1 hour ago", until="2 hours ago")


def test_changes_are_chosen_by_service_flag_and_environment(home: Path, database: Database) -> None:
    told = [change(1, service="shop"), change(2, "b", service="pay"), change(3, "c"), change(4, "d", environment="qa")]
    record_flag_changes(database, told)
    tool = tool_of(home, database, hooks__token=TOKEN)
    assert names(call(tool, service="Shop")) == ["new-cart", "c", "d"]
    assert names(call(tool, environment="prod")) == ["new-cart", "b", "c"]
    assert names(call(tool, flag="CART")) == ["new-cart"]
    nothing = call(tool, flag="new-crat")
    assert (nothing.status, nothing.nearest[:1]) == ("empty", ("new-cart",))


def test_nobody_told_of_flags_is_not_that_none_changed(home: Path, database: Database) -> None:
    tool = tool_of(home, database, hooks__token=TOKEN)
    unknown = call(tool)
    assert (unknown.status, unknown.evidence) == ("ok", ())
    record_flag_changes(database, [change(1_000)])
    none = call(tool)
    assert values(none.evidence[0])["count"] == 0


def test_launchdarkly_is_read_page_by_page_and_only_read(home: Path) -> None:
    entries = [entry(n, f"flag-{n}") for n in range(1, 51)]
    with run_json_server(launchdarkly_api(entries), TOKEN) as server:
        tool = tool_of(home, flags__launchdarkly__url=server.url, flags__launchdarkly__token=TOKEN)
        output = call(tool, limit=100)
        assert names(output) == [f"flag-{n}" for n in range(1, 51)]
        assert values(output.evidence[1])["after"] == "on", "the words tell it where the log holds no versions"
        assert str(output.evidence[1].url).startswith(server.url)
        assert len(server.asked) >= 3
        assert "LaunchDarkly at" in (tool.ping() if tool.ping else "")
        short = tool_of(home, flags__launchdarkly__url=server.url, flags__launchdarkly__token=TOKEN, flags__most=20)
        assert "only the last 20" in call(short).data["notes"][0]


@pytest.mark.parametrize("old", [False, True])
def test_unleash_is_read_of_new_and_old_servers(home: Path, old: bool) -> None:
    at = [NOON - timedelta(minutes=n) for n in range(1, 252)]
    events = [unleash_event(at=moment, featureName=f"flag-{n}") for n, moment in enumerate(at, 1)]
    events.append(unleash_event("feature-metadata-updated", at=at[0]))
    with run_json_server(unleash_api(events, old=old), TOKEN) as server:
        tool = tool_of(home, flags__unleash__url=server.url, flags__unleash__token=TOKEN)
        output = call(tool, limit=100)
        assert values(output.evidence[0])["count"] == 251
        assert names(output)[:2] == ["flag-1", "flag-2"]
        assert output.evidence[1].url == f"{server.url}/projects/shop/features/flag-1"


def test_one_change_that_two_tell_of_is_one_with_its_values(home: Path, database: Database) -> None:
    at = NOON - timedelta(minutes=5)
    told = FlagChange(flag="new-cart", at=at, before="fallthrough: 0", after="fallthrough: 1", source="launchdarkly")
    record_flag_changes(database, [told])
    with run_json_server(launchdarkly_api([entry(5)]), TOKEN) as server:
        tool = tool_of(
            home,
            database,
            hooks__token=TOKEN,
            flags__launchdarkly__url=server.url,
            flags__launchdarkly__token=TOKEN,
        )
        output = call(tool)
    assert [v["before"] for v in map(values, output.evidence[1:])] == ["fallthrough: 0"]


def test_a_source_that_fails_is_told_beside_the_others(home: Path, database: Database) -> None:
    record_flag_changes(database, [change(5)])
    with run_json_server(launchdarkly_api([]), "another") as server:
        named = {"flags__launchdarkly__url": server.url, "flags__launchdarkly__token": TOKEN}
        output = call(tool_of(home, database, **named))
        assert names(output) == ["new-cart"]
        assert "refuses us (401): see flags.launchdarkly" in output.data["unavailable"][0]
        with pytest.raises(ToolUnavailable, match="refuses us"):
            call(tool_of(home, None, **named))
        server.token, server.body = "", b'{"items": 7}'
        with pytest.raises(ToolUnavailable, match="something else"):
            call(tool_of(home, None, **named))


def test_events_that_cannot_be_read_are_counted(home: Path) -> None:
    broken = {**entry(5), "date": int(NOON.timestamp() * 1_000) - 1, "target": {"resources": [7, None]}}
    with run_json_server(
        lambda path, params: {"items": [broken, {**entry(3)}, {"date": "x", "kind": "flag"}, 5]}
    ) as server:
        output = call(tool_of(home, flags__launchdarkly__url=server.url, flags__launchdarkly__token=TOKEN))
    assert names(output) == ["new-cart"]
    assert output.data["notes"] == ["1 events of LaunchDarkly cannot be read"]


def test_without_any_source_it_says_what_to_set(home: Path) -> None:
    tool = tool_of(home)
    with pytest.raises(ToolUnavailable, match="LAUNCHDARKLY_TOKEN"):
        call(tool)
