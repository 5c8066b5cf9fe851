"""Tokens: what they grant, and in which workspace; the codes that OAuth exchanges for them.

A second workspace is an identity only: it has tokens and events of its own, and the same people and channels.
"""

import secrets
from dataclasses import dataclass, field

from slack_sandbox.errors import Refused
from slack_sandbox.state import new_id


@dataclass(frozen=True)
class Team:
    """A workspace."""

    id: str
    name: str
    domain: str


@dataclass
class Grant:
    """A bot token; `refusal` is the error that it meets once it is revoked."""

    token: str
    team: Team
    scopes: tuple[str, ...]
    user: str
    refusal: str = ""


@dataclass(frozen=True)
class _Code:
    team: Team
    scopes: tuple[str, ...]
    redirect_uri: str
    user: str


@dataclass
class Grants:
    """Every workspace, every token ever issued, and the codes not yet redeemed."""

    home: Team
    teams: dict[str, Team] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    _codes: dict[str, _Code] = field(default_factory=dict)

    def __post_init__(self) -> None:
        second = Team(new_id("T"), "Second sandbox", "second-sandbox")
        self.teams |= {team.id: team for team in (self.home, second)}

    def team(self, team_id: str) -> Team:
        """Returns: the workspace with this id, home for ""; an unknown id makes one."""
        if not team_id:
            return self.home
        return self.teams.setdefault(team_id, Team(team_id, f"Workspace {team_id}", team_id.lower()))

    def issue(self, team: Team, scopes: tuple[str, ...], user: str, token: str = "") -> Grant:
        """Returns: a new token for a workspace."""
        grant = Grant(token or f"xoxb-{secrets.token_hex(16)}", team, scopes, user)
        self.grants[grant.token] = grant
        return grant

    def use(self, token: str) -> Grant:
        """Returns: what a token grants.

        Raises:
            Refused: invalid_auth, token_revoked, account_inactive.
        """
        grant = self.grants.get(token)
        if grant is None:
            raise Refused("invalid_auth")
        if grant.refusal:
            raise Refused(grant.refusal)
        return grant

    def remove(self, team_id: str) -> int:
        """Ends every token of a workspace.

        Returns: how many there were.
        """
        live = [grant for grant in self.grants.values() if grant.team.id == team_id and not grant.refusal]
        for grant in live:
            grant.refusal = "account_inactive"
        return len(live)

    def issue_code(self, team: Team, scopes: tuple[str, ...], redirect_uri: str, user: str) -> str:
        """Returns: a code that `redeem` takes once."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = _Code(team, scopes, redirect_uri, user)
        return code

    def redeem(self, code: str, redirect_uri: str) -> Grant:
        """Returns: a new token for a code.

        Raises:
            Refused: invalid_code, bad_redirect_uri.
        """
        known = self._codes.get(code)
        if known is None:
            raise Refused("invalid_code")
        if redirect_uri and redirect_uri != known.redirect_uri:
            raise Refused("bad_redirect_uri")
        del self._codes[code]
        return self.issue(known.team, known.scopes, known.user)
