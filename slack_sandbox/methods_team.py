"""api.test, apps.connections.open, bots.*, team.*, usergroups.*, users.*"""

from slack_sandbox.api_objects import bot_shape, user_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.methods_conversations import page_of
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json, User


async def api_test(sandbox: Sandbox, args: Arguments) -> Json:  # noqa: ARG001
    """api.test: gives its arguments back, or the error asked for."""
    if args.text("error"):
        raise Refused(args.text("error"), args=args.values)
    return {"args": args.values}


async def open_connection(sandbox: Sandbox, args: Arguments) -> Json:  # noqa: ARG001
    """apps.connections.open: with the app-level token."""
    ticket = sandbox.socket.issue_ticket()
    address = sandbox.config.base_url.replace("http", "ws", 1)
    return {"url": f"{address}/link/?ticket={ticket}&app_id={sandbox.state.app_id}"}


async def bots_info(sandbox: Sandbox, args: Arguments) -> Json:
    """bots.info: the app's own bot when none is named."""
    if args.text("bot", sandbox.state.bot_id) != sandbox.state.bot_id:
        raise Refused("bot_not_found")
    return {"bot": bot_shape(sandbox.state)}


async def team_info(sandbox: Sandbox, args: Arguments) -> Json:
    """team.info."""
    own = args.grant.team if args.grant else sandbox.grants.home
    if args.text("team", own.id) != own.id:
        raise Refused("team_not_found")
    team = {"id": own.id, "name": own.name, "domain": own.domain, "email_domain": "sandbox.example"}
    return {"team": team | {"icon": {"image_default": True}}}


async def usergroups_list(sandbox: Sandbox, args: Arguments) -> Json:
    """usergroups.list."""
    told = args.text("include_users") in {"true", "True", "1"}
    groups = [
        {"id": name, "team_id": sandbox.state.team_id, "date_delete": 0} | ({"users": list(users)} if told else {})
        for name, users in sandbox.state.user_groups.items()
    ]
    return {"usergroups": groups}


async def users_info(sandbox: Sandbox, args: Arguments) -> Json:
    """users.info."""
    (name,) = args.required("user")
    user = sandbox.state.users.get(name)
    if user is None:
        raise Refused("user_not_found")
    return {"user": _user(sandbox, args, user)}


async def users_list(sandbox: Sandbox, args: Arguments) -> Json:
    """users.list."""
    everyone: list[User] = list(sandbox.state.users.values())
    page, cursor = page_of(args, everyone)
    shapes = [_user(sandbox, args, user) for user in page]
    return {"members": shapes, "cache_ts": 0, "response_metadata": {"next_cursor": cursor}}


async def users_lookup_by_email(sandbox: Sandbox, args: Arguments) -> Json:
    """users.lookupByEmail."""
    (email,) = args.required("email")
    for user in sandbox.state.users.values():
        if user.email and user.email == email.lower():
            return {"user": _user(sandbox, args, user)}
    raise Refused("users_not_found")


def _user(sandbox: Sandbox, args: Arguments, user: User) -> Json:
    shape = user_shape(sandbox.state, user)
    if args.grant is None or "users:read.email" not in args.grant.scopes:
        shape["profile"].pop("email", None)
    return shape


METHODS = {
    "api.test": api_test,
    "apps.connections.open": open_connection,
    "bots.info": bots_info,
    "team.info": team_info,
    "usergroups.list": usergroups_list,
    "users.info": users_info,
    "users.list": users_list,
    "users.lookupByEmail": users_lookup_by_email,
}
