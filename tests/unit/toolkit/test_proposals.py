"""Tools that change something: they propose, and run when a person has confirmed; what is one user's stays theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.toolkit_parts import EchoArgs, make_context, make_limits, make_session, make_tool, new_cache
from workers.contracts import Proposal, ToolOutput
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.tool import Tool

PROPOSAL = Proposal(tool="echo", args={"query": "b", "k": 7}, title="Write b with ghp_" + "a1B2" * 9)


def writer(made: list[EchoArgs], *, proposes: bool = True, **changes: Any) -> Tool:
    """A tool that writes; with what it was told to write."""

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        made.append(args)
        return ToolOutput(summary=f"wrote {args.query}")

    def propose(args: EchoArgs, context: ToolContext) -> ToolOutput:
        change = Proposal(tool="echo", args={"query": args.query, "k": len(made)}, title=f"Write {args.query}")
        return ToolOutput(proposals=(change,))

    return replace(make_tool(run, access="write"), propose=propose if proposes else None, **changes)


def test_a_tool_that_writes_and_cannot_propose_is_denied() -> None:
    made: list[EchoArgs] = []
    record, output = make_session(writer(made, proposes=False)).call("s", "echo", {"query": "a"})
    assert (record.status, output.status, made) == ("denied", "denied", [])


def test_nothing_is_written_until_it_is_carried_out() -> None:
    made: list[EchoArgs] = []
    session = make_session(writer(made))
    _, output = session.call("s", "echo", {"query": "a"})
    assert (output.status, made) == ("ok", [])
    record, done = session.carry_out("s", output.proposals[0])
    assert (record.status, done.summary, made) == ("ok", "wrote a", [EchoArgs(query="a", k=0)])


def test_what_was_confirmed_needs_no_allowlist_and_no_budget_and_its_record_holds_no_secret() -> None:
    made: list[EchoArgs] = []
    session = make_session(writer(made, proposes=False), limits=make_limits(tools=(), max_tool_calls=0))
    assert session.call("s", "echo", {"query": "a"})[1].status == "denied"
    record, output = session.carry_out("s", PROPOSAL)
    assert (output.status, made) == ("ok", [EchoArgs(query="b", k=7)])
    assert "a1B2" not in str(record.args)


def test_carrying_out_never_raises() -> None:
    def broken(args: EchoArgs, context: ToolContext) -> ToolOutput:
        raise ToolUnavailable("the disk is full")

    session = make_session(make_tool(broken, access="write"))
    assert session.carry_out("s", PROPOSAL)[1].reason == "the disk is full"
    assert session.carry_out("s", PROPOSAL.model_copy(update={"tool": "gone"}))[1].status == "error"
    assert session.carry_out("s", PROPOSAL.model_copy(update={"args": {"no": 1}}))[1].status == "error"


def test_neither_what_is_proposed_nor_what_was_written_comes_from_the_cache() -> None:
    made: list[EchoArgs] = []
    session = make_session(writer(made), cache_ttl_s=60)
    places = []
    for _ in range(2):
        _, output = session.call("s", "echo", {"query": "a"})
        record, _ = session.carry_out("s", output.proposals[0])
        places.append(output.proposals[0].args["k"])
        assert not record.cached
    assert (places, len(made)) == ([0, 1], 2)


def test_results_that_are_one_user_s_are_kept_for_that_user_and_space() -> None:
    asked: list[tuple[str, str]] = []

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        asked.append((context.user, context.space))
        return ToolOutput(summary=context.user)

    def told(tool: Tool) -> list[str]:
        asked.clear()
        cache = new_cache()
        who = [("T1/U1", "T1/C1"), ("T1/U2", "T1/C1"), ("T1/U1", "T1/C2"), ("T1/U1", "T1/C1")]
        contexts = [replace(make_context(), user=user, space=space) for user, space in who]
        sessions = [make_session(tool, context=context, cache=cache, cache_ttl_s=60) for context in contexts]
        return [session.call("s", "echo", {"query": "a"})[1].summary for session in sessions]

    assert told(replace(make_tool(run), personal=True)) == ["T1/U1", "T1/U2", "T1/U1", "T1/U1"]
    assert len(asked) == 3
    assert told(make_tool(run)) == ["T1/U1"] * 4, "what is nobody's own is shared"
