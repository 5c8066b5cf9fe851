"""Keys and values in all forms: a name that says secret hides its value, whatever its letters; other values stay."""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.search import CodeIndex, DocIndex
from workers.settings.load import ROOT
from workers.sources.git import open_repository, resolve
from workers.sources.history.commits import read_commit
from workers.sources.history.hidden_values import without_secrets
from workers.sources.history.numbered_diff import numbered_diffs
from workers.sources.history.text_grep import grep_commit
from workers.toolkit.key_values import secret_values
from workers.toolkit.redaction import BUILTIN, hidden_lines, redact_source, redact_text

ROWS = [
    json.loads(line) for line in (ROOT / "bench/data/redaction/develop.jsonl").read_text(encoding="utf-8").splitlines()
]
FORMS = {
    "environment": "{name}={value}",
    "export": 'export {name}="{value}"',
    "settings": "host = db-1\n{name} = {value}\nport = 5432",
    "yaml": "db:\n  {name}: {value}\n  port: 5432",
    "json": '{{"user": "shop", "{name}": "{value}", "port": 5432}}',
    "json in a string": '"{{\\"{name}\\": \\"{value}\\"}}"',
    "flow": "db: {{user: shop, {name}: {value}, port: 5432}}",
    "code": 'client = connect("db", {name}="{value}")',
    "constant": "{name} := '{value}'",
    "index": 'settings["{name}"] = "{value}"',
    "fallback": 'os.environ.get("{name}", "{value}")',
    "shell fallback": "${{{name}:-{value}}}",
    "entry": "- name: {name}\n  value: {value}\n- name: LOG_LEVEL\n  value: debug",
    "entry of JSON": '{{"name": "{name}", "value": "{value}"}}',
    "argument": "deploy --env prod --{name} {value} --wait",
    "query": "https://shop.example.org/v1/orders?page=2&{name}={value}&sort=asc",
    "element": "<{name}>{value}</{name}>",
    "attributes": '<add key="{name}" value="{value}"/>',
    "next line": "{name}:\n  {value}",
    "table": "| host | {name} |\n|---|---|\n| db-1 | {value} |",
    "rows": "host,{name},port\ndb-1,{value},5432",
    "statement": "INSERT INTO hosts (id, {name}) VALUES (1, '{value}');",
    "log": "2026-01-02T10:00:00Z INFO opened host=db-1 {name}={value} in 12 ms",
    "diff": "@@ -1 +1 @@\n-{name}={value}\n+{name}=${{NEW}}",
    "full width": "｛{name}＝{value}｝",
    "manifest": "kind: Secret\nmetadata:\n  name: shop\nstringData:\n  {name}: {value}",
}
NAMES = ("db_password", "REDIS_PASSWORD", "smtp_passwd", "client_secret", "api_key", "AUTH_TOKEN", "admin_pw")
HARMLESS_NAMES = ("PASSWORD_MIN_LENGTH", "cache_key", "token_ttl", "secret_name", "max_tokens", "sort_key", "key_id")
LETTERS = st.text("bcdfghjklmnprstvwz", min_size=3, max_size=6)
VALUES = st.one_of(
    st.builds(lambda a, b: f"{a}{b}", LETTERS, LETTERS),
    st.builds(lambda a, b: f"{a}{b}7", LETTERS, LETTERS),
    st.builds(lambda a, b: f"{a.upper()}-{b}!4", LETTERS, LETTERS),
    st.binary(min_size=16, max_size=16).map(lambda raw: raw.hex()),
)


@given(st.sampled_from(sorted(FORMS)), st.sampled_from(NAMES), VALUES)
def test_value_behind_a_secret_name_is_hidden_in_every_form(form: str, name: str, value: str) -> None:
    text = FORMS[form].format(name=name, value=value)
    clean = redact_text(text)
    assert value not in clean
    assert clean.count("\n") == text.count("\n")
    assert name in clean
    assert redact_text(clean) == clean


@given(st.sampled_from(sorted(FORMS)), st.sampled_from(HARMLESS_NAMES), LETTERS)
def test_value_behind_another_name_stays_in_every_form(form: str, name: str, value: str) -> None:
    assume(form != "manifest")  # there every value is one
    text = FORMS[form].format(name=name, value=value)
    assert redact_text(text) == text


@each_row("row", [row for row in ROWS if row.get("secret")])
def test_written_secret_is_hidden_and_its_neighbours_stay(row: dict[str, Any]) -> None:
    clean = (BUILTIN.talk if row["form"] == "chat" else redact_text)(row["text"])
    assert row["secret"] not in clean
    assert all(part in clean for part in row["must_stay"])


def test_written_look_alikes_stay() -> None:
    texts = [row["text"] for row in ROWS if "text" in row and not row["secret"]]
    assert len(texts) > 300
    taken = [text for text in texts if redact_text(text) != text]
    assert len(taken) <= 0.01 * len(texts), taken


