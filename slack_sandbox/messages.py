"""Posting, editing and deleting messages: what is stored, what pages see, and which events the app gets."""

import re
import uuid

from slack_sandbox.api_objects import bot_profile, message_shape
from slack_sandbox.block_tree import with_all_ids
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import SLACKBOT, Channel, Ephemeral, Json
from slack_sandbox.typed_text import rich_text_of

_TS = re.compile(r"\d{10}\.\d{6}")


def thread_root(channel: Channel, thread_ts: str) -> str:
    """Returns: the ts of the message that a reply to `thread_ts` hangs on; "" for none.

    Raises:
        Refused: invalid_thread_ts when it has not the form of a ts, thread_not_found when no message has it.
    """
    if not thread_ts:
        return ""
    if not _TS.fullmatch(thread_ts):
        raise Refused("invalid_thread_ts")
    message = channel.messages.get(thread_ts)
    if message is None:
        raise Refused("thread_not_found")
    return str(message.get("thread_ts", thread_ts))


def message_at(channel: Channel, ts: str) -> Json:
    """Returns: the message with this ts.

    Raises:
        Refused: message_not_found.
    """
    message = channel.messages.get(ts)
    if message is None:
        raise Refused("message_not_found")
    return message


def post_as_bot(
    sandbox: Sandbox, channel: Channel, fields: Json, *, thread_ts: str = "", broadcast: bool = False
) -> Json:
    """Stores a message of the app.

    Returns: the message as stored.
    """
    message = _bot_fields(sandbox) | with_all_ids(fields)
    if broadcast and thread_ts:
        message["subtype"] = "thread_broadcast"
    return _store(sandbox, channel, message, thread_ts=thread_ts, deliveries=1)[0]


def post_as_user(
    sandbox: Sandbox,
    channel: Channel,
    user: str,
    text: str,
    *,
    thread_ts: str = "",
    deliveries: int = 1,
    team_id: str = "",
) -> tuple[str, list[str]]:
    """Stores what a person wrote and tells the app, in the person's workspace (`team_id`, home for "").

    Returns: the message's ts and the ids of its events.
    """
    if user == sandbox.state.bot_user:
        message = _bot_fields(sandbox) | {"text": text}
    else:
        message = {"client_msg_id": str(uuid.uuid4()), "type": "message", "user": user}
        message |= {"team": team_id or sandbox.state.team_id, "text": text, "blocks": rich_text_of(text)}
    stored, event_ids = _store(sandbox, channel, message, thread_ts=thread_ts, deliveries=deliveries)
    return stored["ts"], event_ids


def post_as_written(sandbox: Sandbox, channel: Channel, message: Json) -> Json:
    """Stores a message of anyone, other apps included, as it is given, and tells the app.

    Returns: the message as stored.
    """
    fields = with_all_ids({key: value for key, value in message.items() if key not in {"ts", "thread_ts"}})
    thread_ts = str(message.get("thread_ts") or "")
    return _store(sandbox, channel, fields, thread_ts=thread_ts, deliveries=1)[0]


def post_note(sandbox: Sandbox, channel: Channel, user: str, words: str, fields: Json) -> None:
    """Posts what Slack itself says of a change that a user made, such as a new topic."""
    message = {"type": "message", "user": user, "text": f"<@{user}> {words}", "team": sandbox.state.team_id}
    _store(sandbox, channel, message | fields, thread_ts="", deliveries=1)


def post_ephemeral(sandbox: Sandbox, channel: Channel, user: str, fields: Json, *, thread_ts: str = "") -> str:
    """Shows a message of the app to one user only.

    Returns: its ts.
    """
    return _show_to(sandbox, channel, user, _bot_fields(sandbox) | with_all_ids(fields), thread_ts)


def post_notice(sandbox: Sandbox, channel: Channel, user: str, text: str) -> str:
    """Shows a message of Slack itself to one user only.

    Returns: its ts.
    """
    return _show_to(sandbox, channel, user, {"type": "message", "user": SLACKBOT, "text": text}, "")


def _show_to(sandbox: Sandbox, channel: Channel, user: str, message: Json, thread_ts: str) -> str:
    message |= {"ts": sandbox.state.next_ts(), "ephemeral": True, "is_ephemeral": True}
    if thread_ts:
        message["thread_ts"] = thread_ts
    channel.ephemerals[message["ts"]] = Ephemeral(user, message)
    sandbox.page.send("ephemeral", [user], channel=channel.id, message=message)
    return str(message["ts"])


def edit_message(sandbox: Sandbox, channel: Channel, message: Json, fields: Json, *, by: str = "") -> None:
    """Replaces fields of a message; a field of None is removed. Without `by` it does not count as edited."""
    before = message_shape(message)
    message.update(with_all_ids(fields))
    for name in [name for name, value in fields.items() if value is None]:
        message.pop(name, None)
    if by:
        message["edited"] = {"user": by, "ts": sandbox.state.next_ts()}
    show_change(sandbox, channel, message)
    emit_change(sandbox, channel, {"subtype": "message_changed", "message": message_shape(message)}, before)


