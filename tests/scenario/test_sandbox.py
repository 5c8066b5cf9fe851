"""A Bolt app that knows nothing of the sandbox works against it, over Socket Mode and over HTTP, in bad weather too."""

import os
import signal
import subprocess
import sys

import pytest
from slack_sdk.errors import SlackApiError

from tests.support.sandbox_bolt_app import free_listener, over_http, over_socket_mode
from tests.support.sandbox_process import running_sandbox, start_process, until

COMMAND = ("--command", "/ask=Ask something|QUESTION")


@pytest.fixture(scope="module", params=["socket", "http"])
def connected(request):
    """A sandbox with a Bolt app connected to it, and what reached the app."""
    seen = []
    if request.param == "socket":
        with running_sandbox(*COMMAND) as sandbox, over_socket_mode(sandbox.address, seen):
            yield sandbox, seen
        return
    listener = free_listener()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/slack/events"
    urls = ("--events-url", url, "--interactivity-url", url, "--commands-url", url)
    with running_sandbox(*COMMAND, *urls) as sandbox, over_http(sandbox.address, seen, listener):
        yield sandbox, seen


@pytest.fixture
def house(connected):
    """The same, where nothing has reached the app so far."""
    connected[1].clear()
    return connected


@pytest.fixture
def socket_house():
    seen = []
    with running_sandbox(*COMMAND) as sandbox, over_socket_mode(sandbox.address, seen):
        yield sandbox, seen


def mention(sandbox, **others):
    return sandbox.do("/control/message", channel="search", user="maya", text="@helper hello", **others)


def answers(sandbox, said):
    return sandbox.thread(said["channel"], said["ts"])[1:]


def test_a_mention_is_answered_and_its_buttons_work(house):
    sandbox, seen = house
    said = mention(sandbox)
    (hello,) = until(lambda: answers(sandbox, said))
    assert hello["text"] == "Hello"
    assert {kind for kind, *_ in seen} == {"event_callback"}
    place = {"channel": said["channel"], "message_ts": hello["ts"], "block_id": "menu"}
    assert sandbox.do("/client/action", **place, action_id="more")["ok"]
    assert until(lambda: answers(sandbox, said)[1:])[0]["text"] == "more: 42"
    assert sandbox.do("/client/action", **place, action_id="gone") == {"ok": False, "error": "action_not_found"}


def test_a_modal_is_opened_refused_submitted_and_closed(house):
    sandbox, seen = house
    said = mention(sandbox)
    (hello,) = until(lambda: answers(sandbox, said))
    order = {"channel": said["channel"], "message_ts": hello["ts"], "block_id": "menu", "action_id": "order"}

    def open_view():
        sandbox.do("/client/action", **order)
        return until(lambda: sandbox.see("/control/state")["views"])[0]["id"]

    def submit(view, text):
        values = {"what": {"text": {"type": "plain_text_input", "value": text}}}
        return sandbox.do("/client/view", view_id=view, state={"values": values})

    view = open_view()
    assert "what" in submit(view, "")["errors"]
    assert submit(view, "nothing") == {
        "ok": True,
        "response_action": "errors",
        "errors": {"what": "Something, please."},
    }
    assert submit(view, "tea") == {"ok": True}
    direct = sandbox.slack().conversations_open(users=sandbox.see("/client/boot")["me"])["channel"]["id"]
    assert until(lambda: sandbox.see("/client/history", channel=direct)["messages"])[0]["text"] == "ordered: tea"
    assert sandbox.do("/client/view", view_id=open_view(), close=True) == {"ok": True}
    assert seen[-1][0] == "view_closed" or until(lambda: seen[-1][0] == "view_closed")
    assert sandbox.see("/control/state")["views"] == []


