"""The Web API as slack_sdk's client sees it, against a sandbox in a process of its own."""

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.models.messages.chunk import MarkdownTextChunk, TaskUpdateChunk

from tests.support.sandbox_process import running_sandbox

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x08\x08\x06\x00\x00\x00"


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True)
        yield running


@pytest.fixture
def slack(sandbox):
    return sandbox.slack()


def refusal(call, **arguments):
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return caught.value.response["error"]


def say(sandbox, text="hello", **others):
    return sandbox.do("/control/message", channel="search", user="maya", text=text, **others)


def test_tokens_are_checked(sandbox, slack):
    assert slack.auth_test()["bot_id"].startswith("B")
    stranger = WebClient(token="xoxb-other", base_url=sandbox.address["api_url"])
    assert refusal(stranger.auth_test) == "invalid_auth"
    assert sandbox.http.post("/api/auth.test").json() == {"ok": False, "error": "not_authed"}
    assert refusal(slack.apps_connections_open, app_token=sandbox.address["bot_token"]) == "not_allowed_token_type"
    assert refusal(slack.api_call, api_method="chat.sing") == "unknown_method"


def test_arguments_come_as_form_json_or_query(sandbox):
    headers = {"Authorization": f"Bearer {sandbox.address['bot_token']}"}
    channel = sandbox.channel("search")["id"]
    blocks = '[{"type":"divider"}]'
    for request in (
        {"data": {"channel": channel, "text": "x", "blocks": blocks}},
        {"json": {"channel": channel, "text": "x", "blocks": [{"type": "divider"}]}},
        {"params": {"channel": channel, "text": "x", "blocks": blocks}},
        {
            "data": {"channel": channel, "text": "x", "blocks": blocks, "token": sandbox.address["bot_token"]},
            "headers": {},
        },
    ):
        answer = sandbox.http.post("/api/chat.postMessage", **({"headers": headers} | request)).json()
        assert answer["message"]["blocks"][0]["type"] == "divider", answer
    broken = sandbox.http.post(
        "/api/chat.postMessage", headers=headers | {"Content-Type": "application/json"}, content=b"{"
    )
    assert broken.json()["error"] == "invalid_json"


def test_a_reply_is_counted_on_its_thread(sandbox, slack):
    root = say(sandbox)
    answer = slack.chat_postMessage(channel=root["channel"], thread_ts=root["ts"], text="hi")
    assert float(answer["ts"]) > float(root["ts"])
    replies = slack.conversations_replies(channel=root["channel"], ts=root["ts"])["messages"]
    assert [message["text"] for message in replies] == ["hello", "hi"]
    assert replies[0]["reply_count"] == 1
    assert replies[0]["latest_reply"] == answer["ts"]
    assert replies[1]["bot_profile"]["name"] == "helper"
    nested = slack.chat_postMessage(channel=root["channel"], thread_ts=answer["ts"], text="deeper")
    assert nested["message"]["thread_ts"] == root["ts"]
    history = slack.conversations_history(channel=root["channel"])["messages"]
    assert history[0]["ts"] == root["ts"]
    slack.chat_delete(channel=root["channel"], ts=answer["ts"])
    assert slack.conversations_replies(channel=root["channel"], ts=root["ts"])["messages"][0]["reply_count"] == 1


def test_metadata_is_given_only_to_those_who_ask(sandbox, slack):
    root = say(sandbox)
    metadata = {"event_type": "answered", "event_payload": {"id": "r1"}}
    slack.chat_postMessage(channel=root["channel"], thread_ts=root["ts"], text="hi", metadata=metadata)
    place = {"channel": root["channel"], "ts": root["ts"]}
    assert "metadata" not in slack.conversations_replies(**place)["messages"][1]
    assert slack.conversations_replies(**place, include_all_metadata=True)["messages"][1]["metadata"] == metadata
    assert refusal(slack.chat_postMessage, channel="search", text="x", metadata={"event_type": "x"}) == (
        "invalid_metadata_format"
    )


def test_posts_are_refused_as_slack_refuses_them(sandbox, slack):
    def post(**arguments):
        return refusal(slack.chat_postMessage, **arguments)

    assert post(channel="nowhere", text="x") == "channel_not_found"
    assert post(channel="random", text="x") == "not_in_channel"
    me = sandbox.see("/client/boot")["me"]
    for name in ("search", "#search", me):
        assert refusal(slack.conversations_history, channel=name) == "channel_not_found"
        assert refusal(slack.chat_update, channel=name, ts="1.2", text="x") == "channel_not_found"
    assert refusal(slack.chat_postEphemeral, channel=me, user=me, text="x") == "channel_not_found"
    assert post(channel="search", attachments=[{"fallback": "f"}] * 101) == "too_many_attachments"
    nothing = sandbox.http.post("/api/chat.postMessage", data={"channel": "search", "token": slack.token})
    assert nothing.json()["error"] == "no_text"
    assert post(channel="search", text="a" * 40_001) == "msg_too_long"
    assert post(channel="search", text="x", thread_ts="1700000000.000001") == "thread_not_found"
    assert post(channel="search", text="x", thread_ts="soon") == "invalid_thread_ts"
    assert post(channel="search", text="x", blocks="nonsense") == "invalid_blocks_format"
    with pytest.raises(SlackApiError) as caught:
        slack.chat_postMessage(
            channel="search", text="x", blocks=[{"type": "header", "text": {"type": "plain_text", "text": "h" * 151}}]
        )
    assert caught.value.response["response_metadata"]["messages"] == [
        "[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]"
    ]


