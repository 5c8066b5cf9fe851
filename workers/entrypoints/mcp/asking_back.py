"""Asking the person behind a client: which of several things is meant, or whether a change may be made.

A client of 2026-07-28 is sent `input_required` and calls again with what the person said; an earlier one is asked in
the middle of the call. One that cannot ask a person is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

KEY, FIELD = "person", "choice"
YES, NO = "yes", "no"
MOST_CHARS = 6_000

State = dict[str, Any]
"""What a call that asked has to know when it comes again; sealed by the SDK while it is with the client."""


class AskedBack(Exception):
    """The call ends here, with a question to the person."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__("a question to the person")
        self.result = result


@dataclass
class Person:
    """The person behind one call. ``state``: of the earlier round of this call; empty in the first."""

    context: ServerRequestContext[Any, Any]
    params: CallToolRequestParams

    def __post_init__(self) -> None:
        """Read what came with the call."""
        given = self.params.request_state
        self.state: State = json.loads(given) if given else {}
        responses = self.params.input_responses or {}
        answer = responses.get(KEY)
        self.reply = answer if isinstance(answer, ElicitResult) else None

    @property
    def can_be_asked(self) -> bool:
        """Whether the client shows a form to a person."""
        capabilities = self.context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities else None
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    async def choose(self, message: str, options: Sequence[str], state: State) -> str | None:
        """One of several options, or other words.

        Args:
            message: what is asked.
            options: the likeliest answers.
            state: what to know in the next round.

        Returns: what was said; None when the person did not want to say, or cannot be asked.

        Raises:
            AskedBack: the client has to ask.
        """
        shown = "\n".join((message, *(f"{number}. {option}" for number, option in enumerate(options, 1))))
        schema = form(
            {"type": "string", "title": "Which one", "maxLength": 500, "description": ", ".join(options)[:500]}
        )
        return await self.ask(shown, schema, state)

    async def confirm(self, title: str, preview: str, state: State) -> bool:
        """Whether a change may be made. Raises: AskedBack: as `choose`."""
        message = f"{title}?\n\n{preview}"
        said = await self.ask(message, form({"type": "string", "title": "Do this", "enum": [NO, YES]}), state)
        return said == YES

    async def ask(self, message: str, schema: dict[str, Any], state: State) -> str | None:
        """A form with one field. Raises: AskedBack: as `choose`."""
        if not self.can_be_asked:
            return None
        shown = message if len(message) <= MOST_CHARS else f"{message[:MOST_CHARS]}…"
        if self.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            if self.reply is None:
                request = ElicitRequest(params=ElicitRequestFormParams(message=shown, requested_schema=schema))
                raise AskedBack(InputRequiredResult(input_requests={KEY: request}, request_state=json.dumps(state)))
            reply, self.reply = self.reply, None
        else:
            reply = await self.context.session.elicit_form(shown, schema, self.context.request_id)
        return said_in(reply.content) if reply.action == "accept" else None


def form(field: Mapping[str, Any]) -> dict[str, Any]:
    """A form with one field that has to be filled."""
    return {"type": "object", "properties": {FIELD: dict(field)}, "required": [FIELD]}


def said_in(content: Mapping[str, Any] | None) -> str | None:
    """What a person wrote into the field."""
    said = (content or {}).get(FIELD)
    return str(said).strip()[:500] or None if said is not None else None
