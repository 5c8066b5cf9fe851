"""What the app's command in Slack does with a person's memories."""

from __future__ import annotations

from typing import Protocol

from workers.agents.memory.source.memories import find_memory
from workers.agents.memory.source.memories import forget as forget_memory
from workers.agents.memory.source.memories import remember as keep_memory
from workers.delivery.rich_text import words
from workers.delivery.rich_text_blocks import block, bullets, paragraph, post_of, quoted, sentence
from workers.errors import MemoryConflict, MemoryNotFound, OracleError
from workers.ports import Post
from workers.store.database import Database
from workers.store.memories import list_memories

MOST_MEMORIES, QUOTE_CHARS = 20, 90


class Called(Protocol):
    """What someone typed; see `workers.settings.contributions`."""

    @property
    def database(self) -> Database:
        """Where memories are."""

    @property
    def owner(self) -> str:
        """Whose they are."""

    @property
    def clean_rest(self) -> str:
        """What followed the subcommand, without secrets."""

    @property
    def command(self) -> str:
        """The command's name."""


def remember(called: Called) -> Post:
    """Keep what a person wants remembered. Raises: StoreUnavailable."""
    if not called.clean_rest:
        return sentence(f"What shall I remember? {called.command} remember deploys are frozen on Fridays")
    try:
        kept = keep_memory(called.database, called.owner, called.clean_rest)
    except MemoryConflict as error:
        return sentence(sentence_of(error))
    return post_of(block(paragraph(words("I will remember "), quoted(kept.text, QUOTE_CHARS), words("."))))


def memories(called: Called) -> Post:
    """What is remembered of the person. Raises: StoreUnavailable."""
    found = list_memories(called.database, called.owner)
    if not found:
        return sentence(f"I remember nothing of you. {called.command} remember TEXT changes that.")
    lines = [
        [words(f"{one.id}", code=True), words(" "), quoted(one.text, QUOTE_CHARS)] for one in found[:MOST_MEMORIES]
    ]
    more = len(found) - MOST_MEMORIES
    lines += [[words(f"and {more} more")]] if more > 0 else []
    how = f"{called.command} forget NUMBER removes one. Nobody else is told of them."
    return post_of(block(paragraph(words("I remember of you:")), bullets(lines), paragraph(words(how))))


def forget(called: Called) -> Post:
    """Forget the one memory that a number or words name. Raises: StoreUnavailable."""
    try:
        gone = find_memory(called.database, called.owner, called.clean_rest)
        forget_memory(called.database, called.owner, gone.id)
    except (MemoryConflict, MemoryNotFound) as error:
        return sentence(f"{sentence_of(error)} {called.command} memories lists them with their numbers.")
    return post_of(block(paragraph(words("Forgotten: "), quoted(gone.text, QUOTE_CHARS), words("."))))


def sentence_of(error: OracleError) -> str:
    """Why nothing was done."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}."
