"""The window that asks what was wrong with an answer."""

from __future__ import annotations

import json
from typing import Any

from workers.delivery import action_ids
from workers.delivery.rich_text_blocks import plain

REASON = "reason"
TEXT = "text"
REASONS = {
    "wrong": "Something in it is wrong",
    "incomplete": "Something is missing",
    "off_topic": "It is not what I asked",
    "too_long": "It is too long",
    "slow": "It came too late",
    "other": "Something else",
}


def feedback_view(request_id: str, channel: str = "", thread_ts: str = "") -> dict[str, Any]:
    """A window with a reason to choose and room for words.

    Args:
        request_id: of the answer.
        channel: where the person is thanked.
        thread_ts: the thread there.
    """
    options = [{"text": plain(words), "value": reason} for reason, words in REASONS.items()]
    reasons = {"type": "radio_buttons", "action_id": REASON, "options": options}
    words = {"type": "plain_text_input", "action_id": TEXT, "multiline": True, "max_length": 2_000}
    kept = {"request_id": request_id, "channel": channel, "thread_ts": thread_ts}
    return {
        "type": "modal",
        "callback_id": action_ids.FEEDBACK_VIEW,
        "title": plain("What went wrong?"),
        "submit": plain("Send"),
        "close": plain("Cancel"),
        "private_metadata": json.dumps(kept),
        "blocks": [
            {"type": "input", "block_id": REASON, "label": plain("The answer"), "element": reasons},
            {
                "type": "input",
                "block_id": TEXT,
                "label": plain("What should it have said?"),
                "element": words,
                "optional": True,
            },
        ],
    }
