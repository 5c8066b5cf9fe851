"""Texts in fewer words by a language model: earlier messages of a thread, or what a person keeps."""

from __future__ import annotations

from collections.abc import Sequence

from workers.reasoning.model.prompts import PromptBook
from workers.reasoning.model.replies.answer import CompressReply, summary_from
from workers.reasoning.model.structured_call import StructuredCalls


def compress_texts(asking: StructuredCalls, book: PromptBook, texts: Sequence[str], most_words: int) -> str:
    """Role ``compression``: a summary that names only what the texts name.

    Args:
        asking: within whose budget.
        book: the prompts.
        texts: oldest first.
        most_words: of the summary.

    Raises:
        ModelFailed: there was none that can be used.
    """
    prompt = book.get("oracle/compression").render(messages=list(texts), most_words=most_words)
    said = "\n".join(texts)
    return asking.object("compression", prompt, CompressReply, lambda reply: summary_from(reply, said))
