"""repo_search asked for the history of lines, with a pasted stack trace, and for a long span."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from tests.unit.sources.conftest import FILES
from workers.contracts import Deploy, Evidence, ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.repo import build

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CLIENT = str(FILES["billing/client.py"])


def ago(days: int) -> datetime:
    return NOON - timedelta(days=days)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with its limit raised twice and its client moved, a month long."""
    folder = make_repository(tmp_path_factory.mktemp("lines") / "shop", FILES, ago(30))
    commit(folder, {"billing/client.py": CLIENT.replace("ATTEMPTS = 4", "ATTEMPTS = 6")}, "Six attempts", ago(20))
    moved = CLIENT.replace("ATTEMPTS = 4", "ATTEMPTS = 6")
    commit(folder, {"billing/client.py": None, "billing/bank.py": moved}, "Name it bank", ago(10))
    commit(folder, {"billing/bank.py": moved.replace("ATTEMPTS = 6", "ATTEMPTS = 9")}, "Nine attempts", ago(5))
    grown = "import random\n" + moved.replace("ATTEMPTS = 6", "ATTEMPTS = 9")
    commit(folder, {"billing/bank.py": grown}, "Roll dice", ago(1))
    return folder


def tool_for(home: Path, folder: Path, deploys: tuple[Deploy, ...] = ()) -> Tool:
    settings = load_settings({"oracle.repositories": [{"path": str(folder)}]}, home=home)
    return build({"blame_ms": 5_000}, Resources(settings, lambda start, end: (), deploys_anywhere=lambda a, b: deploys))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), ToolContext("r1", "research", NOON))


def value(evidence: Evidence, name: str) -> Any:
    return evidence.facts[name].value


def test_from_what_to_what(shop: Path, home: Path) -> None:
    output = call(tool_for(home, shop), query="when was MAX_ATTEMPTS changed, from what to what", history=True)
    code, *steps = output.evidence
    assert "MAX_ATTEMPTS = 9" in code.excerpt
    assert [s.title for s in steps][:2] == ["Nine attempts", "Six attempts"]
    nine, six = steps[:2]
    assert [value(nine, f"value_1_{n}") for n in ("name", "old", "new")] == ["MAX_ATTEMPTS", "6", "9"]
    assert [value(six, f"value_1_{n}") for n in ("old", "new")] == ["4", "6"]
    assert (value(six, "path"), value(six, "author"), value(six, "at")) == (
        "billing/client.py",
        "Ada",
        "2026-04-14T12:00:00Z",
    )
    assert "-MAX_ATTEMPTS = 6\n+MAX_ATTEMPTS = 9" in nine.excerpt
    place = value(nine, "value_1_lines")
    path, _, lines = place.partition(":")
    number = int(lines.partition("-")[0])
    assert lines_at(shop, value(nine, "commit"), path, number, number) == value(nine, "value_1_new_text")
    assert output.data["steps"][0]["values"][0]["old"] == "6"
    assert "first" in output.summary


def test_the_place_that_sets_a_value_is_meant_and_not_one_that_reads_it(tmp_path: Path, home: Path) -> None:
    reader = "def open_mailer(settings):\n    return Mailer(settings.get('mailer.timeout_seconds'))\n"
    config = "store:\n  timeout_seconds: 3\n\nmailer:\n  host: here\n  timeout_seconds: {}\n"
    files: dict[str, str | bytes] = {"mailer/timeout.py": reader, "config/default.yaml": config.format(9)}
    folder = make_repository(tmp_path / "shop", files, ago(30))
    commit(folder, {"config/default.yaml": config.format(4)}, "Wait less for mail", ago(20))
    output = call(tool_for(home, folder), query="mailer timeout", history=True)
    assert call(tool_for(home, folder), query="mailer timeout").evidence[0].facts["path"].value == "mailer/timeout.py"
    assert output.evidence[1].title == "Wait less for mail"
    assert [value(output.evidence[1], f"value_1_{n}") for n in ("name", "old", "new")] == ["timeout_seconds", "9", "4"]


def test_history_of_what_is_not_there(shop: Path, home: Path) -> None:
    output = call(tool_for(home, shop), query="when was ZeppelinTimeout changed", history=True)
    assert output.status == "empty"
    assert "ZeppelinTimeout" in output.reason


TRACE = """Traceback (most recent call last):
  File "/srv/app/web/handlers.py", line 9, in list_orders
    return find_orders(limit=PAGE_SIZE)
  File "/srv/app/billing/bank.py", line 25, in charge_card
    raise BankDown("bank refused to answer: too many attempts")
billing.errors.BankDown: bank refused to answer: too many attempts
"""


def test_a_stack_trace(shop: Path, home: Path) -> None:
    output = call(tool_for(home, shop), query=f"what is this?\n{TRACE}")
    first, second = output.evidence[:2]
    assert (value(first, "path"), value(first, "symbol")) == ("billing/bank.py", "BankClient.charge_card")
    assert value(first, "frame_line") == "billing/bank.py:25-25"
    assert value(first, "frame") == "/srv/app/billing/bank.py:25 in charge_card"
    assert value(second, "path") == "web/handlers.py"
    assert output.summary == "2 of 2 frames are in shop, the innermost at billing/bank.py:25"
    for e in output.evidence:
        shown = lines_at(shop, value(e, "commit"), value(e, "path"), value(e, "start_line"), value(e, "end_line"))
        assert e.excerpt == shown


def test_a_trace_of_what_was_deployed(shop: Path, home: Path) -> None:
    running = run_git(shop, "rev-parse", "HEAD~1").strip()
    deploy = Deploy(service="shop", version="v1", commit=running, at=ago(2))
    trace = TRACE.replace("line 25", "line 24")
    output = call(tool_for(home, shop, (deploy,)), query=trace)
    first = output.evidence[0]
    assert value(first, "frame_line") == "billing/bank.py:25-25"
    assert value(first, "frame_note") == f"line 24 of the deployed {running[:7]}"
    assert running[:7] in output.reason


def test_a_trace_of_something_else(shop: Path, home: Path) -> None:
    text = "TypeError: zeppelin is not a function\n    at Zeppelin.fly (/app/zeppelin.ts:3:1)"
    output = call(tool_for(home, shop), query=text)
    assert output.status == "empty"


def test_a_span_says_how_much_was_looked_at(shop: Path, home: Path) -> None:
    tool = tool_for(home, shop)
    output = call(tool, query="attempts of the bank client", since="2026-04-01T00:00:00Z", k=2)
    assert output.data["span"] == {"count": 5, "listed": 5, "read": 5}
    assert output.summary.startswith("2 of 5 commits, the lines of 5 read, first ")
    assert "Roll dice" not in {c["subject"] for c in output.data["changes"]}
    moved = call(tool, path="billing/bank.py", since="2026-04-01T00:00:00Z")
    assert [c["subject"] for c in moved.data["changes"]] == [
        "Roll dice",
        "Nine attempts",
        "Name it bank",
        "Six attempts",
        "Begin",
    ]
    first = moved.evidence[0]
    assert [value(first, f"span_{n}") for n in ("commits", "path", "since", "until")] == [
        5,
        "billing/bank.py",
        "2026-04-01T00:00:00Z",
        "2026-05-04T12:00:00Z",
    ]
