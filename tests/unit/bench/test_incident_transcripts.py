"""Transcripts become the channel JSON of a Slack export."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.incidents import until_ts
from bench.incidents.crowd import crowded
from bench.incidents.expected import expected
from bench.incidents.transcripts import export, names
from bench.incidents.written import Unreadable, read

CROWDS = [name for name in names() if read(name).crowd]
SMALL = """
channel: inc-1
date: 2025-03-01
people: {ana: Ana Lovelace | ana l., bo: Bo Diddley | bo}
bots: {al: Alertmanager | attachment, ci: CI | blocks, up: Uptime | text}
words: {token: [ab, cd]}
messages: |
  a 23:58 al: Errors > 5% & rising
    see https://x.example/run?a=1&b=2.
  j 23:58 ana: /join
  t 23:59 ana: /topic IC: @ana
  == 2025-03-02
  b 00:01 ana: @bo look at [the graph](https://g.example/d/1), {token} <now> @here
    second line
    + react eyes: bo, ana
    + edited 00:05: something else
    + file graph.png
  c 00:02 bo >b: it is the disk
  d 00:02 ana >>b: agreed
  e 00:02:30 ci: build failed
    step 3
  f 00:03 bo: forget it
    + deleted 00:04
  g 00:03 ana >f: forget what?
  h 00:04 bo: also gone
    + deleted 00:05
  i 00:05 up: up again
  k 00:06 bo: /live2 is up
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    monkeypatch.setattr("bench.incidents.transcripts.read", lambda name: read(name, tmp_path))
    made = export.__wrapped__("small")
    by_ts = {message["ts"]: message for message in made.messages}
    return {key: by_ts[ts] for key, ts in made.ts.items() if ts in by_ts}


def test_people_write_with_marks_of_slack(small: dict[str, dict[str, Any]]) -> None:
    message = small["b"]
    bo = small["c"]["user"]
    assert message["text"] == (
        f"<@{bo}> look at <https://g.example/d/1|the graph>, abcd &lt;now&gt; <!here>\nsecond line"
    )
    assert message["ts"].startswith("1740873660.")
    assert (message["user_profile"]["real_name"], message["user_profile"]["display_name"]) == ("Ana Lovelace", "ana l.")
    assert message["reactions"] == [{"name": "eyes", "users": [bo, message["user"]], "count": 2}]
    assert message["edited"]["user"] == message["user"]
    assert "something else" not in json.dumps(message)
    assert [file["name"] for file in message["files"]] == ["graph.png"]


def test_threads_hold_their_replies(small: dict[str, dict[str, Any]]) -> None:
    parent, reply, sent = small["b"], small["c"], small["d"]
    assert parent["thread_ts"] == parent["ts"] == reply["thread_ts"] == sent["thread_ts"]
    assert (parent["reply_count"], parent["reply_users_count"], parent["latest_reply"]) == (2, 2, sent["ts"])
    assert parent["replies"] == [{"user": one["user"], "ts": one["ts"]} for one in (reply, sent)]
    assert reply["parent_user_id"] == parent["user"]
    assert "subtype" not in reply
    assert sent["subtype"] == "thread_broadcast"


def test_bots_put_their_words_where_theirs_go(small: dict[str, dict[str, Any]]) -> None:
    alert = small["a"]
    assert (alert["subtype"], alert["username"], alert["text"]) == ("bot_message", "Alertmanager", "")
    assert alert["bot_id"].startswith("B")
    assert alert["attachments"][0]["title"] == "Errors &gt; 5% &amp; rising"
    assert alert["attachments"][0]["text"] == "see <https://x.example/run?a=1&amp;b=2>."
    assert [block["text"]["text"] for block in small["e"]["blocks"]] == ["*build failed*", "step 3"]
    assert small["i"]["text"] == "up again"


def test_what_is_said_of_the_channel(small: dict[str, dict[str, Any]]) -> None:
    user = small["b"]["user"]
    assert (small["j"]["subtype"], small["j"]["text"]) == ("channel_join", f"<@{user}> has joined the channel")
    assert (small["t"]["subtype"], small["t"]["topic"]) == ("channel_topic", f"IC: <@{user}>")
    assert (small["k"]["text"], "subtype" in small["k"]) == ("/live2 is up", False)


def test_deleted_messages_leave_a_tombstone_where_they_were_answered(small: dict[str, dict[str, Any]]) -> None:
    assert (small["f"]["subtype"], small["f"]["reply_count"]) == ("tombstone", 1)
    assert "h" not in small
    assert not re.search("forget it|also gone", json.dumps(small))


@pytest.mark.parametrize(
    "wrong", ["x 23:58 cy: unknown", "x at noon ana: hm", "  no message yet", "x 23:58 ana: a\n  y 23:57 ana: b"]
)
def test_a_line_that_is_no_message_is_told(wrong: str, tmp_path: Path) -> None:
    head = SMALL.partition("  a 23:58")[0]
    (tmp_path / "wrong.yaml").write_text(f"{head}  {wrong}\n", encoding="utf-8")
    with pytest.raises(Unreadable, match=r"wrong\.yaml: "):
        read("wrong", tmp_path)


@pytest.mark.parametrize("name", names())
def test_exports_are_whole(name: str) -> None:
    made = export(name)
    stamps = [message["ts"] for message in made.messages]
    assert stamps == sorted(set(stamps))
    assert 45 <= len(stamps) <= 2000
    assert all(re.fullmatch(r"\d{10}\.\d{6}", ts) for ts in stamps)
    assert all(message.get("user") or message.get("bot_id") for message in made.messages)
    assert {message["thread_ts"] for message in made.messages if "thread_ts" in message} <= set(stamps)
    raw = json.dumps(made.messages)
    assert not re.search(rf"(?<![\w<])@({'|'.join(read(name).people)})\b", raw)
    assert not re.search(r"\{\w+\}", json.dumps([message["text"] for message in made.messages]))
    assert export.__wrapped__(name) == made


@pytest.mark.parametrize("name", CROWDS)
def test_a_crowd_surrounds_a_core_and_seldom_repeats_itself(name: str) -> None:
    core = read(name)
    made = crowded(core)
    assert (len(core.messages) >= 60, len(made.messages)) == (True, core.crowd["size"])
    assert [message for message in made.messages if message.key] == [
        message for message in core.messages if message.key
    ]
    said = Counter(message.text for message in made.messages if message.text != "/join")
    assert said.most_common(1)[0][1] <= 5
    assert len(said) > 0.4 * len(made.messages)
    joined = [message.who.key for message in made.messages if message.text == "/join"]
    assert len(joined) == len(set(joined))


def test_a_cut_ends_just_after_its_message() -> None:
    made = export("entitlements")
    first, last = expected("entitlements").cuts[0], expected("entitlements").cuts[-1]
    until = until_ts(first, made)
    assert until > made.ts[first.until]
    assert not [message for message in made.messages if made.ts[first.until] < message["ts"] < until]
    assert until_ts(last, made) == ""