def change_ephemeral(sandbox: Sandbox, channel: Channel, ts: str, fields: Json) -> None:
    """Replaces text, blocks and attachments of a message that one user sees."""
    ephemeral = channel.ephemerals[ts]
    for name in ("blocks", "attachments"):
        ephemeral.message.pop(name, None)
    ephemeral.message.update(with_all_ids(fields))
    sandbox.page.send("changed", [ephemeral.user], channel=channel.id, message=ephemeral.message)


def delete_message(sandbox: Sandbox, channel: Channel, message: Json) -> None:
    """Removes a message; a thread's replies stay, as in Slack, and their root becomes a tombstone."""
    ts, root = message["ts"], message.get("thread_ts", "")
    before = message_shape(message)
    channel.pins.pop(ts, None)
    if channel.threads.get(ts):
        message.update(text="This message was deleted.", subtype="tombstone", user=SLACKBOT, hidden=True)
        for name in ("blocks", "attachments", "files", "metadata", "bot_id", "bot_profile", "app_id"):
            message.pop(name, None)
        show_change(sandbox, channel, message)
    else:
        del channel.messages[ts]
        if ts in channel.top:
            channel.top.remove(ts)
        sandbox.page.send("deleted", channel.members, channel=channel.id, ts=ts, thread_ts=root)
        if root and root != ts:
            channel.threads[root].remove(ts)
            _count_replies(channel, root)
            show_change(sandbox, channel, channel.messages[root])
    emit_change(sandbox, channel, {"subtype": "message_deleted", "deleted_ts": ts}, before)


def show_change(sandbox: Sandbox, channel: Channel, message: Json) -> None:
    """Tells pages that a message looks different now."""
    sandbox.page.send("changed", channel.members, channel=channel.id, message=message_shape(message))


def emit_change(sandbox: Sandbox, channel: Channel, fields: Json, before: Json) -> None:
    """Tells the app of an edited or deleted message, where it is a member."""
    if sandbox.state.bot_user in channel.members:
        ts = sandbox.state.next_ts()
        place = {"channel": channel.id, "channel_type": channel.kind, "ts": ts, "event_ts": ts, "hidden": True}
        sandbox.deliveries.emit({"type": "message", **fields, **place, "previous_message": before})


def _bot_fields(sandbox: Sandbox) -> Json:
    state = sandbox.state
    return {
        "type": "message",
        "user": state.bot_user,
        "bot_id": state.bot_id,
        "app_id": state.app_id,
        "team": state.team_id,
        "bot_profile": bot_profile(state),
        "text": "",
    }


def _store(
    sandbox: Sandbox, channel: Channel, message: Json, *, thread_ts: str, deliveries: int
) -> tuple[Json, list[str]]:
    ts = sandbox.state.next_ts()
    message["ts"] = ts
    root = thread_root(channel, thread_ts)
    channel.messages[ts] = message
    if root:
        message["thread_ts"] = root
        message["parent_user_id"] = _author(channel.messages[root])
        channel.threads.setdefault(root, []).append(ts)
        if "bot_id" in message:
            sandbox.state.statuses.pop((channel.id, root), None)
        _count_replies(channel, root)
    if not root or message.get("subtype") == "thread_broadcast":
        channel.top.append(ts)
    for member in channel.members:
        if member != _author(message):
            channel.unread[member] = channel.unread.get(member, 0) + 1
    sandbox.page.send("message", channel.members, channel=channel.id, message=message_shape(message))
    if root:
        show_change(sandbox, channel, channel.messages[root])
    return message, _emit_message(sandbox, channel, message, deliveries)


def _author(message: Json) -> str:
    """Returns: the user who wrote it; the bot's id where another app has no user."""
    return str(message.get("user") or message.get("bot_id", ""))


def _count_replies(channel: Channel, root: str) -> None:
    parent, replies = channel.messages[root], channel.threads[root]
    if not replies:
        for name in ("thread_ts", "reply_count", "reply_users", "reply_users_count", "latest_reply", "subscribed"):
            parent.pop(name, None)
        return
    users = list(dict.fromkeys(_author(channel.messages[ts]) for ts in replies))
    parent.update(
        thread_ts=root,
        reply_count=len(replies),
        reply_users=users,
        reply_users_count=len(users),
        latest_reply=replies[-1],
        subscribed=False,
        is_locked=False,
    )


def _emit_message(sandbox: Sandbox, channel: Channel, message: Json, deliveries: int) -> list[str]:
    state = sandbox.state
    if state.bot_user not in channel.members:
        return []
    event = message_shape(message) | {"channel": channel.id, "event_ts": message["ts"]}
    if message.get("files"):
        event["subtype"] = "file_share"
    kinds = ["message"]
    if "bot_id" not in message and not channel.is_im and f"<@{state.bot_user}>" in message["text"]:
        kinds.append("app_mention")
    place = {"message": {"channel_type": channel.kind}}
    team_id = "" if "bot_id" in message else message["team"]
    told = (event | {"type": kind} | place.get(kind, {}) for kind in kinds)
    ids = [sandbox.deliveries.emit(each, deliveries=deliveries, team_id=team_id) for each in told]
    return [event_id for event_id in ids if event_id]
