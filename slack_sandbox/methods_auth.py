"""auth.*, oauth.v2.access and apps.uninstall: who a token is, how it is got, and how it ends.

Source: docs.slack.dev/authentication/installing-with-oauth and /reference/methods/oauth.v2.access.
"""

import secrets

from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json
from slack_sandbox.tokens import Grant


async def auth_test(sandbox: Sandbox, args: Arguments) -> Json:
    """auth.test."""
    state, team = sandbox.state, _grant(args).team
    return {
        "url": f"{sandbox.config.base_url}/",
        "team": team.name,
        "user": state.users[state.bot_user].name,
        "team_id": team.id,
        "user_id": state.bot_user,
        "bot_id": state.bot_id,
        "is_enterprise_install": False,
    }


async def revoke(sandbox: Sandbox, args: Arguments) -> Json:
    """auth.revoke: ends the token it is called with; `test` only says whether it would."""
    grant = _grant(args)
    if args.flag("test"):
        return {"revoked": False}
    grant.refusal = "token_revoked"
    _tell_revoked(sandbox, grant.team.id)
    return {"revoked": True}


async def access(sandbox: Sandbox, args: Arguments) -> Json:
    """oauth.v2.access: a code from the authorize page becomes a bot token, once."""
    _check_client(sandbox, args)
    grant = sandbox.grants.redeem(args.text("code"), args.text("redirect_uri"))
    if not grant.scopes:
        raise Refused("no_scopes")
    sandbox.deliveries.silent.discard(grant.team.id)
    return {
        "app_id": sandbox.state.app_id,
        "authed_user": {"id": grant.user},
        "scope": ",".join(grant.scopes),
        "token_type": "bot",
        "access_token": grant.token,
        "bot_user_id": sandbox.state.bot_user,
        "team": {"id": grant.team.id, "name": grant.team.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


async def apps_uninstall(sandbox: Sandbox, args: Arguments) -> Json:
    """apps.uninstall: takes the app out of the token's workspace."""
    _check_client(sandbox, args)
    uninstall(sandbox, _grant(args).team.id)
    return {}


def uninstall(sandbox: Sandbox, team_id: str) -> list[str]:
    """Takes the app out of a workspace: its tokens end, and the app is told.

    Returns: the ids of the events.
    """
    sandbox.grants.remove(team_id)
    sandbox.deliveries.silent.add(team_id)
    event: Json = {"type": "app_uninstalled", "event_ts": sandbox.state.next_ts()}
    return [sandbox.deliveries.emit(event, team_id=team_id), _tell_revoked(sandbox, team_id)]


def _tell_revoked(sandbox: Sandbox, team_id: str) -> str:
    event: Json = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [sandbox.state.bot_user]}}
    return sandbox.deliveries.emit(event | {"event_ts": sandbox.state.next_ts()}, team_id=team_id)


def _check_client(sandbox: Sandbox, args: Arguments) -> None:
    if args.text("client_id") != sandbox.config.client_id:
        raise Refused("invalid_client_id")
    if not secrets.compare_digest(args.text("client_secret").encode(), sandbox.config.client_secret.encode()):
        raise Refused("bad_client_secret")


def _grant(args: Arguments) -> Grant:
    if args.grant is None:
        raise Refused("not_authed")
    return args.grant


METHODS = {
    "auth.test": auth_test,
    "auth.revoke": revoke,
    "oauth.v2.access": access,
    "apps.uninstall": apps_uninstall,
}
