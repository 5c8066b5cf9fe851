"""Written channels told event by event through a local Slack: the pinned summary says what an export's would."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest
import yaml

from bench.incidents.expected import expected
from bench.incidents.replay import of_export, replay, run_replay, said
from bench.incidents.transcripts import export
from bench.incidents.written import FOLDER


@pytest.mark.parametrize("name", ["lieferung", "entitlements"])
def test_it_says_what_the_export_says_and_each_link_opens_its_message(
    name: str, prepared_home: Path, tmp_path: Path
) -> None:
    channel = export(name)
    with run_replay(prepared_home) as house:
        seen = list(replay(house, channel, expected(name).cuts))
    assert len(seen) > 1
    assert [one.wrong_links for one in seen] == [()] * len(seen)
    assert all(one.links > 5 for one in seen)
    assert said(seen[-1].summary) == said(of_export(channel, tmp_path)[1])


def test_pasted_secrets_are_kept_nowhere_and_said_nowhere(prepared_home: Path) -> None:
    home, name = prepared_home, "leaked-keys"
    written = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))["words"]
    secrets = ["".join(parts) for key, parts in written.items() if key not in {"key_begin", "key_end"}]
    with run_replay(home) as house:
        seen = list(replay(house, export(name), expected(name).cuts))
        ours = json.dumps(house.ours(export(name).channel))
        heard = json.dumps(house.slack.get("state", channel=export(name).channel))
        kept = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert len(secrets) > 8
    assert seen[-1].links > 5
    assert [secret for secret in secrets if escape(secret) not in heard] == []
    forms = [form for secret in secrets for form in (secret, escape(secret))]
    assert [form for form in forms if form in ours or form.encode() in kept] == []
