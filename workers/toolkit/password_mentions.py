"""Passwords that people write in a sentence: "the staging password is …", "creds are admin:…", "das Kennwort lautet …".

Three parts make a mention: a noun for a secret, a link close behind it ("is", "=", "auf"), and a value right after the
link that nobody would write as a word there. The noun says how strange the value has to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.language.secret_names import kind_of_name

Span = tuple[int, int]

ELSEWHERE = (
    "mot de passe|mdp|senha|palavra-passe|wachtwoord|hasło|hasła|haslo|пароль|пароля|пароле|密码|密碼|口令"
    "|パスワード|暗証番号|비밀번호|암호|şifre|lösenord|adgangskode|passord|salasana|heslo|jelszó|parola|parolă|parool"
    "|lozinka|geslo|κωδικό|كلمة المرور|סיסמה|รหัสผ่าน|mật khẩu|kata sandi|password è"
).split("|")
"""A password in further languages. There the value alone tells: letters with digits or signs, on the noun's line."""
ANCHORS = {
    "password": ("pass", "pw", "kennwort", "contrase", "clave"),
    "pin": ("pin", "passcode"),
    "pair": ("cred", "login", "log in", "zugang", "anmelde", "acceso"),
    "other": ("secret", "token", "cred", "key"),
    "foreign": tuple(ELSEWHERE),
    "administrator": ("admin", "root", "sa:", "sa/", "postgres"),
}
"""What the text holds in lower case where a noun of each sort stands."""
MENTION_ANCHORS = tuple(anchor for anchors in ANCHORS.values() for anchor in anchors)
PASSWORD = re.compile(
    r"(?<!redacted:)(?:password|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena"
    r"|\b(?:pw|pwd|clave|pass(?=[\"'`*]{0,2} ?[:=]))(?![-\w]))",
)
"""In lower case, as all nouns here. ``pass`` is a verb, unless a colon or an equals sign follows."""
FOREIGN = re.compile("|".join(ELSEWHERE))
FOREIGN_VALUE = re.compile(r"(?<![!-~])[\"'`*(\[]{0,3}(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{4,200}))")
LINK_READS = re.compile(
    r"\b(?:lautet|heißt|reads)[\s\"'`*_:]{1,5}"
    r"(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{4,200}))",
    re.IGNORECASE,
)
SPANISH = re.compile(r"(?:contraseña|contrasena|\bclave)(?![-\w])")
PIN = re.compile(r"(?<!redacted:)\b(?:pin|passcode)\b")
PAIR = re.compile(r"\b(?:creds|credentials|login|log ?in|zugang|zugangsdaten|anmeldedaten|credenciales|acceso)\b")
OTHER = re.compile(
    r"(?<!redacted:)\b(?:tokens?|secrets?|credentials?|creds|"
    r"(?:api|access|secret|private|signing|admin|service|license|encryption)[ -]?key)\b",
)
"""Secrets of machines, of which people say much else: only a value that is no word at all counts."""
WINDOW = 100
"""Letters after the noun in which its value begins."""
LINK = re.compile(
    r"(?:[=:]|(?<![^\W_])(?:is|was|are|now|to|use|ist|war|lautet|auf|es|era|siendo|(?<=['’])s)(?![\w-]))"
    r"(?: (?:still|now|again|set to|jetzt|ahora))?[\s\"'`*_=>]{1,5}(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{4,200}))",
    re.IGNORECASE,
)
LINK_TO_WORD = re.compile(
    r"(?<![^\W_])(?:is|was|now|ist|war|lautet|es|era|siendo|(?<=['’])s)(?: (?:still|now|again|jetzt|ahora))?"
    r"[\s\"'`*_]{1,5}(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{6,200}))",
    re.IGNORECASE,
)
LINK_TO_QUOTED = re.compile(
    r"[^=:;,.]{0,60}(?:[=:]|\b(?:to|use|auf|a)\b)[\s*_=>]{0,4}[\"'`](?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{6,200}))",
    re.IGNORECASE,
)
"""A plain word behind a colon, an equals sign or "to" is a variable or prose, unless it stands in quotes, and nothing
else is assigned before it."""
SPANISH_TO = re.compile(r"\ba[\s\"'`*_]{1,5}(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{4,200}))", re.IGNORECASE)
ARROW = re.compile(r"(?:->|→) ?(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{4,200}))")
COMMA = re.compile(r", (?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{6,200}))")
BESIDE = re.compile(r" [\"'`*_]{0,2}(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{6,200}))")
"""No link at all: "user deploy password …"."""
AT_ONCE = (BESIDE, LINK_TO_QUOTED)
"""Links that begin where the noun ends."""
QUOTED_WORDS = re.compile(r"[=:\w] ?[\"'`](?P<value>[a-z]{3,12}(?: [a-z]{3,12}){2,7})[\"'`]")
"""A passphrase of words, in quotes."""
NAME_AND_VALUE = re.compile(r"(?<![\w/.:@-])[\w.@-]{2,40}(?:[:/]| / | : )(?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{5,200}))")
LOGIN_AND_VALUE = re.compile(
    r"(?<=[\w.-])@[\w.-]{3,60} (?:and|und|y|with|mit|con) (?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{5,200}))"
)
ADMINISTRATOR = re.compile(
    r"(?<![\w/.:@-])(?:admin|administrator|root|sa|postgres)[:/](?=(?P<value>[^\s\"'`,;<>()\[\]{}|]{6,200}))"
)
AS_PASSWORD = re.compile(r"[\"'`]? (?:as|als|como)(?: \w{1,10}){0,2} $", re.IGNORECASE)
LAST_WORD = re.compile(r"[^\s\"'`,;<>()\[\]{}|]{4,200}\Z")

