"""One sentence where nothing else can be shown."""

from __future__ import annotations

from typing import Any

from workers.delivery.rich_text import words
from workers.delivery.rich_text_blocks import block, paragraph, plain

NO_DATABASE = "My database does not answer right now. Please try again in a minute."
GONE = "I no longer have the record of that request. Please ask it anew."


def notice_view(sentence: str) -> dict[str, Any]:
    """A window with one sentence."""
    shown = [block(paragraph(words(sentence)))]
    return {"type": "modal", "title": plain("Oracle"), "close": plain("Close"), "blocks": shown}
