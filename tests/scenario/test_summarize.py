"""``oracle summarize``: an export as a person and as a program reads it, by the rules and with a model."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scenario.conftest import Oracle
from tests.support.channel_lines import OUTAGE, channel
from tests.support.model_server.replies import say_json, status
from tests.support.model_server.server import MessagesServer, anything, run_messages_server
from tests.support.secret_samples import FORMS, commands, password, tokens

LISTS = (
    "impact",
    "known",
    "tried",
    "hypotheses",
    "ruled_out",
    "decisions",
    "action_items",
    "open_questions",
    "timeline",
)
WRITTEN: dict[str, Any] = {
    "state": "resolved",
    "status": {"text": "Resolved at 10:32", "messages": ["m27"]},
    "impact": [{"text": "4% of checkouts failed", "messages": ["m17"]}],
    "known": [{"text": "A meteor hit the data centre in 2019 and cost 7 million", "messages": ["m20"]}],
}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A day of a channel, as Slack exports it."""
    file = tmp_path / "2026-11-20.json"
    rows = [
        {
            "type": "message",
            "ts": message.ts,
            "text": message.text,
            **({"subtype": "bot_message", "bot_id": "B1", "username": message.name} if message.bot else {}),
            **({} if message.bot else {"user": message.user, "user_profile": {"display_name": message.name}}),
        }
        for message in channel(OUTAGE)
    ]
    file.write_text(json.dumps(rows), encoding="utf-8")
    return file


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with run_messages_server(key="test-key", models=None) as running:
        yield running


def test_a_program_reads_each_line_with_its_messages(oracle: Oracle, export: Path) -> None:
    ran = oracle("summarize", str(export), "--json")
    assert ran.code == 0, ran.err
    found = ran.json
    known = {message.ts for message in channel(OUTAGE)}
    assert (found["status"]["state"], found["severity"], found["reasoner"]) == ("resolved", "SEV2", "rules")
    for name in LISTS:
        for line in found[name]:
            assert line["text"]
            assert line["ts"]
            assert set(line["ts"]) <= known
    assert found["struck"] == []


def test_a_person_reads_how_it_stands_and_who_said_so(oracle: Oracle, export: Path) -> None:
    ran = oracle("summarize", str(export))
    assert ran.code == 0
    for part in ("SEV2 · resolved", "Impact", "Timeline", "Lena 09:55", "☑", "☐", "28 messages read · rules"):
        assert part in ran.out


