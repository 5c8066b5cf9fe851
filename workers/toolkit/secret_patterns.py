"""What a secret looks like in text. Patterns of detect-secrets where it has a precise one, ours beside them.

Entropy is not used: commit hashes, UUIDs and checksums are what answers are made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache


def always(_: re.Match[str]) -> bool:
    """Accept every match."""
    return True


@dataclass(frozen=True)
class Rule:
    """One kind of secret.

    ``anchors`` are lower-case substrings: without one of them in the lower-cased text the pattern cannot match and is
    not tried. The ``group`` of the match is replaced (0: all of it) when ``accept`` says so.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0
    accept: Callable[[re.Match[str]], bool] = always


GITLAB = (
    *("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "gr1348941"),
    *("glcbt-", "glimt-", "glptt-", "glagent-", "gloas-"),
)
# Detectors of detect-secrets with few false alarms: name of module and class, anchors, group that holds the secret.
DETECTORS: tuple[tuple[str, str, tuple[str, ...], int], ...] = (
    ("aws", "AWSKeyDetector", ("akia", "asia", "abia", "acca", "a3t", "aws"), -1),
    ("azure_storage_key", "AzureStorageKeyDetector", ("accountkey=",), 0),
    ("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), 0),
    ("gitlab_token", "GitLabTokenDetector", GITLAB, 0),
    ("openai", "OpenAIDetector", ("t3blbkfj",), 0),
    ("pypi_token", "PypiTokenDetector", ("pypi-age",), 0),
    ("sendgrid", "SendGridDetector", ("sg.",), 0),
    ("slack", "SlackDetector", ("xox", "hooks.slack.com"), 0),
    ("square_oauth", "SquareOAuthDetector", ("sq0csp-",), 0),
    ("stripe", "StripeDetector", ("k_live_",), 0),
)
ANCHORS = frozenset(a for _, _, anchors, _ in DETECTORS for a in anchors)

PEM = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?:(?!-----BEGIN)[\s\S]){0,8000}?-----END (?P=label)-----|(?:[\s>+|#*\"'\\n]*[A-Za-z0-9+/=]{20,})*)"
)
PEM_TAIL = re.compile(
    r"(?m)(?:^[ \t]*[A-Za-z0-9+/=]{16,}[ \t]*\n){1,120}[ \t]*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
)
PUTTY = re.compile(r"Private-Lines: \d+(?:\n[A-Za-z0-9+/=]{4,})+")
JWT = re.compile(r"\b(eyJ[A-Za-z0-9_-]{8,}={0,2}\.[A-Za-z0-9_-]{8,}={0,2})(?:\.[A-Za-z0-9_+/=-]*)?")
URL_PASSWORD = re.compile(r"://[^\s/:@'\"<>]{0,100}:([^\s/@'\"<>]{1,200})@")
QUOTED = re.compile(
    r"(?<![\w.\-])(?P<name>\w[\w.\-]{0,80})['\"\]]{0,2}\s{0,4}(?::=|=>|={1,3}|!==?|:)\s{0,4}@?"
    r"(?P<quote>['\"`])(?P<value>[^'\"`\s]{6,400})(?P=quote)"
)
DOTENV = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|-[ \t]+|ENV[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{1,80})="
    r"(?P<value>[\w+/=.!@%^&*~-]{8,400})[ \t]*$"
)
BARE_YAML = re.compile(
    r"(?m)^[ \t]*(?:-[ \t]+)?(?P<name>[\w.\-]{1,80}):[ \t]+(?P<value>[\w+/=.!@%^~-]{8,400})[ \t]*(?:#.*)?$"
)

INLINE = re.compile(
    r"(?<![\w.\-])(?P<name>\w[\w.\-]{0,80})=(?P<value>(?![A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)[\w+/=.!@%^*~-]{8,400})(?=[\s'\"),;&]|$)"
)

TOLD = re.compile(
    r"(?<!redacted:)\b(?:passwords?|passphrase|passcode|passwort|contraseña|tokens?|secrets?|credentials?|creds|"
    r"(?:api|access|secret|private|signing|admin|service|license|encryption)[ -]?key)\b"
    r"[^\n:=`\[\]]{0,60}(?::|=|\bis\b)\s{0,2}`?"
    r"(?P<value>[\w+/=.!@%^*~$#&-]{8,400})(?=[\s'\"),;`]|$)",
    re.IGNORECASE,
)
"""A secret that someone tells in a sentence: "the admin token ran out, the new one: …"."""

KEY_VARIABLE = re.compile(
    r"(?<![\w.\-])(?:[A-Z][A-Z0-9]*_)+KEY(?:=|: ?| = )['\"`]?(?P<value>[\w+/=-]{12,400})(?=[\s'\"),;`]|$)"
)
"""A variable of the environment that holds some vendor's key: ``ACMEPAY_KEY=…``."""
LIVE = re.compile(r"\b(?P<value>[A-Za-z]{2,12}_live_[0-9A-Za-z]{12,200})\b")
"""A key as vendors write them: whose, of which kind, and a random part: ``ab_live_…``."""

TEMPLATE = re.compile(r"^[$<{%]|^\*+$|^x+$|^\.+$|^\[redacted:")
REFERENCE = re.compile(r"^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][a-z_-]*(?:\.[a-z][a-z_-]*)+)$")
PATH = re.compile(r"^(?:\.{1,2}/|~/|/)|^[a-z_.-]+(?:/[a-z_.-]+)+$|^[a-z][a-z+]*://")
ABOUT = re.compile(
    r"(?i)(?:id|ids|name|names|path|file|url|uri|version|header|field|label|type|policy|length|size|hash|ref|arn|regex|"
    r"pattern|prefix|format|alias|column|env|store|provider)$"
)
NAME_TOKENS = (
    r"(?:access|api|auth|bearer|bot|ci|github|gitlab|npm|pypi|sentry|vault|csrf|deploy|id|refresh|session|signing|slack|"
    r"webhook)_?token"
)
NAME_ANCHORS = ("pass", "pwd", "secret", "key", "token", "contrase")


@cache
def secret_name() -> re.Pattern[str]:
    """Names that hold secrets: detect-secrets' keywords, and tokens."""
    from detect_secrets.plugins.keyword import DENYLIST  # noqa: PLC0415 - 150 ms, for texts that need it only

    return re.compile("|".join((*DENYLIST, NAME_TOKENS)), re.IGNORECASE)


def holds_secret(match: re.Match[str]) -> bool:
    """A literal assigned to a secret's name, and not a template, a reference, a path or a word about the secret."""
    name, value = match["name"], match["value"]
    normal = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.]", "_", name)
    if not secret_name().search(normal) or ABOUT.search(re.split(r"_", normal)[-1]):
        return False
    return not (TEMPLATE.search(value) or REFERENCE.match(value) or PATH.search(value))