def test_a_command_and_the_home_tab(house):
    sandbox, _ = house
    assert sandbox.do("/client/command", channel="general", text="/ask why?") == {"ok": True}
    (shown,) = sandbox.see("/client/history", channel="general")["messages"]
    assert (shown["text"], shown["ephemeral"]) == ("you asked: why?", True)
    assert not sandbox.do("/client/command", channel="general", text="/sing")["ok"]
    sandbox.see("/client/home")
    home = until(lambda: sandbox.see("/control/state")["homes"])
    assert next(iter(home.values()))["blocks"][0]["text"]["text"] == "Welcome home"


def test_an_event_delivered_three_times_is_the_same_event(house):
    sandbox, seen = house
    said = mention(sandbox, deliveries=3)
    until(lambda: len(seen) >= 6)
    ids = [body["event_id"] for kind, body, _ in seen if kind == "event_callback" and body["event"]["ts"] == said["ts"]]
    assert sorted(ids) == sorted(said["event_ids"] * 3)
    until(lambda: len(answers(sandbox, said)) == 3)
    record = next(
        item for item in sandbox.see("/control/deliveries")["deliveries"] if item["event_id"] == said["event_ids"][0]
    )
    assert [attempt["number"] for attempt in record["attempts"]] == [0, 1, 2]
    assert sandbox.do("/control/redeliver", event_id=said["event_ids"][1]) == {"ok": True}
    until(lambda: len(answers(sandbox, said)) == 4)
    assert sandbox.do("/control/redeliver", event_id="Ev0") == {"ok": False}


def test_http_requests_are_signed_and_the_url_is_verified():
    listener, seen = free_listener(), []
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/slack/events"
    with running_sandbox("--events-url", url, "--signing-secret", "right") as sandbox:
        with over_http(sandbox.address | {"signing_secret": "wrong"}, seen, listener):
            said = mention(sandbox)
            until(lambda: attempts(sandbox, said)[0]["result"] == "http_error")
            assert seen == []
            assert not sandbox.do("/control/verify-url")["ok"]
        right = free_listener()
    url = f"http://127.0.0.1:{right.getsockname()[1]}/slack/events"
    with running_sandbox("--events-url", url) as sandbox, over_http(sandbox.address, seen, right):
        assert sandbox.do("/control/verify-url") == {"ok": True, "result": "acknowledged"}


def attempts(sandbox, said):
    records = sandbox.see("/control/deliveries")["deliveries"]
    return next(record["attempts"] for record in records if record["event_id"] == said["event_ids"][0]) or [
        {"result": ""}
    ]


def test_what_is_not_acknowledged_is_sent_again_three_times():
    with running_sandbox(*COMMAND) as sandbox:
        sandbox.do("/control/limits", ack_timeout_s=0.1, retry_delays_s=[0, 0.05, 0.1])
        said = mention(sandbox)
        until(lambda: len(attempts(sandbox, said)) == 4 and attempts(sandbox, said)[-1]["result"] != "under way")
        assert {attempt["result"] for attempt in attempts(sandbox, said)} == {"no_connection"}
        answer = sandbox.do("/client/command", channel="general", text="/ask why?")
        assert answer == {"ok": False, "error": "dispatch_failed"}
        (notice,) = sandbox.see("/client/history", channel="general")["messages"]
        assert notice["text"] == '/ask failed with the error "dispatch_failed"'
        seen = []
        sandbox.do("/control/limits", ack_timeout_s=5)
        with over_socket_mode(sandbox.address, seen):
            said = mention(sandbox)
            until(lambda: answers(sandbox, said))


def test_a_command_that_nobody_acknowledges_is_shown_as_failed():
    with (
        running_sandbox("--command", "/other", "--ack-timeout", "0.3") as sandbox,
        over_socket_mode(sandbox.address, []),
    ):
        answer = sandbox.do("/client/command", channel="general", text="/other why?")
        assert answer == {"ok": False, "error": "operation_timeout"}
        (notice,) = sandbox.see("/client/history", channel="general")["messages"]
        assert notice["text"] == '/other failed with the error "operation_timeout"'