def test_no_secret_of_a_channel_is_shown_logged_or_stored(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    chance = random.Random(24)
    told = ((f"the shop password is {found}", found) for found in (password(s, chance) for s in ("leet", "random")))
    pasted = [*tokens(chance), *commands(chance)]
    said = [*((FORMS["message"].format(written), secret) for written, secret in pasted), *told]
    start = 1_763_629_200
    rows = [
        {"type": "message", "ts": f"{start + 30 * i}.000100", "user": f"U{i % 5}", "text": f"cause {i}: {text}"}
        for i, (text, _) in enumerate(said)
    ]
    file = tmp_path / "2026-11-20.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    ran = oracle("summarize", str(file), "--json")
    assert ran.code == 0, ran.err
    assert "[redacted:" in ran.out
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert [secret for _, secret in said if secret in ran.out or any(secret.encode() in data for data in kept)] == []


@pytest.mark.parametrize("until", ["2026-11-20T09:37:30Z", "2026-11-20T10:37:30+01:00"])
def test_only_what_was_said_until_then_counts(oracle: Oracle, export: Path, until: str) -> None:
    found = oracle("summarize", str(export), "--until", until, "--json").json
    assert found["status"]["state"] == "investigating"
    assert "certificate" not in json.dumps(found["known"])
    newest = max(message.ts for message in channel(OUTAGE) if message.ts in json.dumps(found))
    by_ts = oracle("summarize", str(export), "--until", newest, "--json").json
    assert by_ts["status"] == found["status"]


@pytest.mark.parametrize(
    ("text", "until", "said"),
    [
        ("{}", "", "neither a list of messages"),
        ("not json", "", "not JSON"),
        ("[]", "", "no messages"),
        ("[1, null]", "", "no messages"),
        ('[1, "a"]', "", "no messages"),
        ('[{"id": "U1", "name": "mira"}]', "", "no messages"),
        ('[{"type": "message", "ts": "1.1", "text": "hi"}]', "yesterday", "--until"),
    ],
)
def test_a_mistake_is_one_sentence(oracle: Oracle, tmp_path: Path, text: str, until: str, said: str) -> None:
    file = tmp_path / "channel.json"
    file.write_text(text, encoding="utf-8")
    ran = oracle("summarize", str(file), *(["--until", until] if until else []))
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_file_that_is_not_there_is_told_without_the_systems_words(oracle: Oracle, tmp_path: Path) -> None:
    ran = oracle("summarize", str(tmp_path / "inc.json"))
    assert ran.code == 2
    assert "inc.json: there is no such file\n" in ran.err
    assert "Errno" not in ran.err
    assert ran.err.count("\n") == 1


def test_a_telling_name_of_the_channel_stands_before_what_the_messages_say(
    oracle: Oracle, export: Path, tmp_path: Path
) -> None:
    said = oracle("summarize", str(export), "--json").json["title"]
    assert "checkout" in said.lower()
    titles = {
        "incident-payments/2026-11-20.json": f"Payments: {said}",
        "incident-payments": f"Payments: {said}",
        "inc-20261120-payments-page.json": f"Payments page: {said}",
        "incident-checkout/2026-11-20.json": said,
        "backend/2026-11-20.json": said,
        "inc-4711/2026-11-20.json": said,
    }
    for place in titles:
        if place.endswith(".json"):
            (tmp_path / place).parent.mkdir(exist_ok=True)
            shutil.copy(export, tmp_path / place)
    found = {place: oracle("summarize", str(tmp_path / place), "--json").json["title"] for place in titles}
    assert found == titles


def with_model(monkeypatch: pytest.MonkeyPatch, server: MessagesServer) -> None:
    """Have the model at a server asked."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")


def test_a_models_lines_stand_as_far_as_the_messages_bear_them_out(
    oracle: Oracle, export: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, server)
    server.on(anything, say_json(WRITTEN))
    found = oracle("summarize", str(export), "--json").json
    assert found["reasoner"] != "rules"
    assert [line["text"] for line in found["impact"]] == ["4% of checkouts failed"]
    assert "meteor" not in json.dumps(found)
    assert "certificate" in json.dumps(found["known"])
    first, again = [request for request in server.requests if "You are Oracle's summarizer" in request.prompt]
    assert "failing over the gateway" in first.prompt
    assert "is in no cited evidence" in again.prompt  # what does not hold is told once, to be mended
    assert "Your summary:" in again.prompt


def test_single_words_and_what_is_said_twice_are_no_lines(
    oracle: Oracle, export: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, server)
    line = {"text": "status page updated", "messages": ["m19"]}
    word = {"text": "resolved", "messages": ["m27"]}
    server.on(anything, say_json(WRITTEN | {"tried": [word, line], "decisions": [line], "ruled_out": [word]}))
    found = oracle("summarize", str(export), "--json").json
    assert found["reasoner"] != "rules"
    assert [one["text"] for one in found["tried"]] == ["status page updated"]
    told = [one["text"] for name in LISTS if name != "timeline" for one in found[name]]
    assert "resolved" not in told
    assert told.count("status page updated") == 1


@pytest.mark.parametrize("odd", [{"known": [{"text": "x", "messages": ["m99"]}]}, {"state": "none", "impact": []}])
def test_what_a_model_may_not_say_leaves_the_rules(
    oracle: Oracle, export: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch, odd: dict[str, Any]
) -> None:
    with_model(monkeypatch, server)
    server.on(anything, say_json(WRITTEN | odd))
    found = oracle("summarize", str(export), "--json").json
    assert found["reasoner"] == "rules"
    assert len(server.requests) == 2


def test_a_model_that_is_down_leaves_the_rules(
    oracle: Oracle, export: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, server)
    server.on(anything, status(400, "invalid_request_error"))
    ran = oracle("summarize", str(export))
    assert ran.code == 0
    assert "28 messages read · rules (" in ran.out


PLAYED = Path(__file__).parents[1] / "data" / "incident_summaries"


def test_of_a_strong_models_summary_all_that_is_true_stands(
    oracle: Oracle, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its root cause and the size of its impact among it; what is false is struck, and named."""
    with_model(monkeypatch, server)
    written = yaml.safe_load((PLAYED / "played.yaml").read_text(encoding="utf-8"))
    planted = [
        written[section][int(place)]["text"] for section, _, place in (p.partition(".") for p in written.pop("planted"))
    ]
    server.on(anything, say_json(written))
    found = oracle("summarize", str(PLAYED / "played.json"), "--json").json
    assert found["reasoner"] != "rules"
    shown = [line["text"] for section in LISTS[:-1] for line in found[section]]
    true = [line["text"] for section in LISTS[:-1] for line in written[section] if line["text"] not in planted]
    assert [text for text in true if text not in shown] == []
    assert found["status"]["text"] == written["status"]["text"]
    assert [text for text in planted if text in shown] == []
    assert len(found["struck"]) >= len(planted)
