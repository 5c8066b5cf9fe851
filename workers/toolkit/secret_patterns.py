"""All rules that find a secret in a text: by its shape (vendors' tokens, private keys, hashes, passwords in addresses),
by the name or the place that holds it (`key_values`), and by a sentence that tells it (`password_mentions`).

Entropy is not used: commit hashes, UUIDs and checksums are what answers are made of.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workers.toolkit.key_values import secret_values
from workers.toolkit.password_mentions import MENTION_ANCHORS, Span, is_machine_secret, mentions
from workers.toolkit.secret_values import is_example, stands_for_other
from workers.toolkit.vendor_tokens import SHAPES


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
            told = text[start:end]
            if start >= last and not stands_for_other(told, "plain") and not is_example(told):
                yield start, end
                last = end


@dataclass(frozen=True)
class Reader:
    """What keys and their values tell, as a rule among the others."""

    kind: str = "secret"
    anchors: tuple[str, ...] = ()

    def spans(self, text: str) -> Iterator[Span]:
        """Start and end of each secret, from left to right, none within another."""
        yield from secret_values(text)


PEM = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?:(?!-----BEGIN)[\s\S]){0,8000}?-----END (?P=label)-----|(?:[\s>+|#*\"'\\n]*[A-Za-z0-9+/=]{20,})*)"
)
PEM_TAIL = re.compile(
    r"(?m)(?:^[ \t]*[A-Za-z0-9+/=]{16,}[ \t]*\n){1,120}[ \t]*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
)
PUTTY = re.compile(r"Private-Lines: \d+(?:\n[A-Za-z0-9+/=]{4,})+")
JWT = re.compile(r"(eyJ[A-Za-z0-9_-]{8,}={0,2}\.[A-Za-z0-9_-]{8,}={0,2})(?:\.[A-Za-z0-9_+/=-]*)?")
HASHES = tuple(
    re.compile(shape)
    for shape in (
        r"(?<![\w$])\$(?:2[abxy]?|1|5|6|7|y|gy|md5|sha1|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-\w+)?|P|H)\$[^\s:'\"`,<>|]{16,300}",
        r"\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2\w*)\}[^\s:'\"`,<>|]{12,300}",
        r"\b(?:pbkdf2_\w{3,10}|bcrypt_sha256|argon2|scrypt|sha1|md5|pbkdf2:\w{3,10}(?::\d+)?|scrypt:\d+:\d+:\d+)\$[^\s:'\"`,<>|]{16,300}",
        r"\bSCRAM-SHA-(?:1|256|512)\$\d+:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=:]{16,}",
        r"(?m)^[\w.-]{1,40}:(?=\S*[0-9])(?=\S*[A-Z])(?=\S*[a-z])([./0-9A-Za-z]{13})$",
        r"(?m)^[\w.-]{1,40}:[\w .-]{1,60}:([0-9a-f]{32})$",
        r"\b[\w.-]{1,40}:\d{3,6}:([0-9a-fA-F]{32}:[0-9a-fA-F]{32}):",
    )
)
"""Hashes of passwords, as programs and their files keep them."""
URL_PASSWORD = re.compile(r"://[^\s/:@'\"<>]{0,100}:([^\s/'\"<>]{1,200})@")
LIVE = re.compile(r"\b(?P<value>[A-Za-z]{2,12}_live_[0-9A-Za-z]{12,200})\b")
"""A key as vendors write them: whose, of which kind, and a random part: ``ab_live_…``."""


def is_literal(match: re.Match[str]) -> bool:
    """A password in an address, not a variable in its place and no example."""
    return not (stands_for_other(match[1], "plain") or is_example(match[1]))


def is_machine_made(match: re.Match[str]) -> bool:
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
OURS: tuple[Rule | Reader | Mentions, ...] = (
    Rule("private-key", ("-----begin",), PEM),
    Rule("private-key", ("-----end",), PEM_TAIL),
    Rule("private-key", ("private-lines",), PUTTY),
    Rule("json-web-token", ("eyj",), JWT, accept=is_jwt),
    *(Rule("password-hash", (":", "$", "}"), pattern, min(pattern.groups, 1)) for pattern in HASHES),
    Rule("password", ("://",), URL_PASSWORD, 1, is_literal),
    Rule(
        "authorization",
        ("bearer", "basic"),
        re.compile(r"\b(?:bearer|basic)\s+((?=[^\s]{0,400}\d)[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE),
        1,
    ),
    Reader(),
    Mentions(),
    Rule("secret", ("_live_",), LIVE, 1, is_machine_made),
)
