"""What the MCP server answers fits the schemas that it lists."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from workers.contracts import (
    Answer,
    Claim,
    Evidence,
    Fact,
    Gap,
    Option,
    Proposal,
    Question,
    RequestLog,
    ToolCall,
    ToolOutput,
)
from workers.entrypoints.mcp.results import AskResult, ToolResult, as_text, ask_result, sent, tool_result

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def log(answer: Answer) -> RequestLog:
    evidence = tuple(
        Evidence(id=f"E{i}", kind="metric", title=f"title {i}", locator="x", facts={"n": Fact(value=i)})
        for i in range(1, 4)
    )
    question = Question(request_id="r1", text="why?", received_at=MOMENT)
    calls = tuple(ToolCall(name="promql", args={}, start_ms=0, end_ms=1, status="ok") for _ in range(2))
    proposals = (Proposal(tool="write_note", args={"body": "secret"}, title="Write it", preview="+x"),)
    return RequestLog(
        request_id="r1", question=question, evidence=evidence, answer=answer, tool_calls=calls, proposals=proposals
    )


def test_an_answer_holds_what_it_cites_and_no_more() -> None:
    answer = Answer(
        headline=Claim(template="", text="It rose.", evidence=("E1",)),
        metrics=(Claim(template="", text="By 3.", evidence=("E3",), status="hypothesis"),),
        missing=(Gap(text="logs", tool="loki"),),
    )
    result = ask_result(log(answer), ["Done: it"])
    assert [item.id for item in result.evidence] == ["E1", "E3"]
    assert result.tools_used == ["promql"]
    assert result.proposals[0].id == "r1:0"
    assert "secret" not in result.model_dump_json()
    read = as_text(result)
    assert "- (hypothesis) By 3. [E3]" in read
    assert "Not found: logs" in read
    assert read.endswith("Done: it")
    Draft202012Validator(AskResult.model_json_schema()).validate(sent(result).structured_content)


def test_a_question_back_lists_its_options() -> None:
    options = (Option(value="/a", label="a"), Option(value="/b", label="b"))
    answer = Answer(kind="clarify", headline=Claim(template="", text="Which one?"), options=options)
    result = ask_result(log(answer), [])
    assert (result.kind, result.options) == ("clarify", ["/a", "/b"])
    assert "2. /b" in as_text(result)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.text(max_size=20))
def test_any_output_fits_the_schema(data: dict[str, object], summary: str) -> None:
    output = ToolOutput(summary=summary, data=data, evidence=(Evidence(kind="row", title="t", locator="l"),))
    content = sent(tool_result(output)).structured_content
    Draft202012Validator(ToolResult.model_json_schema()).validate(content)


def test_data_that_are_too_large_are_left_to_the_evidence() -> None:
    assert tool_result(ToolOutput(data={"x": "y" * 300_000})).data == {}
