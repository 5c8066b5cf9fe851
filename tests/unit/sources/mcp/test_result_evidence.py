"""Results of tools of others as evidence."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from workers.contracts import ToolOutput
from workers.sources.mcp.result_evidence import PIECE_CHARS, output_of, read_result, split


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def output(*content: ContentBlock, data: dict[str, Any] | None = None, most: int = 96_000) -> ToolOutput:
    result = CallToolResult(content=list(content), structured_content=data)
    return output_of("store", "look", {"q": "x"}, read_result(result), most)


def test_json_text_is_data_too() -> None:
    (evidence,) = output(text('[{"n": 3}]')).evidence
    assert evidence.data == [{"n": 3}]
    assert evidence.locator == "store/look(q=x)"


def test_structured_content_without_text_is_shown() -> None:
    (evidence,) = output(data={"n": 3}).evidence
    assert '"n": 3' in evidence.excerpt


def test_nothing_is_empty_and_says_so() -> None:
    assert output(text("  ")).status == "empty"
    assert output(data={}).status == "empty"
    assert output().reason == "store: look returned nothing"


def test_links_and_resources_are_named_pictures_too() -> None:
    found = output(
        ResourceLink(type="resource_link", uri="https://x.example/1", name="one"),
        EmbeddedResource(type="resource", resource=TextResourceContents(uri="file:///a.txt", text="inner 42")),
        ImageContent(type="image", data="QUJD", mime_type="image/png"),
    )
    assert "inner 42" in found.evidence[0].excerpt
    assert "[image/png, not shown]" in found.evidence[0].excerpt
    assert [(e.title, e.url) for e in found.evidence[1:]] == [("one", "https://x.example/1"), ("file:///a.txt", None)]


def test_numbers_are_not_cut_in_two() -> None:
    pieces = list(split(", ".join(str(1_000_000 + i) for i in range(9_000)), PIECE_CHARS))
    assert all(piece.strip(" ,").split(", ")[0].startswith("100") and len(piece) <= PIECE_CHARS for piece in pieces)
    assert all(len(word) == 7 for piece in pieces for word in piece.replace(",", " ").split())


def test_what_is_nested_too_deep_is_no_data() -> None:
    assert output(text("[" * 60 + "]" * 60)).data["data"] is None


def test_a_result_that_is_cut_keeps_no_half_data() -> None:
    found = output(text('{"a": "' + "word " * 400 + '"}'), most=1_000)
    assert found.data["data"] is None
    assert len(found.data["text"]) <= 1_000
    assert "the rest is left out" in found.summary


@given(st.text(max_size=300), st.integers(2, 50))
def test_pieces_are_the_whole(whole: str, most: int) -> None:
    pieces = list(split(whole, most))
    assert "".join(pieces) == whole
    assert all(0 < len(piece) <= most for piece in pieces)


@given(st.text(max_size=200))
def test_any_text_can_be_kept(said: str) -> None:
    found = output(text(said))
    assert "\x00" not in found.model_dump_json()
