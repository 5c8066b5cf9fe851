"""Prompts over MCP: files of ``prompts/mcp``, each argument an input of its file."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from workers.errors import ConfigError
from workers.reasoning.model.prompts import FOLDER, read_prompt

ARGUMENT_CHARS = 2_000
OPTIONAL = frozenset({"since"})
ABOUT = {
    "find_note": ("Find what the team wrote down about a topic.", {"topic": "what to look for"}),
    "investigate": (
        "Find out what is wrong with a service, endpoint or system.",
        {"subject": "a service, endpoint or symptom: /api/search is slow", "since": "since when: yesterday's deploy"},
    ),
    "summarize_incident": (
        "Sum up an incident with the evidence for each line.",
        {"incident": "its channel, thread or a sentence on it"},
    ),
}
"""Name: what it is for, and what each argument is."""


def list_prompts() -> list[Prompt]:
    """All prompts, by name."""
    return [
        Prompt(
            name=name,
            title=name.replace("_", " ").capitalize(),
            description=about,
            arguments=[
                PromptArgument(name=argument, description=words, required=argument not in OPTIONAL)
                for argument, words in arguments.items()
            ],
        )
        for name, (about, arguments) in sorted(ABOUT.items())
    ]


def get_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """A prompt filled with arguments.

    Raises:
        ConfigError: there is no such prompt, or an argument is missing, unknown or too long.
    """
    if name not in ABOUT:
        raise ConfigError(f"there is no prompt {name[:80]!r}; there are {', '.join(sorted(ABOUT))}")
    about, arguments = ABOUT[name]
    values = {argument: str(given.get(argument, "")).strip() for argument in arguments}
    for argument, value in values.items():
        if not value and argument not in OPTIONAL:
            raise ConfigError(f"{argument} is required: {arguments[argument]}")
        if len(value) > ARGUMENT_CHARS:
            raise ConfigError(f"{argument}: {len(value):,} characters; at most {ARGUMENT_CHARS:,} are read")
    if unknown := sorted(set(given) - set(arguments)):
        raise ConfigError(f"no argument {unknown[0][:80]!r} (known: {', '.join(arguments)})")
    text = read_prompt(FOLDER / "mcp" / f"{name}.md", FOLDER).render(**values).system
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=about, messages=[message])
