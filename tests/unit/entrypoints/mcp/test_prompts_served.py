"""Prompts that clients of the MCP server offer."""

from __future__ import annotations

import pytest

from workers.entrypoints.mcp.prompts_served import ABOUT, get_prompt, list_prompts
from workers.errors import ConfigError
from workers.reasoning.model.prompts import FOLDER, read_prompt


def text(name: str, **given: str) -> str:
    return get_prompt(name, given).messages[0].content.text  # type: ignore[union-attr]


def test_each_is_a_file_with_these_inputs() -> None:
    for name, (_, arguments) in ABOUT.items():
        assert read_prompt(FOLDER / "mcp" / f"{name}.md", FOLDER).inputs == tuple(arguments)
    assert [prompt.name for prompt in list_prompts()] == sorted(ABOUT)


def test_what_is_optional_may_be_left_out() -> None:
    assert text("investigate", subject="checkout").startswith("Find out what is wrong with checkout.")
    assert "checkout since noon." in text("investigate", subject="checkout", since="noon")


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("shell", {}, "there is no prompt 'shell'"),
        ("find_note", {}, "topic is required"),
        ("find_note", {"topic": "x" * 3_000}, "at most 2,000"),
        ("find_note", {"topic": "x", "folder": "y"}, "no argument 'folder'"),
    ],
)
def test_mistakes_are_named(name: str, given: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        get_prompt(name, given)


def test_an_argument_is_text_and_no_template() -> None:
    assert "{{ 7 * 7 }}" in text("find_note", topic="{{ 7 * 7 }}")