def holds_bare_secret(match: re.Match[str]) -> bool:
    """Without quotes a value is a literal only when it mixes letters and digits."""
    value = match["value"]
    return bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) and holds_secret(match)


def is_told_secret(match: re.Match[str]) -> bool:
    """A value that nobody would write as a word: it mixes digits with both cases, or with signs of a password."""
    value = match["value"].rstrip(".")
    if TEMPLATE.search(value) or REFERENCE.match(value) or PATH.search(value):
        return False
    mixed = re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    return bool(re.search(r"\d", value) and (mixed or re.search(r"[!@%^*$#&]", value)))


def is_jwt(match: re.Match[str]) -> bool:
    """Header and payload are really base64 of JSON."""
    from detect_secrets.plugins.jwt import JwtTokenDetector  # noqa: PLC0415 - as above

    return bool(JwtTokenDetector.is_formally_valid(match[1]))


def is_literal(match: re.Match[str]) -> bool:
    """A password in an address, not a variable in its place."""
    return not TEMPLATE.search(match[1])


OURS: tuple[Rule, ...] = (
    Rule("private-key", ("-----begin",), PEM),
    Rule("private-key", ("-----end",), PEM_TAIL),
    Rule("private-key", ("private-lines",), PUTTY),
    Rule("json-web-token", ("eyj",), JWT, accept=is_jwt),
    Rule("password", ("://",), URL_PASSWORD, 1, is_literal),
    Rule("github-token", ("github_pat_",), re.compile(r"github_pat_[A-Za-z0-9_]{22,255}")),
    Rule("slack-token", ("xapp-",), re.compile(r"xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{16,}", re.IGNORECASE)),
    Rule("slack-token", ("xox",), re.compile(r"xox[abcdeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{20,}", re.IGNORECASE)),
    Rule("anthropic-key", ("sk-ant-",), re.compile(r"sk-ant-[A-Za-z0-9_-]{20,}")),
    Rule("google-key", ("aiza",), re.compile(r"AIza[0-9A-Za-z_-]{35}")),
    Rule("npm-token", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{30,64}\b")),
    Rule("stripe-key", ("k_test_", "whsec_"), re.compile(r"\b(?:[sr]k_test|whsec)_[0-9A-Za-z]{16,}")),
    Rule(
        "authorization",
        ("bearer", "basic"),
        re.compile(r"\b(?:bearer|basic)\s+((?=[^\s]{0,400}\d)[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE),
        1,
    ),
    Rule("secret", NAME_ANCHORS, QUOTED, 3, holds_secret),
    Rule("secret", NAME_ANCHORS, DOTENV, 2, holds_bare_secret),
    Rule("secret", NAME_ANCHORS, INLINE, 2, holds_bare_secret),
    Rule("secret", NAME_ANCHORS, BARE_YAML, 2, holds_bare_secret),
    Rule("secret", (*NAME_ANCHORS, "cred"), TOLD, 1, is_told_secret),
    Rule("secret", ("_key",), KEY_VARIABLE, 1, is_told_secret),
    Rule("secret", ("_live_",), LIVE, 1, is_told_secret),
)


@cache
def detector_rules() -> tuple[Rule, ...]:
    """The patterns of `DETECTORS`, loaded when a text first has one of their anchors."""
    from importlib import import_module  # noqa: PLC0415 - as above

    rules: list[Rule] = []
    for module, name, anchors, group in DETECTORS:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        kind = detector.secret_type.lower().replace(" ", "-")
        rules.extend(
            Rule(kind, anchors, pattern, pattern.groups if group < 0 else group) for pattern in detector.denylist
        )
    return tuple(rules)