def test_history_comes_in_pages(sandbox, slack):
    slack.conversations_join(channel=sandbox.channel("random")["id"])
    stamps = [slack.chat_postMessage(channel="random", text=str(n))["ts"] for n in range(7)]
    channel = sandbox.channel("random")["id"]
    seen = [m["ts"] for page in slack.conversations_history(channel=channel, limit=3) for m in page["messages"]]
    assert seen == stamps[::-1]
    some = slack.conversations_history(channel=channel, oldest=stamps[2], latest=stamps[5])["messages"]
    assert [m["ts"] for m in some] == [stamps[4], stamps[3]]
    some = slack.conversations_history(channel=channel, oldest=stamps[2], latest=stamps[5], inclusive=True)["messages"]
    assert len(some) == 4
    assert refusal(slack.conversations_history, channel=channel, cursor="!") == "invalid_cursor"
    assert refusal(slack.conversations_history, channel=channel, limit="many") == "invalid_limit"


def test_updates_and_deletes_touch_only_the_apps_own(sandbox, slack):
    root = say(sandbox)
    mine = slack.chat_postMessage(channel=root["channel"], text="a", blocks=[{"type": "divider"}])
    updated = slack.chat_update(channel=root["channel"], ts=mine["ts"], text="b")
    assert updated["message"]["text"] == "b"
    assert "blocks" not in updated["message"]
    assert updated["message"]["edited"]["user"] == slack.auth_test()["user_id"]
    assert refusal(slack.chat_update, channel=root["channel"], ts=root["ts"], text="b") == "cant_update_message"
    assert refusal(slack.chat_delete, channel=root["channel"], ts=root["ts"]) == "cant_delete_message"
    slack.chat_delete(channel=root["channel"], ts=mine["ts"])
    assert refusal(slack.chat_update, channel=root["channel"], ts=mine["ts"], text="c") == "message_not_found"


def test_a_file_is_uploaded_shared_and_used_in_a_block(sandbox, slack):
    root = say(sandbox)
    done = slack.files_upload_v2(
        content=PNG, filename="c.png", title="Chart", channel=root["channel"], thread_ts=root["ts"]
    )
    file = slack.files_info(file=done["file"]["id"])["file"]
    assert (file["mimetype"], file["original_w"], file["original_h"]) == ("image/png", 16, 8)
    share = file["shares"]["public"][root["channel"]][0]
    assert share["thread_ts"] == root["ts"]
    bearer = {"Authorization": f"Bearer {slack.token}"}
    assert sandbox.http.get(file["url_private"], headers=bearer).content == PNG
    for stranger in ({}, {"Authorization": "Bearer xoxb-other"}):
        answer = sandbox.http.get(file["url_private"], headers=stranger)
        assert (answer.status_code, answer.headers["location"][:8]) == (302, "/?redir=")
    assert sandbox.http.get(f"/client/files/{file['id']}/c.png").content == PNG
    block = {"type": "image", "slack_file": {"id": file["id"]}, "alt_text": "chart"}
    assert slack.chat_postMessage(channel=root["channel"], text="x", blocks=[block])["ok"]
    slack.files_delete(file=file["id"])
    assert refusal(slack.files_info, file=file["id"]) == "file_not_found"
    assert refusal(slack.chat_postMessage, channel=root["channel"], text="x", blocks=[block]) == "invalid_blocks"


def test_an_upload_of_another_length_is_refused(sandbox, slack):
    place = slack.files_getUploadURLExternal(filename="a.txt", length=3)
    assert sandbox.http.post(place["upload_url"], content=b"four").status_code == 400
    assert refusal(slack.files_completeUploadExternal, files=[{"id": place["file_id"]}]) == "file_not_found"
    assert sandbox.http.post(place["upload_url"], files={"file": ("a.txt", b"abc")}).status_code == 200
    assert slack.files_completeUploadExternal(files=[{"id": place["file_id"], "title": "A"}])["files"][0]["size"] == 3


