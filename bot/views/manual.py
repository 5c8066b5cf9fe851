"""PURE: every subcommand, with a sentence each."""

from __future__ import annotations

from bot.views.rich import Block, block, bullets, paragraph, words

COMMANDS = (
    ("QUESTION", "asks; the answer comes in a thread"),
    ("", "opens a window to ask in"),
    ("status", "how I am, and who is before you"),
    ("sources", "what I read, and how fresh it is"),
    ("catchup [2h | yesterday | 09:30]", "what was asked and declared in this channel"),
    ('incident "TITLE"', "declares an incident here; without a title: how it stands"),
    ("resolve [NOTE]", "ends it"),
    ("feedback good|bad TEXT", "on your last answer here"),
    ("cancel [ID]", "stops your open questions here"),
    ("why ID", "how I came to an answer"),
    ("help", "this"),
)


def manual(command: str) -> Block:
    """A list of all subcommands.

    Args:
        command: the slash command's name.
    """
    lines = [[words(f"{command} {form}".strip(), code=True), words(f" {does}")] for form, does in COMMANDS]
    return block(paragraph(words("Commands", bold=True)), bullets(lines))
