"""Who may read and write what: people, other web pages, apps without a scope, apps that were removed."""

import pytest
from slack_sdk.errors import SlackApiError
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.support.sandbox_process import running_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


def test_a_stranger_to_a_channel_neither_reads_nor_writes_there(sandbox):
    channel = sandbox.do("/control/channel", name="inc-quiet", is_private=True)["channel"]
    said = sandbox.do("/client/message", channel=channel, text="hush")
    maya = {"as": "maya"}
    for path, query in (("history", {}), ("thread", {"ts": said["ts"]})):
        answer = sandbox.http.get(f"/client/{path}", params={"channel": channel, **query, **maya})
        assert (answer.status_code, answer.json()["error"]) == (404, "channel_not_found")
    writing = {"message": {"text": "hi"}, "reaction": {"ts": said["ts"], "name": "eyes"}, "topic": {"topic": "x"}}
    for verb, body in writing.items():
        answer = sandbox.http.post(f"/client/{verb}", params=maya, json={"channel": channel, **body}).json()
        assert answer == {"ok": False, "error": "channel_not_found"}
    assert [message["text"] for message in sandbox.channel("inc-quiet")["messages"]] == ["hush"]
    assert sandbox.do("/control/invite", channel=channel, user="maya")["ok"]
    assert sandbox.see("/client/history", channel=channel, **maya)["messages"][0]["text"] == "hush"


def test_other_web_pages_hear_nothing(sandbox):
    address = sandbox.address["url"].replace("http", "ws", 1) + "client/stream"
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, origin="http://evil.example").close()
    with connect(address, origin=sandbox.address["url"].rstrip("/")) as page:
        sandbox.do("/client/message", channel="search", text="x")
        assert page.recv(timeout=60)


def test_slackbot_joins_no_channel(sandbox):
    sandbox.do("/control/channel", name="inc-open")
    assert "USLACKBOT" not in sandbox.channel("inc-open")["members"]


def test_what_was_typed_keeps_its_rich_text(sandbox):
    slack = sandbox.slack()
    said = sandbox.do("/client/message", channel="search", text="first")
    place = {"channel": said["channel"], "ts": said["ts"]}

    def words():
        (message,) = slack.conversations_replies(**place)["messages"]
        return message["blocks"][0]["elements"][0]["elements"], message["blocks"][0]["block_id"]

    before = words()
    assert before[0] == [{"type": "text", "text": "first"}]
    assert before == words()
    sandbox.do("/client/edit", **place, text="second")
    assert words()[0] == [{"type": "text", "text": "second"}]


def test_addresses_of_people_need_their_scope():
    with running_sandbox("--scope", "users:read") as narrow:
        slack = narrow.slack()
        user = narrow.see("/client/boot")["me"]
        profiles = [slack.users_info(user=user)["user"], *slack.users_list()["members"]]
        assert all("email" not in profile["profile"] for profile in profiles)
        file = {"filename": "a.txt", "length": 1}
        with pytest.raises(SlackApiError, match="missing_scope"):
            slack.files_getUploadURLExternal(**file)


def test_a_private_file_needs_the_scope_to_read_files():
    with running_sandbox("--scope", "files:write") as narrow:
        slack = narrow.slack()
        place = slack.files_getUploadURLExternal(filename="a.txt", length=3)
        narrow.http.post(place["upload_url"], content=b"abc")
        (file,) = slack.files_completeUploadExternal(files=[{"id": place["file_id"]}])["files"]
        bearer = {"Authorization": f"Bearer {slack.token}"}
        assert narrow.http.get(file["url_private"], headers=bearer).status_code == 302


def test_an_app_that_was_removed_hears_only_that():
    with running_sandbox("--client-id", "1.2", "--client-secret", "s") as removed:
        assert removed.do("/client/message", channel="search", text="before")["event_ids"]
        assert all(removed.do("/control/uninstall")["event_ids"])
        assert removed.do("/client/message", channel="search", text="after @helper")["event_ids"] == []
        kinds = [record["type"] for record in removed.see("/control/deliveries")["deliveries"]]
        assert kinds == ["message", "app_uninstalled", "tokens_revoked"]
        consent = {
            "client_id": "1.2",
            "scope": "chat:write",
            "redirect_uri": "http://127.0.0.1:1/",
            "decision": "allow",
        }
        code = removed.http.post("/oauth/v2/authorize", data=consent).headers["location"].partition("code=")[2]
        removed.slack().oauth_v2_access(client_id="1.2", client_secret="s", code=code)
        assert removed.do("/client/message", channel="search", text="again")["event_ids"]
