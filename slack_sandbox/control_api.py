"""What tests use: `/control/*`. Events made and repeated, faults, limits, and a look at everything."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette import status

from slack_sandbox.api_objects import channel_shape, file_shape, message_shape, user_shape
from slack_sandbox.faults import Action, Fault
from slack_sandbox.methods_assistant import status_of
from slack_sandbox.methods_reactions_and_pins import list_items
from slack_sandbox.methods_streams import open_stream
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json
from slack_sandbox.user_actions import act


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EventBody(_Body):
    """`POST /control/event`: an inner event, sent `deliveries` times in any case."""

    event: dict[str, Any]
    deliveries: Annotated[int, Field(ge=1, le=100)] = 1
    team: str = ""


class RepeatBody(_Body):
    """`POST /control/redeliver`."""

    event_id: str


class FaultBody(_Body):
    """`POST /control/faults`."""

    method: str
    action: Action
    times: Annotated[int, Field(ge=1)] | None = None
    status: Annotated[int, Field(ge=400, le=599)] = 500
    seconds: Annotated[float, Field(ge=0, le=600)] = 1.0
    match: dict[str, str] = {}


class LimitsBody(_Body):
    """`POST /control/limits`: calls by method (None lifts a limit), posts in a channel, waits of events and streams.

    `app`: first Slack's own limits, of an app of that kind; `unlimited`: first none.
    """

    app: Literal["internal", "distributed"] | None = None

    per_minute: dict[str, float | None] = {}
    post_per_second: Annotated[float, Field(gt=0)] | None = 1.0
    post_burst: Annotated[float, Field(ge=1)] = 10.0
    unlimited: bool = False
    ack_timeout_s: Annotated[float, Field(gt=0)] | None = None
    retry_delays_s: tuple[float, ...] | None = None
    stream_life_s: Annotated[float, Field(ge=0)] | None = None
    status_life_s: Annotated[float, Field(ge=0)] | None = None


class PassBody(_Body):
    """`POST /control/pass`: so many seconds pass for the limits of calls, at once."""

    seconds: Annotated[float, Field(ge=0)]


class DisconnectBody(_Body):
    """`POST /control/disconnect`."""

    reason: Literal["refresh_requested", "warning", "link_disabled"] = "refresh_requested"


def control_api(sandbox: Sandbox, abort_sockets: Callable[[], None]) -> APIRouter:
    """Returns: the routes of the control API; `abort_sockets` breaks every Socket Mode connection."""
    router = APIRouter(prefix="/control")
    _add_events(router, sandbox)
    _add_faults(router, sandbox, abort_sockets)
    _add_views(router, sandbox)

    @router.post("/{verb}")
    async def do(verb: str, body: dict[str, Any], response: Response) -> Json:
        answer = await act(sandbox, verb, sandbox.state.me, body)
        if not answer["ok"] and answer.get("error") in {"unknown_verb", "channel_not_found", "user_not_found"}:
            response.status_code = status.HTTP_404_NOT_FOUND
        return answer

    return router


def _add_events(router: APIRouter, sandbox: Sandbox) -> None:
    @router.post("/event")
    async def event(body: EventBody) -> Json:
        team_id = sandbox.grants.team(body.team).id
        event_id = sandbox.deliveries.emit(body.event, deliveries=body.deliveries, team_id=team_id)
        return {"ok": True, "event_id": event_id}

    @router.post("/redeliver")
    async def redeliver(body: RepeatBody, response: Response) -> Json:
        known = sandbox.deliveries.repeat(body.event_id)
        response.status_code = status.HTTP_200_OK if known else status.HTTP_404_NOT_FOUND
        return {"ok": known}

    @router.post("/disconnect")
    async def disconnect(body: DisconnectBody) -> Json:
        return {"ok": True, "connections": await sandbox.socket.disconnect(body.reason)}

    @router.post("/verify-url")
    async def verify_url() -> Json:
        reply = await sandbox.http.verify_url(sandbox.token)
        return {"ok": reply.ok, "result": reply.result}

    @router.post("/limits")
    async def limits(body: LimitsBody) -> Json:
        _set_limits(sandbox, body)
        return {"ok": True}

    @router.post("/pass")
    async def time_passes(body: PassBody) -> Json:
        sandbox.rates.ahead_s += body.seconds
        return {"ok": True}


def _add_faults(router: APIRouter, sandbox: Sandbox, abort_sockets: Callable[[], None]) -> None:
    @router.post("/faults")
    async def add_fault(body: FaultBody) -> Json:
        sandbox.faults.wishes.append(Fault(**body.model_dump()))
        if body.action == "down":
            abort_sockets()
        return {"ok": True, "faults": [vars(wish) for wish in sandbox.faults.wishes]}

    @router.delete("/faults")
    async def clear_faults() -> Json:
        sandbox.faults.clear()
        return {"ok": True}

    @router.post("/release")
    async def release() -> Json:
        held = sandbox.faults.held
        sandbox.faults.release()
        return {"ok": True, "released": held}


def _add_views(router: APIRouter, sandbox: Sandbox) -> None:
    @router.get("/state")
    async def state(channel: str = "") -> Json:
        return _everything(sandbox, [sandbox.channel(channel)] if channel else list(sandbox.state.channels.values()))

    @router.get("/calls")
    async def calls(method: str = "", since: float = 0.0) -> Json:
        return {"calls": sandbox.calls.since(method, since)}

    @router.get("/deliveries")
    async def deliveries(type: str = "", *, payload: bool = False) -> Json:  # noqa: A002
        records = sandbox.deliveries.records.values()
        chosen = [record.shape(with_payload=payload) for record in records if type in {"", record.type}]
        return {"deliveries": chosen, "connections": len(sandbox.socket.connections)}


def _set_limits(sandbox: Sandbox, body: LimitsBody) -> None:
    given = body.model_fields_set
    rates = sandbox.rates
    if body.app:
        rates.of_app(distributed=body.app == "distributed")
    if body.unlimited:
        rates.per_minute, rates.post_per_second = dict.fromkeys(rates.per_minute), None
    rates.per_minute |= body.per_minute
    if "post_per_second" in given:
        rates.post_per_second = body.post_per_second
    if "post_burst" in given:
        rates.post_burst = body.post_burst
    if body.ack_timeout_s is not None:
        sandbox.socket.ack_timeout_s = sandbox.http.ack_timeout_s = body.ack_timeout_s
    if body.retry_delays_s is not None:
        sandbox.deliveries.retry_delays_s = body.retry_delays_s
    if body.stream_life_s is not None:
        sandbox.state.stream_life_s = body.stream_life_s
    if body.status_life_s is not None:
        sandbox.state.status_life_s = body.status_life_s
    rates.reset()


def _everything(sandbox: Sandbox, channels: list[Channel]) -> Json:
    state = sandbox.state
    files = [file_shape(sandbox.config, state, file) | {"completed": file.completed} for file in state.files.values()]
    return {
        "team": {"id": state.team_id, "name": state.team_name},
        "teams": [vars(team) for team in sandbox.grants.teams.values()],
        "grants": [
            {"team": grant.team.id, "scopes": grant.scopes, "refusal": grant.refusal}
            for grant in sandbox.grants.grants.values()
        ],
        "me": state.me,
        "bot": {"user_id": state.bot_user, "bot_id": state.bot_id, "app_id": state.app_id},
        "users": [user_shape(state, user) for user in state.users.values()],
        "channels": [_channel(sandbox, channel) for channel in channels],
        "files": files,
        "views": list(state.views.values()),
        "homes": state.homes,
        "connections": len(sandbox.socket.connections),
    }


def _channel(sandbox: Sandbox, channel: Channel) -> Json:
    threads = [ts for place, ts in sandbox.state.statuses if place == channel.id]
    marked = [
        {"channel": channel.id, "thread_ts": ts, **status}
        for ts in threads
        if (status := status_of(sandbox.state, channel, ts))
    ]
    sessions = [
        {"channel": place, "thread_ts": ts, **vars(session)}
        for (place, ts), session in sandbox.state.sessions.items()
        if place == channel.id and session.status
    ]
    prompts = [
        {"thread_ts": ts, **prompt} for (place, ts), prompt in sandbox.state.prompts.items() if place == channel.id
    ]
    return channel_shape(sandbox.state, channel) | {
        "members": channel.members,
        "messages": [message_shape(message, with_metadata=True) for message in channel.messages.values()],
        "ephemerals": [{"user": item.user, "message": item.message} for item in channel.ephemerals.values()],
        "pins": list_items(channel),
        "bookmarks": list(channel.bookmarks.values()),
        "statuses": marked,
        "sessions": sessions,
        "streams": [ts for ts in channel.messages if open_stream(sandbox, channel, ts)],
        "prompts": prompts,
    }
