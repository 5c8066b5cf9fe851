"""views.*"""

from slack_sandbox.arguments import Arguments
from slack_sandbox.block_validation import check_view
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json
from slack_sandbox.views import find_view, open_view, publish_home, push_view, update_view


async def open_modal(sandbox: Sandbox, args: Arguments) -> Json:
    """views.open."""
    view = check_view(sandbox.state, args.decoded("view"), kind="modal")
    user = sandbox.triggers.use_trigger(_trigger(args))
    return {"view": open_view(sandbox, user, view, sandbox.triggers.channel_of(_trigger(args)))}


async def push_modal(sandbox: Sandbox, args: Arguments) -> Json:
    """views.push."""
    view = check_view(sandbox.state, args.decoded("view"), kind="modal")
    user = sandbox.triggers.use_trigger(_trigger(args))
    return {"view": push_view(sandbox, user, view)}


async def update_modal(sandbox: Sandbox, args: Arguments) -> Json:
    """views.update: of a modal, or of a home tab, which is published again."""
    record = find_view(sandbox, args.text("view_id"), args.text("external_id"))
    view = check_view(sandbox.state, args.decoded("view"), kind=record["type"])
    owner = next((user for user, home in sandbox.state.homes.items() if home is record), "")
    if owner:
        return {"view": publish_home(sandbox, owner, view, args.text("hash"))}
    return {"view": update_view(sandbox, record, view, args.text("hash"))}


async def publish(sandbox: Sandbox, args: Arguments) -> Json:
    """views.publish."""
    (user,) = args.required("user_id")
    if user not in sandbox.state.users:
        raise Refused("user_not_found")
    view = check_view(sandbox.state, args.decoded("view"), kind="home")
    return {"view": publish_home(sandbox, user, view, args.text("hash"))}


def _trigger(args: Arguments) -> str:
    return args.text("trigger_id") or args.text("interactivity_pointer")


METHODS = {
    "views.open": open_modal,
    "views.push": push_modal,
    "views.update": update_modal,
    "views.publish": publish,
}
