"""Whether a value is a secret, by what its name says of it and by how it stands there.

A reference, a mask, a type, a state, an example and the name itself are none, whatever stands before them.
"""

from __future__ import annotations

import base64
import re
from typing import Literal

from workers.language.secret_names import Kind, kind_of_name, parts_of
from workers.language.stop_words import STOP_WORDS
from workers.toolkit.password_mentions import ORDINARY, STATES, TYPES, mixes_signs

Form = Literal["quoted", "plain", "code"]
"""In quotes; without them where no variable can stand (a file of settings, a command, a cell); bare in code."""

BLANKED = re.compile(
    r"[*•●·xX#._…\-?]+|\W{0,8}(?:redacted|masked|hidden|omitted|removed|filtered|censored|snip)\W{0,8}", re.IGNORECASE
)
CLOSING = re.compile(r"[)}\],;:]")
MASKED = re.compile(r"\*{3}|\.{3}|…|x{4}|X{4}|•{3}")
STAND_IN = re.compile(
    r"[$%#]?[{(<\[].*|\$[A-Za-z_(]\w*\)?|\$[A-Z][A-Z0-9_]{2,40}[-./]\w{1,20}|%\w+%|@\w+@|!(?:vault|secret|Ref|Sub|env|encrypted|GetAtt)\b.*"
    r"|[A-Za-z]\w*\[[\w, |.\[\]]*\]|\{\{.*|.*\$\{.*|.*\{\{.*|.*%[({]\w+[)}].*|<.*>|%[sdv]|\{\w*\}"
)
CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(.*)?")
PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w./@{}-]*|[A-Za-z]:\\.*|\.{1,2}/.*|[\w.-]+(?:/[\w.-]+)+\.[a-z]{2,5}|[\w-]+\.(?:txt|pem|key|ya?ml|json|env|crt|conf)"
)
LOWER_PATH = re.compile(r"[a-z_.-]+(?:/[a-z_.:-]+)+")
LOOKUP = re.compile(r"[a-z][a-z0-9+_-]{1,20}:/{0,2}(?:[a-z0-9_.-]{1,60}[/:#]){1,8}[a-z0-9_.#-]{1,60}")
"""Where a secret is kept: ``vault:team/mail#password``."""
DIGEST = re.compile(r"(?i:sha\d{1,3}|md5|blake\w{1,4})[:-][A-Za-z0-9+/=]{20,}")
ADDRESS = re.compile(r"[a-z][a-z+.-]*://.*|arn:.*|[\w.+-]+@[\w-]+\.[\w.]+|//.*")
FLAG = re.compile(
    r"(?i:true|false|yes|no|on|off|null|none|nil|undefined|empty|unset|auto|default|enabled|disabled|required|optional|prompt|ask|file|env|n/?a|any|all|same|read|write)"
)
MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d\d?:\d\d(?::\d\d)?|\d+(?:\.\d+)?\s?(?:ms|s|m|h|d|w|y|min|sec|days?|hours?"
    r"|minutes?|seconds?|chars?|bytes?|[kmg]i?b)|v?\d+(?:\.\d+)+[-+.\w]{0,12}"
)
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
HEXADECIMAL = re.compile(r"[0-9a-fA-F]{16,}")
IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+)*\d?|[a-z]+(?:[A-Z][a-z]+)+\d?|[A-Z][a-z]+(?:[A-Z]\w*)*")
KEBAB = re.compile(r"[a-z]+\d{0,2}(?:[-_.:/][a-z]{2,}\d{0,3})*(?:[-_.:/]v?\d{1,4}(?:\.\d+)*)*")
LOOKED_UP = re.compile(r"[a-z]+\d?(?:[A-Z][a-z]+)*(?:[_.:][a-z]+\d?(?:[A-Z][a-z]+)*)+")
KEY_NAME = re.compile(r"(?i)keys?$")
UPPER_CODE = re.compile(r"[A-Z]{2,}(?:[-_][A-Z0-9]+)*[-_]?\d{0,4}")
PLAIN_WORD = re.compile(r"[^\W\d_]+")
CALLING = re.compile(r"[A-Za-z_][\w.]*\([\w., \"'=]*\)?")
CALL = re.compile(r"[\w.>$-]*\(.*")
PROSE = frozenset(
    "must should may can be is are was not has have to the a your you enter please type here contains at"
    " least characters"
    " long with without and or for of in on if when field incorrect wrong invalid missing forgot"
    " vergessen eingeben ist nicht oder und mindestens zeichen olvidó incorrecta introduzca oublié incorrect".split()
)
FILLERS = frozenset(
    "your my the a an some change changed me it this here example examples sample placeholder dummy replace"
    " with insert enter put"
    " todo tbd fixme foo bar baz redacted hidden none value string goes in be set fill default please now"
    " later to from generated"
    " generate random strong long real actual prod super dein mein hier aendern ändern tu su aqui cambiar"
    " cambiame remplacer"
    " changeit user username db database yours x xx xxx xxxx xxxxx xxxxxx xxxxxxxx not".split()
)
"""What examples are made of, beside words for secrets."""
NOUNS = frozenset(
    "password passwd pass pwd pw passphrase secret token key api apikey auth access client private"
    " credential credentials passwort"
    " kennwort contraseña clave code pin jwt bearer signing webhook admin root".split()
)
SPOKEN = re.compile(r"(?:ed|able|ible|ing|less)$")
"""How words end that say how a password is."""
EXAMPLE_HEADS = (
    "changeme",
    "change-me",
    "change_me",
    "replaceme",
    "replace_me",
    "replace-me",
    "example",
    "placeholder",
    "yourpass",
    "your-",
    "your_",
)
SCHEMES = re.compile(
    r"(?i:bearer|basic|token|apikey|api-key|key|digest|bot|splunk|negotiate|sso-key|genie[Kk]ey|hmac)\s+"
)
PLURAL = re.compile(r"(?<!\wpas)s$", re.IGNORECASE)
SECRET_NAME = re.compile(r"(?i)secret$")
PIN_DIGITS = range(4, 13)


