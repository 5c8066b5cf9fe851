"""Librarian: keeps the vault of notes in order; it proposes, a person confirms. See `workers.ports.AgentModule`."""

from workers.agents.memory.librarian.agent import claim, make_plan, read_intent, write_answer

QUESTION_TYPES = {
    "move": "a note or a folder is to be moved",
    "rename": "a note or a folder is to get another name where it is",
    "delete": "a note is to be deleted",
    "index": "an index note of a folder, or an overview of the vault, is to be written",
    "duplicates": "notes that say nearly the same are to be found",
    "merge": "two notes are to become one",
    "other": "another task of bringing notes into order",
}
PLAN_SLOTS = frozenset({"source", "target", "folder"})
PROMPTS = ("librarian/system", "librarian/organize", "librarian/index_generation")


def prompt_values() -> dict[str, object]:
    """What the prompt asks for beside the agent's tools."""
    return {"max_turns": 10}


__all__ = [
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "claim",
    "make_plan",
    "prompt_values",
    "read_intent",
    "write_answer",
]