TEMPLATE = re.compile(r"^[$<{%]|^[*/]+$|^[xX]+$|^[.…]+$|^\[redacted:")
REFERENCES = (
    re.compile(r"^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][a-z_-]*(?:\.[a-z][a-z_-]*)+)$"),
    re.compile(r"^[xX](?:-[A-Za-z]+)+$"),
    re.compile(r"^(?:\.{1,2}/|~/|/)|^[a-z_.-]+(?:/[a-z_.-]+)+$|^[a-z][a-z+]*://"),
)
"""A variable or an attribute; a header; a path or an address."""
ORDINARY = re.compile(
    r"v?\d+(?:\.\d+)+(?:[-+]\S*)?|\d+[a-zA-Z%]{0,12}|[\d.,:/TZ+*-]+|[A-Z]{2,}(?:[-_]?\d+)+|[A-Z]{2,}(?:_[A-Z0-9]+)+"
    r"|[a-z]+(?:[-_][a-z]+)*[-_]\d{1,3}|[a-z]+(?:_[a-z]+)+\d?|[\w.]+\.(?:py|go|js|ts|java|rb|md|ya?ml|json|txt)(?::[\d-]+)?"
    r"|\w+\(.*|[CUTWDG][A-Z0-9]{8,11}|(?i:sha|md|aes|rsa|rc|utf|base|oauth|argon|ipv)-?\d+(?:-?\w{1,4})?|#[0-9a-fA-F]{3,8}"
    r"|@[a-z][a-z._-]*|[a-z]+(?:_[a-z]+)*\d*=(?:True|False|None|\d+)"
)
"""Versions, amounts, moments, codes, numbered names, names of code, files, calls, Slack's ids, algorithms, colours,
people, arguments."""
TYPES = frozenset("string integer number boolean object".split())
STATES = frozenset(
    """password passwd passphrase passcode passwort kennwort username credential credentials option options strings
    always secret public private hidden visible random strong simple common unknown
    unset correct incorrect wrong invalid default somewhere elsewhere there outside inside english mandatory necessary
    falsch richtig pflicht ungültig korrekt geheim bekannt unbekannt einfach incorrecta correcta obligatoria inválida
    secreta pública débil please thanks bitte""".split()
)
"""Words of six letters and more that say how a password is, or that are another word for it."""
ADJECTIVE = re.compile(r"(?:ed|en|er|em|es|ing|able|ible|al|ive|ory|ary|ent|ant|ic|less|ful|ous|ly|ada|ida|ados|t)$")


def mentions(text: str) -> Iterator[Span]:
    """Where passwords and other secrets stand that a sentence tells, each start and end once, in no order."""
    lowered = text.lower()
    sorts = {sort for sort, anchors in ANCHORS.items() if any(anchor in lowered for anchor in anchors)}
    if len(lowered) != len(text):  # a letter that is two in lower case
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    for sort, noun, links, judge in NOUNS:
        for found in noun.finditer(lowered) if sort in sorts else ():
            if not is_part_of_other(text, found):
                yield from after(text, found.end(), links, judge)
    if "administrator" in sorts:
        for found in ADMINISTRATOR.finditer(text):
            yield from judged(found, 0, is_machine_secret, "")
    if "password" in sorts:
        for found in PASSWORD.finditer(lowered):
            yield from before(text, found.start())


AROUND = 60
NAME_END, NAME_START = re.compile(r"[\w.\-]{0,60}"), re.compile(r"[\w.\-]{0,60}\Z")


def is_part_of_other(text: str, noun: re.Match[str]) -> bool:
    """Whether a noun is a part of a name that holds no secret: ``PASSWORD_MIN_LENGTH``."""
    head = NAME_START.search(text[max(noun.start() - AROUND, 0) : noun.start()])
    tail = NAME_END.match(text[noun.end() : noun.end() + AROUND])
    name = f"{head[0] if head else ''}{text[noun.start() : noun.end()]}{tail[0] if tail else ''}".strip(".-")
    return bool(re.search(r"[a-zA-Z][_.-][a-zA-Z]|[a-z][A-Z]", name)) and kind_of_name(name) == "none"