def holds_secret(name: str, value: str, form: Form, kind: Kind | None = None) -> bool:
    """Whether a value behind a name is a secret. ``kind`` where the place itself tells it, not the name."""
    kind = kind or kind_of_name(name)
    if kind == "none" or len(value) < 3 or stands_for_other(value, form) or is_example(value, name):
        return False
    if kind == "any" or (
        form == "quoted" and SECRET_NAME.search(name) and len(value) >= 8 and PLAIN_WORD.fullmatch(value)
    ):
        return is_any_secret(name, value, form)
    if scheme := SCHEMES.match(value):
        return holds_secret("token", value[scheme.end() :], "quoted", "any") and " " not in value[scheme.end() :]
    if value.isdigit():
        return kind == "machine" and len(value) in PIN_DIGITS and bool(re.search(r"(?i)pin|otp|code|puk", name))
    return is_machine_made(value) if kind == "machine" else is_random(value) and not KEBAB.fullmatch(value)


def is_any_secret(name: str, value: str, form: Form) -> bool:
    """What stands behind a name that always holds a secret: no number below a thousand, no prose, no name of code."""
    if value.isdigit():
        return len(value) >= 4 and not PLURAL.search(name)
    if re.search(r"\s", value):
        return form != "code" and is_phrase(value)
    if LOOKED_UP.fullmatch(value) and KEY_NAME.search(name):
        return False
    if form == "code":
        mixed = re.search(r"\d", value) and re.search(r"[^\W\d_]", value)
        return bool(mixed) and not IDENTIFIER.fullmatch(value) and not DOTTED.fullmatch(value)
    if re.fullmatch(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+", value) and any(p in NOUNS for p in parts_of(value)):
        return False
    word = value.lower().rstrip(".!,;:?")
    if word in STATES or word in TYPES or word in PROSE:
        return False
    if form == "plain" and PLAIN_WORD.fullmatch(value) and value.islower() and len(value) > 5:
        return not (SPOKEN.search(value) and name.isalpha())
    return len(value) > 3 or bool(re.search(r"[\W\d]", value))


def is_worded(word: str) -> bool:
    """A word as a language has it: a vowel, and never five consonants in a row."""
    return not re.search(r"[^aeiouyäöüáéíóú]{5}", word) and bool(re.search(r"[aeiouy]", word))


def is_phrase(value: str) -> bool:
    """Words in a row that are no sentence: a passphrase."""
    words = [w.lower().strip(".,!?:;") for w in value.split()]
    if not 2 <= len(words) <= 24 or any(w in STOP_WORDS or w in PROSE or w in NOUNS or w in FILLERS for w in words):
        return False
    if value[:1].isupper() and value[1:2].islower() and all(w.isalpha() for w in words):
        return False
    return all(len(w) < 40 for w in words)


def stands_for_other(value: str, form: Form) -> bool:
    """A template, a variable, a path, an address, a type, a state, a moment, a mask."""
    if "[redacted:" in value or BLANKED.fullmatch(value) or STAND_IN.fullmatch(value):
        return True
    if any(shape.fullmatch(value) for shape in (CONSTANT, PATH, LOWER_PATH, LOOKUP, DIGEST, ADDRESS)):
        return True
    if (
        MASKED.search(value)
        or CLOSING.match(value)
        or (DOTTED.fullmatch(value.lstrip("~!@")) and not re.search(r"\d", value))
    ):
        return True
    if FLAG.fullmatch(value) or MOMENT.fullmatch(value) or value.rstrip("?") in TYPES:
        return True
    if re.fullmatch(r"[a-z][a-z_-]*(?:\.[a-z][a-z_-]*)+", value):
        return True
    return bool(CALLING.fullmatch(value)) or (form == "code" and bool(CALL.fullmatch(value)))


def is_example(value: str, name: str = "") -> bool:
    """A word for a secret, its own name, or what a reader is to replace: ``changeme``, ``your-api-key``."""
    lowered = value.lower()
    if lowered.startswith(EXAMPLE_HEADS):
        return True
    parts = re.findall(r"[a-zà-ÿ]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value).lower())
    digits = re.search(r"\d{2}", value)
    if parts and not digits and all(p in FILLERS or p in NOUNS for p in parts):
        return True
    plain = re.sub(r"[\W_]", "", lowered)
    last = parts_of(name)[-1:]
    own = re.sub(r"[\W_]", "", name.lower())
    if last and not digits and len(parts) > 1 and (parts[-1] == last[0] or (len(own) > 4 and plain.endswith(own))):
        return True
    return bool(plain) and not digits and own.endswith(plain)


def is_machine_made(value: str) -> bool:
    """What nobody writes as a word: letters with digits, hexadecimal, a UUID, letters in no order of a language."""
    if re.search(r"\s", value) or len(value) < 6:
        return False
    if UUID.fullmatch(value) or HEXADECIMAL.fullmatch(value) or is_encoded_pair(value):
        return True
    if ORDINARY.fullmatch(value) or KEBAB.fullmatch(value) or UPPER_CODE.fullmatch(value):
        return False
    if re.fullmatch(r"[^\W\d]+(?:[._][^\W\d]+)+", value) or value.startswith("_"):
        return False
    letters, digits = re.search(r"[^\W\d_]", value), re.search(r"\d", value)
    if letters and digits:
        return len(value) >= 8 or bool(re.search(r"[^\w.-]", value))
    return bool(letters) and len(value) >= 10 and not is_worded_all(value)


def is_worded_all(value: str) -> bool:
    """Whether all of a value reads as words."""
    return all(is_worded(part) for part in re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value).lower()))


def is_random(value: str) -> bool:
    """Digits with both cases, or with signs of a password; a name of ours has none of it."""
    if len(value) < 8 or re.search(r"\s", value) or ORDINARY.fullmatch(value) or UUID.fullmatch(value):
        return False
    return mixes_signs(value)


def is_encoded_pair(value: str) -> bool:
    """A user and a password in base64, as Docker keeps them."""
    if len(value) < 8 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value):
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except ValueError:
        return False
    return bool(re.fullmatch(r"[\w.@-]{1,80}:[\x20-\x7e]{3,}", plain))
