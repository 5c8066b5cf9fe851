"""What a secret looks like in text: vendors' tokens, private keys, addresses, and what is assigned to a secret's name.

Entropy is not used: commit hashes, UUIDs and checksums are what answers are made of.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workers.toolkit.password_mentions import (
    MENTION_ANCHORS,
    TYPES,
    is_machine_secret,
    is_plain_password,
    is_reference,
    mentions,
)
from workers.toolkit.vendor_tokens import SHAPES


def always(_: re.Match[str]) -> bool:
    """Accept every match."""
    return True


Span = tuple[int, int]


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

    def spans(self, text: str) -> Iterator[Span]:
        """Start and end of each secret, from left to right."""
        last = 0
        for match in self.pattern.finditer(text):
            start, end = match.span(self.group)
            if last <= start < end and self.accept(match):
                yield start, end
                last = end


@dataclass(frozen=True)
class Mentions:
    """What sentences tell, as a rule among the others."""

    kind: str = "secret"
    anchors: tuple[str, ...] = MENTION_ANCHORS

    def spans(self, text: str) -> Iterator[Span]:
        """Start and end of each secret, from left to right, none within another."""
        last = 0
        for start, end in sorted(mentions(text)):
            if start >= last:
                yield start, end
                last = end


PEM = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?:(?!-----BEGIN)[\s\S]){0,8000}?-----END (?P=label)-----|(?:[\s>+|#*\"'\\n]*[A-Za-z0-9+/=]{20,})*)"
)
PEM_TAIL = re.compile(
    r"(?m)(?:^[ \t]*[A-Za-z0-9+/=]{16,}[ \t]*\n){1,120}[ \t]*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
)
PUTTY = re.compile(r"Private-Lines: \d+(?:\n[A-Za-z0-9+/=]{4,})+")
JWT = re.compile(r"(eyJ[A-Za-z0-9_-]{8,}={0,2}\.[A-Za-z0-9_-]{8,}={0,2})(?:\.[A-Za-z0-9_+/=-]*)?")
URL_PASSWORD = re.compile(r"://[^\s/:@'\"<>]{0,100}:([^\s/@'\"<>]{1,200})@")
QUOTED = re.compile(
    r"(?<![\w.\-])(?P<name>\w[\w.\-]{0,80})[\\'\"\]]{0,3}\s{0,4}(?::=|=>|={1,3}|!==?|:)\s{0,4}@?\\?"
    r"(?P<quote>['\"`])(?P<value>[^'\"`\s\\]{6,400})\\?(?P=quote)"
)
BARE = re.compile(
    r"(?<![\w.\-])(?P<name>\w[\w.\-]{0,80})(?:[ \t]{0,4}=[ \t]{0,4}|:[ \t]{1,4})"
    r"(?=(?P<value>[^\s'\"`,;<>()\[\]{}|&]{6,400})(?:[\s'\"),;&]|$))"
)
VARIABLE = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|-[ \t]+|ENV[ \t]+)?(?P<name>(?:[A-Z0-9]+_)*(?:PASSWORD|PASSWD|PWD|PASSPHRASE|PASS))="
    r"['\"]?(?P<value>[^\s'\"]{4,400})['\"]?[ \t]*$"
)
FLAG = re.compile(r"true|false|null|none|required|optional|disabled|enabled", re.IGNORECASE)
ELEMENT = re.compile(r"<(?P<name>[\w:.-]{1,60})>\s{0,4}(?P<value>[^<>\s]{4,400})\s{0,4}</")
ATTRIBUTE = re.compile(r"key=\\?\"(?P<name>[\w.-]{1,60})\\?\"\s{1,4}value=\\?\"(?P<value>[^\"\\\s]{4,400})\\?\"")
OPTION = re.compile(
    r"--(?P<name>[a-zA-Z][\w-]{1,60})(?:[= ]|['\"],\s{0,4})(?P<quote>['\"]?)(?P<value>[^\s'\"]{4,400})(?P<rest>.{0,20})"
)
USER_OPTION = re.compile(r"(?<![\w-])(?:-u|--user|--proxy-user)[ =]?['\"]?[^\s:'\"]{1,80}:([^\s'\"]{3,200})")
MYSQL_OPTION = re.compile(r"(?<![\w-])-p['\"]?([^\s'\"]{4,200})")
NETRC = re.compile(r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}([^\s'\"]{3,200})")
PGPASS = re.compile(r":(?<=[\w*]:)(?:\d{4,5}|\*):[\w*-]{1,63}:[\w*-]{1,63}:(?P<value>[^\s:'\"]{4,200})(?![:\w])")

KEY_VARIABLE = re.compile(
    r"(?<![\w.\-])(?:[A-Z][A-Z0-9]*_)+KEY(?:=|: ?| = )['\"`]?(?P<value>[\w+/=-]{12,400})(?=[\s'\"),;`]|$)"
)
"""A variable of the environment that holds some vendor's key: ``ACMEPAY_KEY=…``."""
LIVE = re.compile(r"\b(?P<value>[A-Za-z]{2,12}_live_[0-9A-Za-z]{12,200})\b")
"""A key as vendors write them: whose, of which kind, and a random part: ``ab_live_…``."""

