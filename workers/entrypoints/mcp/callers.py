"""For whom a call is answered: the user of the bearer token, or who sits at this machine."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

import anyio.to_thread
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from workers.bootstrap import Oracle
from workers.contracts import LOCAL_USER, Question, asker_of
from workers.engine.engine import Engine
from workers.errors import StoreUnavailable
from workers.ports import ALL_TEAMS, ToolContext
from workers.store.api_tokens import user_of
from workers.store.database import Database


@dataclass(frozen=True)
class Tokens:
    """The SDK's `TokenVerifier` over the deployment's tokens."""

    database: Database

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose token it is; None for one that is unknown or revoked, and while the database is away."""
        try:
            user = await anyio.to_thread.run_sync(user_of, self.database, token)
        except StoreUnavailable:
            return None
        return AccessToken(token="-", client_id=user, scopes=[], subject=user) if user else None  # noqa: S106 - not kept


def caller() -> str:
    """Whose threads and memories this call may read: `Question.user`."""
    token = get_access_token()
    return token.client_id if token else LOCAL_USER


def question_of(oracle: Oracle, user: str, text: str, agent: str = "", timezone: str = "UTC") -> Question:
    """What a caller asks."""
    return Question(
        request_id=uuid.uuid4().hex[:12],
        text=oracle.toolbox.redactor.talk(text),
        received_at=oracle.engine.clock.now(),
        timezone=timezone,
        agent=agent or None,
        relayed=True,  # a model writes what a client asks
        **asker_of(user),
    )


def engine_seen(oracle: Oracle, user: str) -> Engine:
    """The engine as a caller may see it."""
    return oracle.engine.view(oracle.engine, question_of(oracle, user, ""))


def tool_context(oracle: Oracle, user: str, timezone: str = "UTC") -> ToolContext:
    """For whom a tool runs: at this machine it may read what the command line may."""
    team = ALL_TEAMS if user == LOCAL_USER else user.rpartition("/")[0]
    return ToolContext(
        request_id=f"mcp-{uuid.uuid4().hex[:8]}",
        agent="",
        now=oracle.engine.clock.now(),
        timezone=timezone,
        team=team,
        user=user,
        space=user,
        ask=engine_seen(oracle, user).ask,
    )
