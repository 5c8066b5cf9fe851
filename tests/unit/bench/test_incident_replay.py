"""Links of a pinned message that open something else are noticed."""

from __future__ import annotations

from bench.incidents.replay import linked, wrong_link
from workers.incidents.summary.summary_types import IncidentStatus, Line, Summary

SUMMARY = Summary(
    title="t",
    status=IncidentStatus(text="rolled back", ts=("2.0",), state="mitigated"),
    known=(Line(text="the pool is exhausted", ts=("1.0", "3.0")),),
)


def address(ts: str) -> str:
    return f"https://x/archives/C1/p{ts}"


def test_a_link_to_another_message_is_wrong() -> None:
    right = (address("1.0"), address("3.0"))
    assert wrong_link("the pool is exhausted  ", right, SUMMARY, address) == ""
    assert wrong_link("the pool is exhausted", right[:1], SUMMARY, address) == ""
    assert "are not the messages of" in wrong_link("the pool is exhausted", (address("2.0"),), SUMMARY, address)
    assert "no line of the summary" in wrong_link("the moon is full", right, SUMMARY, address)


def test_lines_are_found_wherever_they_stand() -> None:
    section = {
        "type": "rich_text_section",
        "elements": [{"type": "text", "text": "it broke "}, {"type": "link", "url": "https://x", "text": "[message]"}],
    }
    inner = {"type": "rich_text_list", "elements": [section, {"type": "rich_text_section", "elements": []}]}
    assert list(linked([{"type": "rich_text", "elements": [inner]}])) == [("it broke ", ("https://x",))]
