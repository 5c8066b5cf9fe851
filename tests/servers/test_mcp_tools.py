"""Tools of MCP servers in processes of their own: one that behaves, over both transports, and those that do harm."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.deployment import until
from tests.support.mcp_toolbox import ALL_READS, BEHAVED, behaved_over_http, call, misbehaved, served_toolbox
from tests.support.real_servers import free_port
from tests.support.toolkit_parts import make_context, make_limits
from workers.contracts import Claim
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice
from workers.sources.mcp.connection import OPEN, close_all
from workers.toolkit.toolbox import WrappedToolbox

WAYS = ("command", "url")
LISTED = (*ALL_READS, "clear_shelf")
ARGUMENT_CHARS = 100


@contextmanager
def behaved_options(way: str) -> Iterator[dict[str, Any]]:
    """How the server that behaves is reached; over HTTP it runs meanwhile."""
    if way == "command":
        yield {"command": BEHAVED}
        return
    with behaved_over_http() as url:
        yield {"url": url}


@pytest.fixture(scope="module", params=WAYS)
def toolbox(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WrappedToolbox]:
    """Shared by the tests of a server that goes on as it is."""
    home = tmp_path_factory.mktemp("stockroom")
    with behaved_options(request.param) as options:
        yield served_toolbox(home, {**options, "argument_chars": ARGUMENT_CHARS}, LISTED, ("move_part",))
        close_all()


@pytest.fixture
def own_home(home: Path) -> Iterator[Path]:
    """For tests that open connections of their own: there are no others, and all are closed after them."""
    close_all()
    yield home
    close_all()


# --- one that behaves -----------------------------------------------------------------------------------------


def test_results_are_evidence_that_claims_are_checked_against(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_stock_of", {"part": "P-100"})
    evidence = output.evidence[0].model_copy(update={"id": "E1"})
    assert (evidence.kind, evidence.data["on_hand"]) == ("tool", 417)
    voice = Voice(make_context().now, "UTC")

    def verdict(text: str) -> str:
        return check_claim(Claim(template=text, evidence=("E1",)), {"E1": evidence}, voice).verdict.verdict

    assert verdict("There are 417 of P-100 on shelf C-09, at 12.75 € each.") == "supported"
    assert verdict("There are 418 of P-100 on shelf C-09.") == "struck"


def test_lists_are_given_as_json_text(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_orders", {"states": '["open", "late"]', "newest": 2})
    assert [row["state"] for row in output.data["data"]] == ["open", "late"]


def test_wrong_arguments_never_reach_the_server(toolbox: WrappedToolbox) -> None:
    call(toolbox, "store_stock_of", {"part": "P-1"})
    output = call(toolbox, "store_stock_of", {"part": "P" * 41})
    assert output.status == "error"
    assert "part" in output.reason
    assert "required" in call(toolbox, "store_stock_of").reason


def test_a_long_result_comes_in_pieces_and_a_link_is_one(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_handbook", {"lines": 3_000})
    texts = [e.excerpt for e in output.evidence if e.title.startswith("store")]
    assert len(texts) > 2
    assert all(text.endswith("boxes.\n") for text in texts)
    assert sum(map(len, texts)) <= 96_000
    assert "109,184 characters came" in output.summary
    assert output.evidence[-1].url == "https://stockroom.example/handbook"


def test_a_failing_tool_says_so(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_broken")
    assert output.status == "error"
    assert "broken failed" in output.reason


def test_a_tool_outside_the_allowlist_is_not_there(toolbox: WrappedToolbox) -> None:
    assert "store_moves" not in toolbox.tools
    assert call(toolbox, "store_moves").reason == "no tool named 'store_moves'"


def test_a_write_is_proposed_and_runs_when_it_is_confirmed(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_move_part", {"part": "P-1", "shelf": "C-01"})
    assert not output.evidence
    (proposal,) = output.proposals
    assert proposal.tool == "store_move_part"
    assert '"shelf": "C-01"' in proposal.preview
    tool = toolbox.tools["store_move_part"].tool
    done = tool.run(tool.args.model_validate(proposal.args), make_context())
    assert "moved P-1 to C-01, 1 moves so far" in done.evidence[0].excerpt


def test_secrets_are_not_sent(toolbox: WrappedToolbox) -> None:
    token = "ghp_" + "a1B2" * 9
    output = call(toolbox, "store_orders", {"states": f'["{token}"]'})
    assert "[redacted" in output.data["text"]
    assert token not in str(output)


def test_a_tool_that_turned_after_it_was_proposed_is_not_called(toolbox: WrappedToolbox) -> None:
    call(toolbox, "store_move_part", {"part": "P", "shelf": "C"})
    (proposal,) = call(toolbox, "store_move_part", {"part": "P", "shelf": "C"}).proposals
    tool = toolbox.tools["store_move_part"]
    args = dict(proposal.args) | {"_expected": "another"}
    run = tool.tool.run
    assert call(toolbox, "store_move_part", args).status == "denied"
    with pytest.raises(Exception, match="described otherwise"):
        run(tool.tool.args.model_validate(args), make_context())


def test_a_tool_that_says_it_changes_something_is_no_tool_that_reads(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_clear_shelf", {"shelf": "C"})
    assert output.status == "denied"
    assert "list it under writes" in output.reason


def test_too_much_is_not_sent(toolbox: WrappedToolbox) -> None:
    output = call(toolbox, "store_orders", {"states": '["' + "x" * 200 + '"]'})
    assert output.status == "error"
    assert "100 may be sent" in output.reason


@pytest.mark.parametrize("way", WAYS)
def test_what_is_told_of_a_tool_is_kept_for_the_next_start(own_home: Path, way: str) -> None:
    with behaved_options(way) as options:
        toolbox = served_toolbox(own_home, options, ALL_READS, ("move_part",))
        limits = make_limits(tools=tuple(toolbox.tools))
        assert toolbox.specs(limits) == ()
        assert "6 of 6 tools" in toolbox.tools["store_orders"].tool.ping()  # type: ignore[misc]
        close_all()
    again = served_toolbox(toolbox.settings.home, {"command": ("/no/such/program",)}, ALL_READS)
    told = {spec.name: spec for spec in again.specs(limits)}
    assert "in its own words: Orders by their states" in told["store_orders"].description
    assert told["store_orders"].parameters["required"] == ["states"]
    assert "no program /no/such/program" in call(again, "store_orders", {"states": "[]"}).reason


def test_a_server_sees_no_variables_but_its_own(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    options = {"command": BEHAVED, "env": {"STORE_URL": "x", "STORE_KEY": ""}}
    seen = call(served_toolbox(own_home, options, ("environment",)), "store_environment").data["text"].split()
    assert "STORE_URL" in seen
    assert not {"ANTHROPIC_API_KEY", "ORACLE_HOME", "STORE_KEY"} & set(seen)


def test_a_server_that_was_restarted_is_found_again(own_home: Path) -> None:
    toolbox = served_toolbox(own_home, {"command": BEHAVED}, ALL_READS)
    assert call(toolbox, "store_environment").status == "ok"
    (process,) = [p for p in psutil.Process().children() if p.cmdline() == [*BEHAVED]]
    process.kill()
    process.wait()
    until(lambda: all(connection.client is None for connection in OPEN), "the end is noticed")
    assert call(toolbox, "store_environment").status == "ok"


def test_a_server_over_http_that_was_started_anew_is_found_again(own_home: Path) -> None:
    port = free_port()
    toolbox = served_toolbox(own_home, {"url": f"http://127.0.0.1:{port}/mcp"}, ALL_READS)
    for _ in range(2):
        with behaved_over_http(port):
            assert [call(toolbox, "store_environment").status for _ in range(2)][-1] == "ok"


# --- those that do harm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status", "words"),
    [
        ("hangs", "timeout", "did not answer within"),
        ("silent", "error", "did not answer in time"),
        ("floods", "error", "sent more than 8 MB"),
        ("noisy", "error", "sent more than 8 MB"),
        ("garbage", "error", "not its protocol"),
        ("dies", "error", "ended the connection"),
        ("endless", "error", "never ends its list"),
    ],
)
def test_what_a_server_does_wrong_is_one_sentence(own_home: Path, role: str, status: str, words: str) -> None:
    options = {"command": misbehaved(role), "connect_s": 2}
    output = call(served_toolbox(own_home, options, timeout_ms=3_000), "store_look", {"text": "x"})
    assert output.status == status
    assert words in output.reason
    assert "\n" not in output.reason
    assert not output.evidence


def test_a_server_that_dies_at_its_start_is_told_with_its_last_line(own_home: Path) -> None:
    for said, wanted in (("warming up\nno STOCK_URL is set", "last line: no STOCK_URL is set"), ("", "connection")):
        close_all()
        options = {"command": (sys.executable, "-c", f"raise SystemExit({said!r})"), "connect_s": 5}
        output = call(served_toolbox(own_home, options), "store_look", {"text": "x"})
        assert output.status == "error"
        assert output.reason.endswith(wanted)
        assert "\n" not in output.reason


def test_a_schema_that_lies_or_never_ends_is_left_out(own_home: Path) -> None:
    toolbox = served_toolbox(own_home, {"command": misbehaved("lies")})
    output = call(toolbox, "store_look", {"text": "a" * 60 + "!"})
    assert output.status == "ok"
    (spec,) = toolbox.specs(make_limits(tools=("store_look",)))
    assert "$ref" not in str(spec.parameters)
    assert "pattern" not in str(spec.parameters)


def test_orders_in_descriptions_are_not_passed_on(own_home: Path) -> None:
    toolbox = served_toolbox(own_home, {"command": misbehaved("injects")})
    output = call(toolbox, "store_look", {"text": "x"})
    assert output.evidence[0].excerpt.startswith("There are 3 notes.")
    (spec,) = toolbox.specs(make_limits(tools=("store_look",)))
    told = spec.description + str(spec.parameters)
    assert "Looks up notes." in told
    assert "gnore" not in told
    assert "lways" not in told


@pytest.mark.parametrize("pin", [True, False])
def test_a_tool_that_changes_later_is_noticed(own_home: Path, tmp_path: Path, pin: bool) -> None:
    options = {"command": misbehaved("turns", str(tmp_path / "turned")), "pin": pin}
    first = served_toolbox(own_home, options)
    assert call(first, "store_look", {"text": "x"}).status == "ok"
    close_all()
    second = served_toolbox(own_home, options)
    output = call(second, "store_look", {"text": "x"})
    assert output.status == ("denied" if pin else "ok")
    assert "changed since they were first seen: look" in second.tools["store_look"].tool.ping()  # type: ignore[misc]
    (spec,) = second.specs(make_limits(tools=("store_look",)))
    assert ("whole conversation" in spec.description) is not pin
