"""Windows that were sent, read once: who sent them, what they remember, and what stands in their fields.

Source: Slack's interaction payloads (``view_submission``) and "View state values".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.parse.authors import asker_team_of, team_of
from bot.parse.payload_fields import request_id
from workers.contracts import Question
from workers.delivery import action_ids
from workers.language.slack_text import name_at, plain_text, text_at, ts_at, value_at


@dataclass(frozen=True)
class Window:
    """A window that was sent.

    ``kept``: what it remembers, texts by name; ``fields``: block and action -> what was typed or chosen there, and
    ``ticked``: those where something was ticked.
    """

    callback_id: str
    view_id: str
    team: str
    asker_team: str
    user: str
    kept: Mapping[str, str]
    fields: Mapping[tuple[str, str], str]
    ticked: frozenset[tuple[str, str]]

    def field(self, block: str, action: str = "") -> str:
        """What was typed or chosen; empty when nothing was. ``action``: as the block when empty."""
        return self.fields.get((block, action or block), "")


def read_sent(body: Mapping[str, Any]) -> Window:
    """A sent window; what is missing is empty."""
    view = value_at(body, "view")
    values = value_at(view, "state", "values")
    inputs = {
        (str(block), str(action)): state
        for block, actions in (values.items() if isinstance(values, Mapping) else ())
        for action, state in (actions.items() if isinstance(actions, Mapping) else ())
    }
    fields = {key: typed_or_chosen(state) for key, state in inputs.items()}
    return Window(
        callback_id=text_at(view, "callback_id"),
        view_id=name_at(view, "id"),
        team=team_of(body),
        asker_team=asker_team_of(body, {}),
        user=name_at(body, "user", "id"),
        kept=remembered(view),
        fields={key: text for key, text in fields.items() if text},
        ticked=frozenset(key for key, state in inputs.items() if value_at(state, "selected_options")),
    )


def typed_or_chosen(state: Any) -> str:
    """What stands in one field."""
    chosen = text_at(state, "selected_option", "value") or name_at(state, "selected_conversation")
    return text_at(state, "value") or chosen


def read_window(body: Mapping[str, Any], now: datetime) -> Question | None:
    """A sent `ask_view`. The window's id stands for the question, so that one sent twice is asked once."""
    sent = read_sent(body)
    if text_at(body, "type") != "view_submission" or sent.callback_id != action_ids.ASK_VIEW:
        return None
    here, quoted, text = name_at(sent.kept, "channel"), sent.kept.get("quoted"), typed(sent.field(action_ids.ASK_WORDS))
    channel = here or sent.field(action_ids.ASK_WHERE)
    if not (channel and sent.user and sent.view_id and text):
        return None
    return Question(
        request_id=request_id(sent.team, channel, f"view:{sent.view_id}"),
        text=text,
        asker=sent.user,
        team=sent.team,
        asker_team=sent.asker_team,
        channel=channel,
        thread_ts=ts_at(sent.kept, "thread_ts") if here else "",
        event_id=f"view:{sent.view_id}",
        source="slack",
        received_at=now,
        context=(quoted,) if quoted else (),
    )


def typed(text: str) -> str:
    """What was typed into a field, which Slack does not mark up, without what cannot be kept."""
    return plain_text(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def remembered(view: Any) -> dict[str, str]:
    """What a window remembers, texts by name; nothing when it is not ours."""
    try:
        kept = json.loads(text_at(view, "private_metadata") or "{}")
    except (ValueError, RecursionError):
        return {}
    return {key: text for key, text in kept.items() if isinstance(text, str)} if isinstance(kept, dict) else {}


def first_field(body: Mapping[str, Any]) -> str:
    """The block of a window's first field; empty when it has none."""
    blocks = value_at(body, "view", "blocks")
    found = blocks if isinstance(blocks, list) else []
    return next((text_at(block, "block_id") for block in found if text_at(block, "type") == "input"), "")