def test_the_socket_reconnects_when_it_is_told_to(socket_house):
    sandbox, _ = socket_house
    assert sandbox.do("/control/disconnect") == {"ok": True, "connections": 1}
    said = mention(sandbox)
    until(lambda: answers(sandbox, said), seconds=20)


def test_a_post_whose_connection_was_dropped_is_in_the_thread(socket_house):
    sandbox, _ = socket_house
    slack = sandbox.slack()
    sandbox.do("/control/faults", method="chat.postMessage", action="drop_after", times=1, match={"text": "lost?"})
    slack.chat_postMessage(channel="payments", text="other")
    with pytest.raises((ConnectionError, OSError)):
        slack.chat_postMessage(channel="payments", text="lost?")
    slack.chat_postMessage(channel="payments", text="again")
    texts = [message["text"] for message in sandbox.see("/client/history", channel="payments")["messages"]]
    assert texts == ["other", "lost?", "again"]
    calls = sandbox.see("/control/calls", method="chat.postMessage")["calls"]
    assert [call["fault"] for call in calls] == ["", "drop_after", ""]


def test_errors_limits_and_holds(socket_house):
    sandbox, _ = socket_house
    slack = sandbox.slack(timeout=1)
    sandbox.do("/control/faults", method="chat.postMessage", action="error", status=503, times=1)
    with pytest.raises(SlackApiError) as caught:
        slack.chat_postMessage(channel="payments", text="a")
    assert caught.value.response.status_code == 503
    sandbox.do("/control/faults", method="chat.postMessage", action="ratelimit", seconds=7, times=1)
    with pytest.raises(SlackApiError) as caught:
        slack.chat_postMessage(channel="payments", text="b")
    assert caught.value.response.headers["Retry-After"] == "7"
    sandbox.do("/control/faults", method="chat.postMessage", action="hold")
    with pytest.raises(TimeoutError):
        slack.chat_postMessage(channel="payments", text="c")
    assert sandbox.do("/control/release")["ok"]
    sandbox.http.delete("/control/faults")
    slack.chat_postMessage(channel="payments", text="d")
    texts = [message["text"] for message in sandbox.see("/client/history", channel="payments")["messages"]]
    assert texts == ["c", "d"]


def test_slack_limits_posts_in_a_channel(socket_house):
    sandbox, _ = socket_house
    slack = sandbox.slack()
    sandbox.do("/control/limits", post_burst=2, post_per_second=0.5)
    for text in "ab":
        slack.chat_postMessage(channel="payments", text=text)
    with pytest.raises(SlackApiError) as caught:
        slack.chat_postMessage(channel="#payments", text="c")
    assert (caught.value.response.status_code, caught.value.response["error"]) == (429, "ratelimited")
    assert caught.value.response.headers["Retry-After"] == "2"
    slack.chat_postMessage(channel="search", text="d")


def test_an_outage_closes_everything_until_it_is_over():
    with running_sandbox("--ack-timeout", "30") as sandbox, over_socket_mode(sandbox.address, [], ping_interval=0.5):
        check_outage(sandbox)


def check_outage(sandbox):
    sandbox.do("/control/faults", method="*", action="down")
    assert sandbox.see("/control/state")["connections"] == 0
    with pytest.raises((ConnectionError, OSError)):
        sandbox.slack().auth_test()
    said = mention(sandbox)
    sandbox.http.delete("/control/faults")
    until(lambda: answers(sandbox, said), seconds=40)


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly(signum):
    process = start_process()
    process.stdout.readline()
    process.send_signal(signum)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0


def test_it_ends_with_its_parent():
    sandbox = "subprocess.Popen([sys.executable, '-m', 'slack_sandbox', '--port', '0', '--exit-with-parent'])"
    child = f"import subprocess, sys; print({sandbox}.pid, flush=True); sys.stdin.read()"
    parent = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid, address = sorted((parent.stdout.readline() for _ in range(2)), key=len)
    assert address.startswith("{")
    parent.kill()
    parent.communicate(timeout=60)
    until(lambda: not is_alive(int(pid)))


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
