"""Tools of an investigation that no source answers: the list of what is to do, pages of results, the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from workers.ports import ToolSpec
from workers.reasoning.model.replies.allowed_words import ReplyModel
from workers.reasoning.model.replies.answer import AnswerReply, MendReply

TODO, READ_MORE, ANSWER, MEND, ASK_BACK = "todo", "read_more", "answer", "mend", "ask_back"
MOST_ITEMS = 10


class TodoReply(ReplyModel):
    """What is still to do."""

    class Item(ReplyModel):
        """One thing to find out."""

        text: str = Field(max_length=200)
        status: Literal["pending", "active", "done"] = "pending"

    items: list[Item]


class ReadMoreReply(ReplyModel):
    """Which page of which result."""

    result: str = Field(description="The name of the result: R3.")
    offset: int = Field(0, ge=0, description="The character where to go on.")


class AskBackReply(ReplyModel):
    """A question back."""

    question: str = Field(max_length=300)
    options: list[str] = Field(description="Two to five names that exist, the likeliest first.")


def spec(name: str, description: str, model: type[BaseModel]) -> ToolSpec:
    """A tool whose arguments are a reply."""
    return ToolSpec(name, description, model.model_json_schema())


OWN_TOOLS = (
    spec(
        TODO,
        "Show the people who wait what you will find out, as a short list, and keep it true: call it beside your first "
        "calls and again whenever an item is done or what you learned changes the list.",
        TodoReply,
    ),
    spec(READ_MORE, "Read on in a result that was cut, or read one again that was shortened.", ReadMoreReply),
    spec(
        ASK_BACK,
        "Ask the person which of several things they mean. Only when their question has two meanings that need "
        "different answers and what you can read does not decide; it ends the investigation.",
        AskBackReply,
    ),
    spec(
        ANSWER,
        "Give the answer as claims with the evidence each rests on. Call it by itself, when you know enough. Code "
        "checks every claim; what does not hold comes back to be mended once.",
        AnswerReply,
    ),
    spec(MEND, "Give claims in place of those that came back with a reason; an empty text leaves one out.", MendReply),
)
OWN_NAMES = frozenset(tool.name for tool in OWN_TOOLS)