def test_reactions_and_pins(sandbox, slack):
    root = say(sandbox)
    place = {"channel": root["channel"], "timestamp": root["ts"]}
    slack.reactions_add(**place, name="eyes")
    assert refusal(slack.reactions_add, **place, name="eyes") == "already_reacted"
    assert slack.reactions_get(**place)["message"]["reactions"][0]["count"] == 1
    slack.reactions_remove(**place, name="eyes")
    assert refusal(slack.reactions_remove, **place, name="eyes") == "no_reaction"
    slack.pins_add(**place)
    assert refusal(slack.pins_add, **place) == "already_pinned"
    assert slack.pins_list(channel=root["channel"])["items"][0]["message"]["ts"] == root["ts"]
    slack.pins_remove(**place)
    assert refusal(slack.pins_remove, **place) == "no_pin"


def test_a_stream_grows_and_stops(sandbox, slack):
    root = say(sandbox)
    me, team = sandbox.see("/client/boot")["me"], slack.auth_test()["team_id"]
    assert refusal(slack.chat_startStream, channel=root["channel"], thread_ts=root["ts"]) == "missing_recipient_team_id"
    stream = slack.chat_stream(
        channel=root["channel"], thread_ts=root["ts"], recipient_team_id=team, recipient_user_id=me, buffer_size=1
    )
    stream.append(chunks=[TaskUpdateChunk(id="1", title="Look", status="in_progress")])
    stream.append(chunks=[MarkdownTextChunk(text="**par"), TaskUpdateChunk(id="1", title="Look", status="complete")])
    assert refusal(slack.chat_update, channel=root["channel"], ts=stream.ts, text="x") == "streaming_state_conflict"
    stream.stop(markdown_text="tial**", blocks=[{"type": "divider"}])
    message = sandbox.thread(root["channel"], root["ts"])[-1]
    assert [block["type"] for block in message["blocks"]] == ["task_card", "markdown", "divider"]
    assert message["blocks"][0]["status"] == "complete"
    assert message["text"] == "**partial**"
    late = {"channel": root["channel"], "ts": message["ts"], "markdown_text": "more"}
    assert refusal(slack.chat_appendStream, **late) == "message_not_in_streaming_state"


def test_a_stream_that_lived_too_long_is_closed(sandbox, slack):
    root = say(sandbox)
    who = {"recipient_team_id": slack.auth_test()["team_id"], "recipient_user_id": sandbox.see("/client/boot")["me"]}
    sandbox.do("/control/limits", stream_life_s=0)
    stream = slack.chat_startStream(channel=root["channel"], thread_ts=root["ts"], markdown_text="part", **who)
    sandbox.do("/control/limits", stream_life_s=300)
    place = {"channel": root["channel"], "ts": stream["ts"]}
    assert refusal(slack.chat_stopStream, **place) == "message_not_in_streaming_state"
    assert slack.chat_update(**place, text="whole")["message"]["text"] == "whole"


def test_only_one_person_sees_an_ephemeral_message(sandbox, slack):
    me = sandbox.see("/client/boot")["me"]
    maya = next(user["id"] for user in sandbox.see("/client/boot")["users"] if user["name"] == "maya")
    slack.chat_postEphemeral(channel="payments", user=me, text="for you")
    slack.chat_postEphemeral(channel="payments", user=maya, text="for Maya")
    seen = sandbox.see("/client/history", channel="payments")["messages"]
    assert [message["text"] for message in seen] == ["for you"]
    assert slack.conversations_history(channel=sandbox.channel("payments")["id"])["messages"] == []
    assert len(sandbox.channel("payments")["ephemerals"]) == 2


def test_people_and_channels_are_listed(slack):
    users = slack.users_list()["members"]
    you = next(user for user in users if user["name"] == "you")
    assert slack.users_info(user=you["id"])["user"]["profile"]["email"] == "you@sandbox.example"
    assert slack.users_lookupByEmail(email="you@sandbox.example")["user"]["id"] == you["id"]
    names = {channel["name"] for channel in slack.conversations_list()["channels"]}
    assert names == {"general", "incidents", "payments", "search", "random"}
    dm = slack.conversations_open(users=you["id"])["channel"]["id"]
    assert slack.conversations_info(channel=dm)["channel"]["user"] == you["id"]
    assert slack.chat_postMessage(channel=you["id"], text="psst")["channel"] == dm
    assert you["id"] in slack.conversations_members(channel=dm)["members"]
    assert refusal(slack.users_info, user="U0") == "user_not_found"


def test_a_thread_has_a_status_and_a_permalink(sandbox, slack):
    root = say(sandbox)
    slack.assistant_threads_setStatus(channel_id=root["channel"], thread_ts=root["ts"], status="is looking")
    assert sandbox.see("/client/thread", channel=root["channel"], ts=root["ts"])["status"]["status"] == "is looking"
    slack.chat_postMessage(channel=root["channel"], thread_ts=root["ts"], text="found it")
    assert sandbox.see("/client/thread", channel=root["channel"], ts=root["ts"])["status"] is None
    link = slack.chat_getPermalink(channel=root["channel"], message_ts=root["ts"])["permalink"]
    assert link.endswith(f"/archives/{root['channel']}/p{root['ts'].replace('.', '')}")
    assert sandbox.http.get(link).status_code == 200
