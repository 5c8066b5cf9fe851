"""Agent sessions and streams: what an app sets, what a person stops, and what is refused afterwards."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.support.sandbox_process import running_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


@pytest.fixture
def place(sandbox):
    said = sandbox.do("/control/message", channel="search", user="maya", text="@helper why?")
    return {"channel": said["channel"], "thread_ts": said["ts"]}


@pytest.fixture
def maya(sandbox):
    return next(user["id"] for user in sandbox.see("/client/boot")["users"] if user["name"] == "maya")


def refusal(call, **arguments):
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return caught.value.response["error"]


def thread(place):
    return {"channel_id": place["channel"], "thread_ts": place["thread_ts"]}


def sessions(sandbox, place):
    found = sandbox.channel("search")["sessions"]
    return [session for session in found if session["thread_ts"] == place["thread_ts"]]


def start(sandbox, place, maya, **others):
    team = sandbox.see("/client/boot")["team"]["id"]
    recipient = {"recipient_team_id": team, "recipient_user_id": maya}
    return sandbox.slack().chat_startStream(**place, **recipient, **others)["ts"]


def task(status, **others):
    return {"type": "task_update", "id": "1", "title": "Look", "status": status, **others}


def message(sandbox, place, ts):
    return next(item for item in sandbox.thread(place["channel"], place["thread_ts"]) if item["ts"] == ts)


def test_a_session_is_made_with_its_title_and_then_only_changes(sandbox, place, maya):
    slack = sandbox.slack()
    made = slack.agents_sessions_setStatus(**thread(place), status="processing", title="Why", initiator_user_id=maya)
    assert (made["agent_status"], made["title"]) == ("processing", "Why")
    again = slack.agents_sessions_setStatus(**thread(place), status="suspended", title="Other")
    assert (again["status"], again["title"]) == ("suspended", "Why")
    assert slack.agents_sessions_rename(**thread(place), title="Better")["title"] == "Better"
    (session,) = sessions(sandbox, place)
    assert (session["status"], session["title"], session["initiator"]) == ("suspended", "Better", maya)


def test_wrong_sessions_are_refused(sandbox, place, maya):
    slack = sandbox.slack()
    assert refusal(slack.agents_sessions_rename, **thread(place), title="x") == "not_authorized"
    assert refusal(slack.agents_sessions_setStatus, **thread(place), status="busy") == "invalid_arguments"
    long = {"status": "active", "title": "x" * 201}
    assert refusal(slack.agents_sessions_setStatus, **thread(place), **long) == "invalid_arguments"
    nowhere = thread(place) | {"thread_ts": "1000000000.000001"}
    assert refusal(slack.agents_sessions_setStatus, **nowhere, status="active") == "invalid_thread_ts"
    stranger = {"status": "active", "initiator_user_id": "U0"}
    assert refusal(slack.agents_sessions_setStatus, **thread(place), **stranger) == "user_not_found"
    assert sessions(sandbox, place) == []


def test_stop_tells_the_app_and_ends_its_streams(sandbox, place, maya):
    slack = sandbox.slack()
    stop = {"channel": place["channel"], "thread_ts": place["thread_ts"], "user": "maya"}
    assert sandbox.do("/control/stop", **stop)["error"] == "session_not_processing"
    slack.agents_sessions_setStatus(**thread(place), status="processing")
    ts = start(sandbox, place, maya, chunks=[task("in_progress")], task_display_mode="plan")
    assert ts in sandbox.channel("search")["streams"]
    stopped = sandbox.do("/control/stop", **stop)
    assert stopped["streaming_message_ts"] == [ts]
    records = sandbox.see("/control/deliveries", type="agent_session_stopped", payload="true")["deliveries"]
    event = next(item["payload"]["event"] for item in records if item["event_id"] == stopped["event_id"])
    expected = {"type": "agent_session_stopped", "user": maya, "streaming_message_ts": [ts]} | place
    assert expected.items() <= event.items()
    (session,) = sessions(sandbox, place)
    assert (session["status"], session["stopped_by"]) == ("processing", maya)
    late = {"channel": place["channel"], "ts": ts}
    assert refusal(slack.chat_appendStream, **late, markdown_text="more") == "stopped_by_user"
    assert refusal(slack.chat_stopStream, **late) == "message_not_in_streaming_state"
    slack.chat_update(**late, text="stopped")
    assert message(sandbox, place, ts)["text"] == "stopped"
    slack.agents_sessions_setStatus(**thread(place), status="active")
    assert sessions(sandbox, place)[0]["stopped_by"] == ""


def test_the_end_of_a_stream_can_set_the_session(sandbox, place, maya):
    slack = sandbox.slack()
    slack.agents_sessions_setStatus(**thread(place), status="processing")
    ts = start(sandbox, place, maya, markdown_text="Looking")
    late = {"channel": place["channel"], "ts": ts}
    assert refusal(slack.chat_stopStream, **late, session_status="done") == "invalid_arguments"
    mark = {"event_type": "reply", "event_payload": {"key": "1"}}
    ended = slack.chat_stopStream(**late, session_status="active", metadata=mark)
    assert ended["message"]["metadata"] == mark
    assert sessions(sandbox, place)[0]["status"] == "active"


def test_a_plan_keeps_its_tasks_in_one_block(sandbox, place, maya):
    slack = sandbox.slack()
    chunks = [{"type": "plan_update", "title": "Plan"}, task("pending")]
    ts = start(sandbox, place, maya, chunks=chunks, task_display_mode="plan")
    late = {"channel": place["channel"], "ts": ts}
    sources = [{"type": "url", "url": "https://example.com/a", "text": "a"}]
    slack.chat_appendStream(**late, chunks=[task("complete", output="p95 is 2 s", details="24 h", sources=sources)])
    (plan,) = message(sandbox, place, ts)["blocks"]
    (card,) = plan["tasks"]
    assert (plan["type"], plan["title"]) == ("plan", "Plan")
    assert (card["status"], card["sources"]) == ("complete", sources)
    assert card["output"]["elements"][0]["elements"][0]["text"] == "p95 is 2 s"
    slack.chat_stopStream(**late)
    assert message(sandbox, place, ts)["blocks"][0]["block_id"] == plan["block_id"]


@pytest.mark.parametrize(
    "chunk",
    [
        task("complete", title="x" * 257),
        task("complete", output="x" * 257),
        task("complete", details="x" * 257),
        task("done"),
        task("complete", sources=[{"type": "url", "url": "https://example.com"}]),
        task("complete", sources=["https://example.com"]),
        {"type": "plan_update", "title": ""},
        {"type": "task_update", "title": "no id", "status": "pending"},
        {"type": "surprise"},
    ],
)
def test_wrong_chunks_are_refused(sandbox, place, maya, chunk):
    ts = start(sandbox, place, maya, chunks=[task("pending")], task_display_mode="plan")
    append = sandbox.slack().chat_appendStream
    assert refusal(append, channel=place["channel"], ts=ts, chunks=[chunk]) == "invalid_chunks"


def test_an_unknown_display_mode_is_refused(sandbox, place, maya):
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        start(sandbox, place, maya, markdown_text="x", task_display_mode="tree")


def test_a_running_stream_is_not_updated_but_an_expired_one_is(sandbox, place, maya):
    slack = sandbox.slack()
    ts = start(sandbox, place, maya, markdown_text="Looking")
    late = {"channel": place["channel"], "ts": ts}
    assert refusal(slack.chat_update, **late, text="x") == "streaming_state_conflict"
    sandbox.do("/control/limits", unlimited=True, stream_life_s=0)
    try:
        ts = start(sandbox, place, maya, markdown_text="Looking")
    finally:
        sandbox.do("/control/limits", unlimited=True, stream_life_s=300)
    late = {"channel": place["channel"], "ts": ts}
    assert ts not in sandbox.channel("search")["streams"]
    slack.chat_update(**late, text="went on")
    assert message(sandbox, place, ts)["streaming_state"] == "completed"


def test_a_status_goes_with_a_reply_and_with_time(sandbox, place):
    slack = sandbox.slack()

    def statuses():
        return [item["status"] for item in sandbox.channel("search")["statuses"]]

    slack.assistant_threads_setStatus(**thread(place), status="is looking")
    assert statuses() == ["is looking"]
    slack.chat_postMessage(**place, text="found")
    assert statuses() == []
    sandbox.do("/control/limits", unlimited=True, status_life_s=0)
    try:
        slack.assistant_threads_setStatus(**thread(place), status="is looking")
        assert statuses() == []
    finally:
        sandbox.do("/control/limits", unlimited=True, status_life_s=120)


def kinds(sandbox, place, ts):
    return [block.get("text") or block["type"] for block in message(sandbox, place, ts)["blocks"]]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("timeline", ["before it", "task_card", "between", "task_card", "divider", "at last"]),
        ("plan", ["before it", "plan", "between", "divider", "at last"]),
    ],
)
def test_text_and_tasks_keep_their_order(sandbox, place, maya, mode, expected):
    slack = sandbox.slack()
    ts = start(sandbox, place, maya, markdown_text="before", task_display_mode=mode)
    late = {"channel": place["channel"], "ts": ts}
    slack.chat_appendStream(**late, markdown_text=" it", chunks=[task("pending")])
    between = {"type": "markdown_text", "text": "between"}
    slack.chat_appendStream(**late, chunks=[between, task("complete") | {"id": "2"}, task("complete")])
    slack.chat_appendStream(**late, chunks=[{"type": "blocks", "blocks": [{"type": "divider"}]}])
    slack.chat_stopStream(**late, markdown_text="at last")
    assert kinds(sandbox, place, ts) == expected
    assert message(sandbox, place, ts)["text"] == "before itbetweenat last"


def test_a_stream_never_grows_over_the_length_of_a_message(sandbox, place, maya):
    slack = sandbox.slack()
    ts = start(sandbox, place, maya, markdown_text="a" * 11_999)
    late = {"channel": place["channel"], "ts": ts}
    assert refusal(slack.chat_appendStream, **late, markdown_text="bb") == "msg_too_long"
    assert refusal(slack.chat_stopStream, **late, markdown_text="bb") == "msg_too_long"
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "c" * 1_300}}
    assert refusal(slack.chat_stopStream, **late, blocks=[section]) == "msg_blocks_too_long"
    fifty_one = [{"type": "blocks", "blocks": [{"type": "divider"}] * count} for count in (50, 1)]
    assert refusal(slack.chat_appendStream, **late, chunks=fifty_one) == "msg_blocks_too_many"
    slack.chat_appendStream(**late, markdown_text="b")
    slack.chat_stopStream(**late)
    assert message(sandbox, place, ts)["text"] == "a" * 11_999 + "b"
