"""agents.sessions.*: what an agent is doing in a thread, and the Stop button that goes with it.

Source: docs.slack.dev/reference/methods/agents.sessions.setStatus and /reference/events/agent_session_stopped.
"""

from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.messages import show_change
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json, Session

STATUSES = ("active", "processing", "suspended", "closed")
_TITLE = 200


async def set_status(sandbox: Sandbox, args: Arguments) -> Json:
    """agents.sessions.setStatus: makes the session when there is none; only then title and initiator count."""
    channel, thread_ts = _thread(sandbox, args)
    (status,) = args.required("status")
    title, initiator = args.text("title"), args.text("initiator_user_id")
    if status not in STATUSES:
        raise Refused("invalid_arguments", response_metadata={"messages": [_expected("status", status)]})
    if len(title) > _TITLE:
        raise Refused("invalid_arguments", response_metadata={"messages": [f"[ERROR] title over {_TITLE} characters"]})
    session = sandbox.state.sessions.get((channel.id, thread_ts))
    if session is None or not session.status:
        if initiator and initiator not in channel.members:
            raise Refused("user_not_in_channel" if initiator in sandbox.state.users else "user_not_found")
        session = Session(status, title, initiator)
        sandbox.state.sessions[channel.id, thread_ts] = session
    change_status(sandbox, channel, thread_ts, status)
    return {"status": session.status, "agent_status": session.status, "title": session.title}


async def rename(sandbox: Sandbox, args: Arguments) -> Json:
    """agents.sessions.rename."""
    channel, thread_ts = _thread(sandbox, args)
    (title,) = args.required("title")
    if len(title) > _TITLE:
        raise Refused("invalid_arguments", response_metadata={"messages": [f"[ERROR] title over {_TITLE} characters"]})
    session = sandbox.state.sessions.get((channel.id, thread_ts))
    if session is None or not session.status:
        raise Refused("not_authorized")
    session.title = title
    _show(sandbox, channel, thread_ts, session)
    return {"status": session.status, "agent_status": session.status, "title": title}


def change_status(sandbox: Sandbox, channel: Channel, thread_ts: str, status: str) -> None:
    """Gives a session its status; a thread without one stays without."""
    session = sandbox.state.sessions.get((channel.id, thread_ts))
    if session and session.status:
        session.status, session.stopped_by = status, ""
        _show(sandbox, channel, thread_ts, session)


def check_status(status: str) -> str:
    """Returns: a `session_status` as given, "" for none.

    Raises:
        Refused: invalid_arguments for a word that is no status.
    """
    if status and status not in STATUSES:
        raise Refused("invalid_arguments", response_metadata={"messages": [_expected("session_status", status)]})
    return status


def stop_session(sandbox: Sandbox, channel: Channel, thread_ts: str, user: str) -> Json:
    """Does what the Stop button does: ends the app's streams in the thread and tells the app, which sets the status.

    Returns: `{ok, event_id, streaming_message_ts}`.
    Raises:
        Refused: session_not_processing when there is no Stop button to press.
    """
    session = sandbox.state.sessions.get((channel.id, thread_ts))
    if session is None or session.status != "processing":
        raise Refused("session_not_processing")
    session.stopped_by = user
    stopped = [ts for ts in channel.threads.get(thread_ts, []) if end_stream(sandbox, channel, ts)]
    sandbox.state.stopped |= {(channel.id, ts) for ts in stopped}
    _show(sandbox, channel, thread_ts, session)
    event: Json = {"type": "agent_session_stopped", "channel": channel.id, "thread_ts": thread_ts, "user": user}
    event |= {"streaming_message_ts": stopped, "event_ts": sandbox.state.next_ts()}
    return {"ok": True, "event_id": sandbox.deliveries.emit(event), "streaming_message_ts": stopped}


def end_stream(sandbox: Sandbox, channel: Channel, ts: str) -> bool:
    """Ends a stream as it stands.

    Returns: False when the message was none, or one that has ended.
    """
    stream = sandbox.state.streams.pop((channel.id, ts), None)
    if stream is None:
        return False
    channel.messages[ts]["streaming_state"] = "completed"
    show_change(sandbox, channel, channel.messages[ts])
    return True


def session_shape(session: Session | None) -> Json | None:
    """Returns: a session as the page and the control API give it."""
    return vars(session).copy() if session else None


def _thread(sandbox: Sandbox, args: Arguments) -> tuple[Channel, str]:
    channel = sandbox.joined_channel(args.text("channel_id"))
    (thread_ts,) = args.required("thread_ts")
    message = channel.messages.get(thread_ts)
    if message is None or message.get("thread_ts", thread_ts) != thread_ts:
        raise Refused("invalid_thread_ts")
    return channel, thread_ts


def _show(sandbox: Sandbox, channel: Channel, thread_ts: str, session: Session) -> None:
    place = {"channel": channel.id, "thread_ts": thread_ts}
    sandbox.page.send("session", channel.members, **place, session=session_shape(session))


def _expected(name: str, value: str) -> str:
    return f"[ERROR] {name} must be one of: {', '.join(STATUSES)}, not {value}"


METHODS = {"agents.sessions.setStatus": set_status, "agents.sessions.rename": rename}
