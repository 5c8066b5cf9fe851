"""assistant.threads.*: status, title and suggested prompts of a thread."""

import time

from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json, Session, State

_LOADING_MESSAGES = 10
_PROMPTS = 4


async def set_status(sandbox: Sandbox, args: Arguments) -> Json:
    """assistant.threads.setStatus: "" clears it; a reply of the app does, too."""
    channel, thread_ts = _thread(sandbox, args)
    loading = args.decoded("loading_messages") or []
    if not isinstance(loading, list) or len(loading) > _LOADING_MESSAGES:
        raise Refused("invalid_arguments")
    status = {"status": args.text("status"), "loading_messages": loading}
    sandbox.state.statuses.pop((channel.id, thread_ts), None)
    if status["status"]:
        expires_at = time.monotonic() + sandbox.state.status_life_s
        sandbox.state.statuses[channel.id, thread_ts] = status | {"expires_at": expires_at}
    sandbox.page.send(
        "status", channel.members, channel=channel.id, thread_ts=thread_ts, user=sandbox.state.bot_user, **status
    )
    return {}


async def set_title(sandbox: Sandbox, args: Arguments) -> Json:
    """assistant.threads.setTitle."""
    channel, thread_ts = _thread(sandbox, args)
    (title,) = args.required("title")
    sandbox.state.sessions.setdefault((channel.id, thread_ts), Session("")).title = title
    return {}


async def set_suggested_prompts(sandbox: Sandbox, args: Arguments) -> Json:
    """assistant.threads.setSuggestedPrompts."""
    channel, thread_ts = _thread(sandbox, args, optional=True)
    prompts = args.decoded("prompts")
    fine = isinstance(prompts, list) and all(
        isinstance(prompt, dict) and prompt.get("title") and prompt.get("message") for prompt in prompts
    )
    if not fine or len(prompts) > _PROMPTS:
        raise Refused("invalid_arguments")
    suggested: Json = {"title": args.text("title"), "prompts": prompts}
    sandbox.state.prompts[channel.id, thread_ts] = suggested
    sandbox.page.send("prompts", channel.members, channel=channel.id, thread_ts=thread_ts, **suggested)
    return {}


def status_of(state: State, channel: Channel, thread_ts: str) -> Json | None:
    """Returns: what the app says it is doing in a thread, or None; it goes by itself after two minutes."""
    status = state.statuses.get((channel.id, thread_ts))
    if status is None:
        return None
    if time.monotonic() > status["expires_at"]:
        del state.statuses[channel.id, thread_ts]
        return None
    return {name: status[name] for name in ("status", "loading_messages")}


def _thread(sandbox: Sandbox, args: Arguments, *, optional: bool = False) -> tuple[Channel, str]:
    channel = sandbox.app_channel(args.text("channel_id"))
    thread_ts = args.text("thread_ts")
    if thread_ts not in channel.messages and not (optional and not thread_ts):
        raise Refused("invalid_thread_ts")
    return channel, thread_ts


METHODS = {
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setTitle": set_title,
    "assistant.threads.setSuggestedPrompts": set_suggested_prompts,
}