ABOUT = re.compile(
    r"(?i)(?:id|ids|name|names|path|file|url|uri|version|header|field|label|type|policy|length|size|hash|ref|arn|regex|"
    r"pattern|prefix|format|alias|column|env|store|provider)$"
)
NAME = re.compile(
    r"(?:api|access|auth|account|client|db|database|encryption|license|master|priv|private|service|signing|ssh|storage)_?key"
    r"|passw(?:or)?d|passphrase|passwort|kennwort|pwd|secret|contrase[nñ]a|credential|(?:^|_)pass$"
    r"|(?:access|api|auth|bearer|bot|ci|github|gitlab|npm|pypi|sentry|vault|csrf|deploy|id|refresh|session|signing|slack|"
    r"webhook)_?token",
    re.IGNORECASE,
)
"""Names that hold secrets."""
NAME_ANCHORS = ("pass", "pwd", "secret", "key", "token", "contrase", "kennwort", "credential")
IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+)*\d?|\[redacted.*|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|\W*")
"""A variable, an attribute: what stands in code where a value would."""


def names_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret: ``db_password`` does, ``password_hash`` does not."""
    normal = normalized(name)
    return bool(NAME.search(normal)) and not ABOUT.search(normal.rpartition("_")[2])


def normalized(name: str) -> str:
    """A name with its words joined by underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.:]", "_", name)


def says_what_it_is(value: str, name: str) -> bool:
    """A value that is a type, a word for a secret or its own name: ``"password": "string?"``, ``apiKey = "apiKey"``."""
    word, named = normalized(value), normalized(name)
    own = f"_{named}".lower().endswith(f"_{word}".lower())
    return own or value.rstrip("?") in TYPES or bool(NAME.fullmatch(word))


def holds_secret(match: re.Match[str]) -> bool:
    """A literal assigned to a secret's name, and not a template, a reference, a path or a type."""
    value = match["value"]
    return names_secret(match["name"]) and not is_reference(value) and not says_what_it_is(value, match["name"])


def holds_bare_secret(match: re.Match[str]) -> bool:
    """Without quotes a value is a literal only when it mixes letters and digits, and no name of code does."""
    value = match["value"]
    mixed = re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
    return bool(mixed) and not IDENTIFIER.fullmatch(value) and holds_secret(match)


def is_set_secret(match: re.Match[str]) -> bool:
    """A variable of the environment that holds a password: its value may be a plain word."""
    value = match["value"]
    return not FLAG.fullmatch(value) and not value.isdigit() and holds_secret(match)


def is_optional_secret(match: re.Match[str]) -> bool:
    """The value of ``--password``: a word of prose behind the option is none."""
    value, named = match["value"], names_secret(match["name"]) or match["name"].lower() in {"token", "pass"}
    if not named or value.startswith("-") or is_reference(value):
        return False
    ends = re.match(r"['\"`]|\s*(?:$|\n|-)", match["rest"]) is not None
    return bool(match["quote"] or re.search(r"[\d!@%^*$#&]|[a-z][A-Z]", value)) or (
        ends and is_plain_password(value, "")
    )


def is_literal(match: re.Match[str]) -> bool:
    """A password in an address or a command, not a variable in its place, nor the number of a group or a port."""
    return not is_reference(match[1]) and not (match[1].isdigit() and "://" not in match[0])


def is_random(match: re.Match[str]) -> bool:
    """A value of a vendor's shape that mixes digits with both cases."""
    return is_machine_secret(match["value"].rstrip("."), "")


def stands_alone(match: re.Match[str]) -> bool:
    """No letter or digit before it, but those of a line break as code writes it."""
    before = match.string[max(match.start() - 2, 0) : match.start()]
    return not before[-1:].isalnum() or before in {"\\n", "\\r", "\\t"}


def is_jwt(match: re.Match[str]) -> bool:
    """Header and payload are really base64 of JSON objects."""
    try:
        for part in match[1].split("."):
            padded = part.rstrip("=") + "=" * (-len(part.rstrip("=")) % 4)
            if not isinstance(json.loads(base64.urlsafe_b64decode(padded)), dict):
                return False
    except ValueError:
        return False
    return True


VENDORS = tuple(
    Rule(kind, tuple(anchors.split()), pattern, min(pattern.groups, 1), stands_alone)
    for kind, anchors, shape in SHAPES
    for pattern in (re.compile(shape),)
)
LONG_WORD = re.compile(r"[^\s\"'<>()]{16,}")
"""What may hold a vendor's token."""
OURS: tuple[Rule | Mentions, ...] = (
    Rule("private-key", ("-----begin",), PEM),
    Rule("private-key", ("-----end",), PEM_TAIL),
    Rule("private-key", ("private-lines",), PUTTY),
    Rule("json-web-token", ("eyj",), JWT, accept=is_jwt),
    Rule("password", ("://",), URL_PASSWORD, 1, is_literal),
    Rule(
        "authorization",
        ("bearer", "basic"),
        re.compile(r"\b(?:bearer|basic)\s+((?=[^\s]{0,400}\d)[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE),
        1,
    ),
    Rule("secret", NAME_ANCHORS, QUOTED, 3, holds_secret),
    Rule("secret", NAME_ANCHORS, BARE, 2, holds_bare_secret),
    Rule("secret", ("pass", "pwd"), VARIABLE, 2, is_set_secret),
    Rule("secret", NAME_ANCHORS, ELEMENT, 2, holds_secret),
    Rule("secret", NAME_ANCHORS, ATTRIBUTE, 2, holds_secret),
    Rule("secret", NAME_ANCHORS, OPTION, 3, is_optional_secret),
    Rule("password", ("curl", "wget", "http"), USER_OPTION, 1, is_literal),
    Rule("password", ("mysql", "mariadb", "sshpass"), MYSQL_OPTION, 1, is_literal),
    Rule("password", ("login",), NETRC, 1, is_literal),
    Rule("password", (":",), PGPASS, 1, is_literal),
    Mentions(),
    Rule("secret", ("_key",), KEY_VARIABLE, 1, is_random),
    Rule("secret", ("_live_",), LIVE, 1, is_random),
)
