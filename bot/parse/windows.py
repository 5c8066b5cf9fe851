"""Windows that were sent, read once: who sent them, what they remember, and what stands in their fields.

Source: Slack's interaction payloads (``view_submission``) and "View state values".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.parse.authors import asker_team_of, team_of
from bot.parse.payload_fields import request_id
from workers.contracts import Question
from workers.delivery import action_ids
from workers.language.mrkdwn import escape, plain_text
from workers.slack_messages.fields import Fields


@dataclass(frozen=True)
class Window:
    """A window that was sent.

    ``kept``: what it remembers, texts by name; ``fields``: block and action -> what was typed or chosen there, and
    ``ticked``: those where something was ticked; ``first_field``: the block of the first one, empty when it has none.
    """

    callback_id: str
    view_id: str
    team: str
    asker_team: str
    user: str
    kept: Mapping[str, str]
    fields: Mapping[tuple[str, str], str]
    ticked: frozenset[tuple[str, str]]
    first_field: str = ""

    def field(self, block: str, action: str = "") -> str:
        """What was typed or chosen; empty when nothing was. ``action``: as the block when empty."""
        return self.fields.get((block, action or block), "")


def read_sent(body: Fields) -> Window:
    """A sent window; what is missing is empty."""
    view = body.inner("view")
    inputs = {
        (block, action): Fields(state)
        for block, actions in view.pairs("state", "values")
        for action, state in Fields(actions).pairs()
    }
    fields = {key: typed_or_chosen(state) for key, state in inputs.items()}
    shown = (block.text("block_id") for block in view.objects("blocks") if block.text("type") == "input")
    return Window(
        callback_id=view.text("callback_id"),
        view_id=view.name("id"),
        team=team_of(body),
        asker_team=asker_team_of(body),
        user=body.name("user", "id"),
        kept=remembered(view),
        fields={key: text for key, text in fields.items() if text},
        ticked=frozenset(key for key, state in inputs.items() if state.value("selected_options")),
        first_field=next(shown, ""),
    )


def typed_or_chosen(state: Fields) -> str:
    """What stands in one field."""
    return state.text("value") or state.text("selected_option", "value") or state.name("selected_conversation")


def read_window(sent: Window, now: datetime) -> Question | None:
    """A sent `ask_view`. The window's id stands for the question, so that one sent twice is asked once."""
    if sent.callback_id != action_ids.ASK_VIEW:
        return None
    kept, text = Fields(sent.kept), typed(sent.field(action_ids.ASK_WORDS))
    here, quoted = kept.name("channel"), kept.text("quoted")
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
        thread_ts=kept.ts("thread_ts") if here else "",
        event_id=f"view:{sent.view_id}",
        source="slack",
        received_at=now,
        context=(quoted,) if quoted else (),
    )


def typed(text: str) -> str:
    """What was typed into a field, which Slack does not mark up, without what cannot be kept."""
    return plain_text(escape(text))


def remembered(view: Fields) -> dict[str, str]:
    """What a window remembers, texts by name; nothing when it is not ours."""
    try:
        kept = json.loads(view.text("private_metadata") or "{}")
    except (ValueError, RecursionError):
        return {}
    return {key: text for key, text in Fields(kept).pairs() if isinstance(text, str)}