EXAMPLES = ("changeme", "<your token>", "${DB_PASSWORD}", "{{ vault }}", "********", "your-api-key", "/run/secrets/db")


@each_row("value", EXAMPLES)
def test_example_and_reference_are_shown_as_such(value: str) -> None:
    for form in ("environment", "yaml", "json", "code"):
        text = FORMS[form].format(name="db_password", value=value)
        assert redact_text(text) == text


@given(st.sampled_from("\u200b‌⁠﻿"), st.integers(1, 8), VALUES)
def test_what_has_no_width_hides_nothing(sign: str, place: int, value: str) -> None:
    written = "password"[:place] + sign + "password"[place:]
    assert value not in redact_text(f"{written}: {value}")


@given(st.lists(st.sampled_from([row["text"] for row in ROWS if "text" in row]) | st.text(max_size=30), max_size=5))
def test_spans_are_in_order_and_within_the_text(parts: list[str]) -> None:
    text = "\n".join(parts)
    spans = secret_values(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def steps(text: str) -> int:
    """The lines of our own code that reading a text runs."""
    counted = Counter[str]()

    def count(frame: FrameType, event: str, _: object) -> Any:
        if "/workers/" not in frame.f_code.co_filename:
            return None
        counted[event] += 1
        return count

    sys.settrace(count)
    try:
        secret_values(text)
    finally:
        sys.settrace(None)
    return counted["line"]


CROWDED = (
    "password ",
    "key: ",
    'token="',
    "pass=a;",
    "(secret,",
    "| pw | x |\n",
    "- name: DB_PASSWORD\n",
    "a,pw\n",
    "${PW:-",
    "--password ",
)


@each_row("part", CROWDED)
def test_work_grows_with_the_text_and_not_faster(part: str) -> None:
    secret_values(part * 10)
    few, many = (steps(part * count) for count in (100, 800))
    assert many < 14 * few


def test_object_and_entry_are_read_by_their_keys() -> None:
    value = {"db": {"password": "sunflower", "port": 5432}, "env": [{"name": "API_TOKEN", "value": "marigold"}]}
    clean = BUILTIN.value(value)
    assert "sunflower" not in str(clean)
    assert "marigold" not in str(clean)
    assert clean["db"]["port"] == 5432
    assert clean["env"][0]["name"] == "API_TOKEN"


def test_source_is_cleaned_where_it_is_read_and_stays_a_file_of_its_kind() -> None:
    source = "größe = 3\npassword = sunflower\n".encode("latin-1")
    clean = redact_source(source)
    assert b"sunflower" not in clean
    assert clean.decode("latin-1").startswith("größe = 3\n")
    binary = b"\0\1password=sunflower"
    assert redact_source(binary) == binary


def test_lines_that_a_whole_file_hides() -> None:
    assert hidden_lines("- name: DB_PASSWORD\n  value: sunflower\n- name: A\n  value: moon") == ["sunflower"]


WORD = "zanzibarsunflower"
FILES: dict[str, str | bytes] = {
    "deploy/env.yaml": f"env:\n  - name: DB_PASSWORD\n    value: {WORD}\n  - name: LEVEL\n    value: debug\n",
    "deploy/secret.yaml": f"kind: Secret\nmetadata:\n  name: shop\nstringData:\n  note: {WORD}\n",
    "docs/access.md": f"# Access\n\n| host | password |\n|---|---|\n| db-1 | {WORD} |\n",
}


def holds_word(folder: Path) -> list[Path]:
    """The files below a folder that hold the word, compressed or not."""
    return [file for file in folder.rglob("*") if file.is_file() and WORD.encode() in file.read_bytes()]


def test_neither_index_nor_diff_nor_single_line_tells_what_the_whole_file_hides(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    index = CodeIndex.build(root, tmp_path / "code")
    assert all(WORD not in (index.lines(path, 1, 9) or "") for path in FILES)
    assert "LEVEL" in (index.lines("deploy/env.yaml", 1, 9) or "")
    documents = DocIndex.build(root / "docs", tmp_path / "docs")
    assert documents.search("access password db-1", 3)
    assert not [hit for hit in documents.search("access password db-1", 3) if WORD in hit.excerpt]
    assert not holds_word(tmp_path / "code")
    assert not holds_word(tmp_path / "docs")
    repo = open_repository(root)
    made = read_commit(repo, resolve(repo) or "")
    assert WORD in str(read_commit(repo, made.commit))  # as git tells it
    assert WORD not in str(without_secrets(repo, made))
    assert WORD not in str([diff.rows for diff in numbered_diffs(repo, made.commit, made.files).values()])
    assert grep_commit(repo, made.commit, "value", ()).found
    assert WORD not in str(grep_commit(repo, made.commit, WORD, ()))
