"""Mistakes of configuration: one sentence each, with its place and what to write instead."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from workers.errors import ConfigError
from workers.settings.configured_paths import missing_paths, tells_of
from workers.settings.load import load_settings
from workers.settings.schema import FORMS, Tree

MISTAKES = [
    ("oracle", "fetch:\n  evry_s: 60\n", ":2: fetch.evry_s: unknown key; did you mean every_s?"),
    ("oracle", "documents:\n  site: https://h/\n", ":1: documents: must be a list, such as [a, b], and is a "),
    ("oracle", "web: {port: eighty}\n", ":1: web.port: must be a whole number, and is 'eighty'"),
    ("oracle", "slack:\n  outsiders: reply\n", ":2: slack.outsiders: must be 'refuse' or 'answer', and is"),
    ("oracle", "traces: {url: tempo.local:3200}\n", ":1: traces.url: must be an address "),
    ("oracle", "worker: {concurrency: 900}\n", ":1: worker.concurrency: must be at most 64, and is 900"),
    ("oracle", "web:\n  host: [a\n  port: 1\n", ":3: not YAML (a comma or ] is missing: the bracket of line 2 is"),
    ("oracle", "vault: {path: a}\nweb: {}\nvault: {path: b}\n", ":3: oracle.vault stands twice, first in line 1"),
    ("oracle", "web: {host: '${NO_SUCH_HOST}'}\n", ":1: oracle.web.host: environment variable NO_SUCH_HOST is not set"),
    ("oracle", "fallback_agent: knowlege\n", ":1: fallback_agent: no agent named 'knowlege' in agents.yaml; did"),
    ("agents", "knowledge: {tools: [dok_search]}\n", ":1: knowledge.tools: no tool named 'dok_search' in tools"),
    ("patterns", "locate_cod: {query_intent: x}\n", ":1: locate_cod: question_types, steps are required of a new"),
    ("patterns", "locate_code: {verify: [x]}\n", ":1: locate_code.verify: unknown key; "),
    ("tools", "metrics_qery: {timeout_ms: 900}\n", ":1: metrics_qery.module: is required of a new entry; to"),
    ("tools", "doc_search: {enabled: false}\n", ": 'doc_search' is switched off in "),
]


def mistakes_of(home: Path, file: str, text: str) -> tuple[str, ...]:
    """What is told of a file under ORACLE_HOME."""
    (home / "config").mkdir()
    (home / "config" / f"{file}.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    return caught.value.problems


@pytest.mark.parametrize(("file", "text", "expected"), MISTAKES)
def test_a_mistake_is_one_sentence(home: Path, file: str, text: str, expected: str) -> None:
    (told,) = mistakes_of(home, file, text)
    place = "agents.yaml" if file == "tools" and "switched off" in expected else f"{file}.yaml"
    assert place in told
    assert expected in told
    assert "Input should" not in told


def test_what_fits_no_choice_of_a_union_is_told_once(home: Path) -> None:
    step = "{id: a, tool: doc_search, purpose: p, args: {query: [x]}}"
    (told,) = mistakes_of(home, "patterns", f"locate_code: {{steps: [{step}]}}\n")
    assert "locate_code.steps.0.args.query: must be text or " in told


def test_a_secret_is_never_shown(home: Path) -> None:
    told = mistakes_of(home, "oracle", "netbox: {token: [hunter2]}\nhooks: {token: 987654}\n")
    assert len(told) == 2
    assert not re.search("hunter2|987654", "".join(told))


def test_the_variable_that_brought_a_value_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACES_URL", "tempo:3200")
    with pytest.raises(ConfigError, match=r"oracle\.yaml:\d+ \(TRACES_URL\): traces\.url: must be an address"):
        load_settings()


def test_paths_that_do_not_exist_are_named_with_their_key(home: Path, tmp_path: Path) -> None:
    (tmp_path / "there.json").touch()
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text(
        f"repositories:\n  - {{path: {tmp_path}}}\n  - {{path: /srv/absent}}\n"
        f"suricata: {{eve: ['{tmp_path}/*.json', '{tmp_path}/*.log']}}\n"
        "documents:\n  - {repository: 'git@h:a', path: docs}\n"
        "vault: {path: /srv/not-written-yet}\nnetbox: {ca_file: /srv/ca.pem}\n"
    )
    missing = missing_paths(load_settings())
    assert set(missing) == {"/srv/absent", f"{tmp_path}/*.log", "/srv/ca.pem"}
    assert "oracle.yaml:3: repositories.1.path: /srv/absent does not exist" in missing["/srv/absent"]
    assert tells_of("/srv/absent does not exist", missing)
    assert not tells_of(f"{tmp_path} is no repository", missing)


def test_every_pattern_says_in_words_what_it_wants() -> None:
    schema = json.dumps(Tree.model_json_schema())
    patterns = {json.loads(f'"{found}"') for found in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', schema)}
    assert patterns - set(FORMS) == set()
