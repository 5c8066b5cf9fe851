"""Secrets go, everything else stays."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.contracts import Evidence, Fact, Question, RequestLog, ToolOutput
from workers.errors import ConfigError
from workers.settings.load import load_settings
from workers.toolkit.redaction import BUILTIN, build_redactor, redact_text

GITHUB = "ghp_" + "a1B2" * 9
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PEM_BODY = "MIIEpAIBAAKCAQEA1234567890abcdef\nabcdEFGHijklMNOPqrstUVWX=="
COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
UUID = "550e8400-e29b-41d4-a716-446655440000"

SECRETS = [
    ('key = "AKIAIOSFODNN7EXAMPLE"', 'key = "[redacted:aws-access-key]"'),
    (f'aws_secret_key = "{AWS_SECRET}"', 'aws_secret_key = "[redacted:secret]"'),
    (f"remote uses {GITHUB} now", "remote uses [redacted:github-token] now"),
    ("github_pat_" + "a1B2" * 20, "[redacted:github-token]"),
    ("glpat-abcdefghij0123456789", "[redacted:gitlab-token]"),
    ("xoxb-123456789012-1234567890123-abcDEF123abc", "[redacted:slack-token]"),
    ("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX", "[redacted:slack-token]"),
    ("sk_live_" + "a1B2" * 6, "[redacted:stripe-access-key]"),
    ("sk-ant-api03-" + "a1B2" * 8, "[redacted:anthropic-key]"),
    (f"cookie {JWT};", "cookie [redacted:json-web-token];"),
    ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted:authorization]"),
    ("postgres://shop:hunter2@db:5432/shop", "postgres://shop:[redacted:password]@db:5432/shop"),
    ("redis://:hunter2@cache:6379/0", "redis://:[redacted:password]@cache:6379/0"),
    (
        "the admin token ran out, the new one: hopAdm_9fK2xxQ7",
        "the admin token ran out, the new one: [redacted:secret]",
    ),
    (
        "it still held ACMEPAY_KEY=" + "a1B2" * 4 + ", a live one",
        "it still held ACMEPAY_KEY=[redacted:secret], a live one",
    ),
    ("use ab_live_" + "a1B2" * 4 + " please", "use [redacted:secret] please"),
    ("guest wifi, password: Tacos-4471", "guest wifi, password: [redacted:secret]"),
    ("set the password to 'pineapple'", "set the password to '[redacted:secret]'"),
    ("user: ann, pass: Tacos-4471", "user: ann, pass: [redacted:secret]"),
    ('password = "correct-horse"', 'password = "[redacted:secret]"'),
    ("DB_PASSWORD = 'correct-horse'", "DB_PASSWORD = '[redacted:secret]'"),
    ('"apiKey": "abcd1234"', '"apiKey": "[redacted:secret]"'),
    ('client.secret_key => "abcd1234"', 'client.secret_key => "[redacted:secret]"'),
    ('access_token := "abcd1234"', 'access_token := "[redacted:secret]"'),
    ("DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=[redacted:secret]"),
    ("a: 1\n  password: hunter2hunter2  # prod\nb: 2", "a: 1\n  password: [redacted:secret]  # prod\nb: 2"),
    (
        f"x\n-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----\ny",
        "x\n" + "[redacted:private-key]\n" * 4 + "y",
    ),
    (
        f"-----BEGIN PRIVATE KEY-----\n{PEM_BODY}\n\nafter, as before",
        "[redacted:private-key]\n" * 3 + "\nafter, as before",
    ),
    (f"before\n{PEM_BODY}\n-----END PRIVATE KEY-----", "before\n" + "\n".join(["[redacted:private-key]"] * 3)),
    (rf'"-----BEGIN PRIVATE KEY-----\n{"A" * 64}\n-----END PRIVATE KEY-----"', '"[redacted:private-key]"'),
]

HARMLESS = [
    f"commit {COMMIT} touched src/app/service.py:41-58",
    f"request {UUID} key={UUID}",
    f"key: {COMMIT}",
    "sha256:" + "0123456789abcdef" * 4,
    "cache_key = 'search:v1:query'",
    "primary_key = 'order_id'",
    "CACHE_KEY=user_profile_v2",
    "RETRY_COUNT_KEY = 'fs.s3.consistent.retryCount'",
    "on shop_prod_replica12345678 since 09:12",
    "the token is expired since 2025-11-20T14:00:00Z",
    "the secret of the rollout is 4.18.0-rc1",
    'password = os.environ["DB_PASSWORD"]',
    'password = "${DB_PASSWORD}"',
    'api_key: "{{ vault.api_key }}"',
    'secret_name: "payments-database"',
    'secret_path = "/run/secrets/payments"',
    'password_file: "/etc/oracle/password1"',
    'secret = "env/payments/token"',
    'password_env = "PAYMENTS_PASSWORD"',
    'password: "PAYMENTS_PASSWORD"',
    "password: str = field()",
    "Passwords: two of them, see https://example.org/a:b@c and user@example.org",
    "def check(password, token): return password == token",
    "https://example.org:8443/path?x=1#key",
    "basic authentication-mechanisms are described below",
    "p95 went from 0.21 s to 1.9 s at 14:06",
    "eyJust.another.name",
    "tokens = tokenizer('some words here')",
    "self.password = password",
    '"password": password,',
    "password = get_password()",
    "db.password = settings.password",
    'password: "string"',
    "Pass a comma-separated string or a sequence.",
    "need 3+ to pass (1 failure allowed, tie = unhealthy)",
    "Pass the region to s3client before use",
    "the username/password to authenticate.",
]


@each_row("text, clean", SECRETS)
def test_secret_is_replaced_and_nothing_else(text: str, clean: str) -> None:
    assert redact_text(text) == clean


@each_row("text, clean", SECRETS)
def test_redacting_again_changes_nothing(text: str, clean: str) -> None:
    assert redact_text(redact_text(text)) == clean


@each_row("text", HARMLESS)
def test_harmless_text_stays(text: str) -> None:
    assert redact_text(text) == text


@given(st.binary(min_size=20, max_size=20), st.uuids(), st.lists(st.from_regex(r"[a-z_]{1,12}", fullmatch=True)))
def test_hashes_identifiers_and_paths_stay(digest: bytes, number: uuid.UUID, parts: list[str]) -> None:
    text = f"commit {digest.hex()} request={number} {'/'.join(parts)}.py:12-20 https://git.example/{digest.hex()}"
    assert redact_text(text) == text


FRAGMENTS = st.sampled_from([text for text, _ in SECRETS] + HARMLESS + ["\n", "  ", '"', "password = ", "-----BEGIN "])


@given(st.lists(FRAGMENTS | st.text(max_size=20), max_size=6), st.sampled_from(["", " ", "\n"]))
def test_line_count_stays_and_the_result_is_stable(parts: list[str], glue: str) -> None:
    text = glue.join(parts)
    clean = redact_text(text)
    assert clean.count("\n") == text.count("\n")
    assert redact_text(clean) == clean


@given(st.lists(st.sampled_from(HARMLESS), max_size=4), st.lists(st.sampled_from(HARMLESS), max_size=4))
def test_token_is_found_in_any_company(before: list[str], after: list[str]) -> None:
    assert GITHUB not in redact_text("\n".join([*before, f"x {GITHUB} y", *after]))


def test_every_field_of_an_output_is_cleaned() -> None:
    evidence = Evidence(
        kind="code",
        title=f"t {GITHUB}",
        locator=f"l {GITHUB}",
        url=f"https://x:{GITHUB}@example.org",
        excerpt=f"1\n2 {GITHUB}\n3",
        facts={"a": Fact(value=GITHUB, entity=GITHUB), "n": Fact(value=1.5, unit="s")},
    )
    output = ToolOutput(
        summary=GITHUB,
        reason=GITHUB,
        nearest=(GITHUB,),
        data={GITHUB: [{"deep": (GITHUB, 1, None)}]},
        evidence=(evidence,),
    )
    clean = BUILTIN.output(output)
    assert GITHUB not in clean.model_dump_json()
    assert clean.evidence[0].excerpt == "1\n2 [redacted:github-token]\n3"
    assert clean.evidence[0].facts["n"] == evidence.facts["n"]
    assert clean.status == "ok"


def test_log_of_a_request_is_cleaned_and_stays_a_log() -> None:
    question = Question(request_id="r1", text=f"why {GITHUB}?", received_at=datetime(2026, 3, 1, tzinfo=UTC))
    log = RequestLog(request_id="r1", question=question, notes=(f"note {GITHUB}",))
    clean = BUILTIN.message(log)
    assert clean.question.text == "why [redacted:github-token]?"
    assert clean.notes == ("note [redacted:github-token]",)
    assert clean.question.received_at == question.received_at


def configured(home: Path, *patterns: str) -> None:
    (home / "config").mkdir()
    lines = "".join(f"  - '{p}'\n" for p in patterns)
    (home / "config" / "oracle.yaml").write_text(f"secrets:\n{lines}")


def test_own_patterns(home: Path) -> None:
    configured(home, r"ACME-\d{6}", r"badge=(\w+)")
    redactor = build_redactor(load_settings())
    assert redactor.text("ACME-123456 badge=abc x") == "[redacted:configured] badge=[redacted:configured] x"
    assert redactor.text(GITHUB) == "[redacted:github-token]"


def test_wrong_own_patterns_are_named(home: Path) -> None:
    configured(home, "(", "a*", "fine")
    with pytest.raises(ConfigError) as caught:
        build_redactor(load_settings())
    first, second = caught.value.problems
    assert "oracle.yaml:2: secrets.0: not a regular expression" in first
    assert "oracle.yaml:3: secrets.1: matches the empty text" in second