def after(
    text: str, start: int, links: tuple[re.Pattern[str], ...], judge: Callable[[str, str], bool]
) -> Iterator[Span]:
    """Values behind a noun, on its line."""
    window = text[start : start + WINDOW].partition("\n")[0]
    wide = text[start : start + WINDOW + 200].partition("\n")[0]
    for link in links:
        for found in link.finditer(wide):
            at = found.start("value")
            if found.start() < len(window) and (link not in AT_ONCE or found.start() == 0):
                yield from judged(found, start, judge, wide[at + len(found["value"]) :])


def judged(found: re.Match[str], start: int, judge: Callable[[str, str], bool], rest: str) -> Iterator[Span]:
    """The span of a value that is a secret; a full stop at its end belongs to the sentence."""
    value = found["value"]
    kept = value.rstrip(".?:")
    if kept and judge(kept, value[len(kept) :] + rest):
        at = start + found.start("value")
        yield at, at + len(kept)


def before(text: str, start: int) -> Iterator[Span]:
    """A value that is told before its noun: "use … as the password"."""
    head = text[max(start - WINDOW, 0) : start].rpartition("\n")[2]
    joint = AS_PASSWORD.search(head)
    value = LAST_WORD.search(head[: joint.start()]) if joint else None
    if value and is_password(value[0], ""):
        at = start - len(head) + value.start()
        yield at, at + len(value[0])


def always(value: str, rest: str) -> bool:
    """Accept every value."""
    del value, rest
    return True


def is_reference(value: str) -> bool:
    """A value that stands for something else: a template, a variable, a path, an address."""
    return bool(TEMPLATE.search(value)) or any(pattern.search(value) for pattern in REFERENCES)


def is_password(value: str, rest: str) -> bool:
    """Letters with digits or signs, and nothing that answers are made of; or three words and more joined by hyphens."""
    if is_reference(value) or ORDINARY.fullmatch(value) or rest.startswith(("(", "[", "{")):
        return False
    letters = re.search(r"[^\W\d_]", value)
    if re.fullmatch(r"[a-z]{3,12}(?:-[a-z]{3,12}){2,7}", value):
        return not PASSWORD.search(value.lower())
    return bool(letters and (re.search(r"\d", value) or re.search(r"[!@%^*$#&?~]", value)))


def is_plain_password(value: str, rest: str) -> bool:
    """A single word that ends its sentence and neither says how a password is nor of which type."""
    ends = re.match(r"[\"'`*_]{0,2}\s*(?:[.!,;)]|$|\n)", rest) is not None
    word = re.fullmatch(r"[a-zà-ÿ]{6,40}", value) is not None
    return ends and word and value not in STATES | TYPES and not ADJECTIVE.search(value)


def is_quoted_word(value: str, rest: str) -> bool:
    """A plain password whose quotes end right behind it."""
    return rest[:1] in {'"', "'", "`"} and is_plain_password(value, "")


def is_read_out(value: str, rest: str) -> bool:
    """What a password is said to read: any word that says no state."""
    del rest
    return value.lower() not in STATES | TYPES and not is_reference(value) and "[redacted" not in value


def is_foreign(value: str, rest: str) -> bool:
    """A password of plain letters with digits or signs, in a sentence of whatever language."""
    return value.isascii() and is_password(value, rest)


def is_pin(value: str, rest: str) -> bool:
    """Four to eight digits and nothing else."""
    return bool(re.fullmatch(r"\d{4,8}", value)) and not re.match(r"\s*(?:[a-z%]|\d)", rest)


def is_machine_secret(value: str, rest: str) -> bool:
    """A value that nobody would write as a word: it mixes digits with both cases, or with signs of a password."""
    del rest
    if is_reference(value) or ORDINARY.fullmatch(value) or len(value) < 6:
        return False
    return mixes_signs(value)


def mixes_signs(value: str) -> bool:
    """Whether a value holds digits with letters of both cases, or with signs of a password."""
    mixed = re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    return bool(re.search(r"\d", value) and (mixed or re.search(r"[!@%^*$#&]", value)))


NOUNS: tuple[tuple[str, re.Pattern[str], tuple[re.Pattern[str], ...], Callable[[str, str], bool]], ...] = (
    ("password", PASSWORD, (LINK, ARROW, BESIDE), is_password),
    ("password", PASSWORD, (LINK_TO_WORD,), is_plain_password),
    ("password", PASSWORD, (LINK_TO_QUOTED,), is_quoted_word),
    ("password", PASSWORD, (LINK_READS,), is_read_out),
    ("foreign", FOREIGN, (FOREIGN_VALUE,), is_foreign),
    ("password", SPANISH, (SPANISH_TO,), is_password),
    ("password", PASSWORD, (COMMA,), is_machine_secret),
    ("password", PASSWORD, (QUOTED_WORDS,), always),
    ("pin", PIN, (LINK,), is_pin),
    ("pair", PAIR, (NAME_AND_VALUE, LOGIN_AND_VALUE), is_password),
    ("other", OTHER, (LINK,), is_machine_secret),
)
"""The nouns of each sort, what links them with their values, and which values count."""
