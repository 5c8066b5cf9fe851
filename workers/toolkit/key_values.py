"""Reads keys and their values in every form that texts have, and tells where the values are that are secrets.

A form says which name stands for which value: an assignment, an argument, a call, an entry over two lines, a column, a
manifest. What the name says of the value decides (`secret_names`), never whose name it is. Each form looks at a text
once, and at a bounded part of it around each name, so that the work grows with the text and not faster.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from workers.language.secret_names import Kind, kind_of_name
from workers.language.stop_words import STOP_WORDS
from workers.toolkit.password_mentions import Span
from workers.toolkit.secret_values import (
    PROSE,
    Form,
    holds_secret,
    is_example,
    is_machine_made,
    is_random,
    stands_for_other,
)

LONGEST_VALUE, LONGEST_LINE = 400, 4_000
"""Characters of a value, and of a line's part that is read as a row or as arguments."""
NEAR_LINES, BLOCK_LINES = 3, 8
"""Lines between a name and its value in an entry, and in the block below the name."""


@dataclass(frozen=True)
class Text:
    """A text and its lines. ``plain``: the same length, with its letters as ASCII writes them."""

    plain: str

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.plain))]

    @cached_property
    def lines(self) -> list[str]:
        """The lines."""
        return self.plain.split("\n")

    @cached_property
    def code_lines(self) -> list[int]:
        """The numbers of lines that are those of a program."""
        return [n for n, line in enumerate(self.lines) if CODE_LINE.search(line[:LONGEST_VALUE])]

    def line_of(self, place: int) -> int:
        """The number of the line that holds a character."""
        return bisect_right(self.starts, place) - 1

    def is_code(self, place: int) -> bool:
        """Whether a program stands around a character."""
        at = bisect_right(self.code_lines, self.line_of(place))
        near = self.code_lines[max(at - 1, 0) : at + 1]
        return any(abs(number - self.line_of(place)) <= BLOCK_LINES for number in near)


@dataclass(frozen=True)
class Value:
    """A value as it stands: where, and whether in quotes. ``after``: where what follows it begins."""

    start: int
    end: int
    quoted: bool
    after: int


CODE_LINE = re.compile(
    r"^[-+\s]{0,40}(?:def|class|import|from|return|for|while|function|func|const|let|var|val|public|private|protected|static"
    r"|package|interface|struct|async|await|try|raise|throw|use|fn|if \(|elif|@\w+|#include|//|/\*)\b"
    r"|=>|\w\(\)|\)\s*[{:]?$|\{\s*$|;\s*$"
)
QUOTE = "'\"`"
BARE_VALUE = re.compile(r"[^\s'\"`,;<>(){}\[\]|&\\]{1,400}")
PLAIN_VALUE = re.compile(r"[^\s'\"`,;<>|&\\]{1,400}")
OPENERS = {")": "(", "]": "[", "}": "{"}


def read_value(text: str, at: int, *, wide: bool = False) -> Value | None:
    """The value that begins at a place: what stands in quotes, else what reaches to the next sign that parts values."""
    begin = at
    if text[at : at + 1] in {"@", "b", "r", "f", "u", "$", "N"} and text[at + 1 : at + 2] in {"'", '"'}:
        at += 1
    escape = text[at : at + 1] == "\\" and text[at + 1 : at + 2] in {'"', "'"}
    at += escape
    sign = text[at : at + 1]
    if sign and sign in QUOTE:
        width = 3 if text[at : at + 3] == sign * 3 else 1
        mark = "\\" + sign if escape else sign * width
        start, end = at + width, text.find(mark, at + width, at + width + LONGEST_VALUE)
        while not escape and end > 0 and text[end - 1] == "\\" and text[end - 2] != "\\":
            end = text.find(mark, end + 1, at + width + LONGEST_VALUE)
        if end < 0 or (width == 1 and "\n" in text[start:end]):
            return None
        return Value(start, end, True, end + len(mark))
    found = (PLAIN_VALUE if wide else BARE_VALUE).match(text, begin)
    if not found:
        return None
    end = found.end()
    while end > begin and (opener := OPENERS.get(text[end - 1])) and opener not in text[begin:end]:
        end -= 1
    return Value(begin, end, False, end) if end > begin else None


def judged(text: Text, name: str, value: Value | None, form: Form, kind: Kind | None = None) -> Iterator[Span]:
    """The span of a value that is a secret; what closes a sentence is no part of it."""
    if value is None:
        return
    start, end = value.start, value.end
    plain = text.plain[start:end]
    if not value.quoted:
        plain = plain.rstrip(".?:") if re.search(r"\w[.?:]+$", plain) else plain
    plain = plain.strip() if value.quoted else plain
    if fallback := FALLBACK_VALUE.fullmatch(plain):
        inner = fallback["value"].strip("'\"")
        if holds_secret(name, inner, "plain", kind) or holds_secret(fallback["name"], inner, "plain"):
            at = text.plain.find(inner, start)
            yield at, at + len(inner)
    elif scheme := SCHEME.match(plain):
        if holds_secret(name, plain, form, "machine") or holds_secret("token", plain[scheme.end() :], form, "machine"):
            yield start + scheme.end(), start + len(plain)
    elif plain and holds_secret(name, plain, form, kind):
        at = text.plain.find(plain, start)
        yield at, at + len(plain)


SCHEME = re.compile(
    r"(?i:bearer|basic|token|apikey|api-key|digest|bot|splunk|negotiate|geniekey|hmac|plain|sso-key|key)\s+(?=\S{6})"
)
FALLBACK_VALUE = re.compile(r"\$\{(?P<name>\w+):?[-=?+]?(?P<value>[^{}\n]{3,200})\}")
NAME = re.compile(
    r"(?<![\w.\-])(?P<name>[^\W\d][\w.\-]{0,79})(?P<close>\\?[\"'`]?[\])]{0,2})"
    r"(?P<type>[ \t]?: ?[\w&.<>\[\]| ]{1,24}(?= ?=))?(?P<before>\s{0,6})"
    r"(?P<sign>:=|=>|===?|!==?|\?\?|\|\||\?:|\?=|\+=|=|:|->|→|, ?(?:default|fallback) ?=|,| or )"
    r"(?P<space>[ \t]{0,16}\n?[ \t]{0,24})"
)


def assignments(text: Text) -> Iterator[Span]:
    """``name = value`` with any sign between them, as settings, code, queries and objects write it."""
    plain, next_at = text.plain, 0
    while found := NAME.search(plain, next_at):
        name, sign, at = found["name"].rstrip(".-"), found["sign"], found.end()
        name = name.rpartition(".")[2] if sign in {"||", "??"} else name
        next_at = found.end("name")  # what follows a name that says nothing may be the name that does
        if kind_of_name(name) == "none":
            continue
        value = read_value(plain, at)
        if value is None or ("\n" in found["before"] and sign not in {":", "=", "||", "??"}):
            continue
        if value.quoted:
            if sign[0] == "," and not is_pair(plain, found, value):
                continue
            if sign == " or " and found["close"][-1:] not in {")", "]"}:
                continue
            yield from judged(text, name, value, "quoted")
        elif (
            sign[0] != ","
            and sign not in {"||", "??", "?:", " or ", "->", "→"}
            and "\n" not in found["space"] + found["before"]
        ):
            yield from bare_value(text, found, name, value)


def is_pair(plain: str, found: re.Match[str], value: Value) -> bool:
    """Whether a name and a value in quotes are all that brackets hold: a call, a tuple, no list of words."""
    opened = plain[max(found.start() - 4, 0) : found.start()].rstrip("'\"`bru\\ ")
    closed = plain[value.after : value.after + 4].lstrip()
    if opened[-1:] == "[" and not is_machine_made(plain[value.start : value.end]):
        return False
    return (
        found["close"][:1] in {'"', "'", "`", "\\"} and opened[-1:] in {"(", "[", "{"} and closed[:1] in {")", "]", "}"}
    )


def bare_value(text: Text, found: re.Match[str], name: str, value: Value) -> Iterator[Span]:
    """The value without quotes behind a name and a sign, told apart from a variable by what stands around."""
    plain, sign = text.plain, found["sign"]
    if (
        sign == ":"
        and not found["space"]
        and plain[found.start() - 1 : found.start()] not in {"/", "", " ", "\n", ",", ";"}
    ):
        return
    wide = read_value(plain, value.start, wide=True) or value
    follows = plain[wide.after : wide.after + 2]
    rest = plain[wide.after : wide.after + 80].partition("\n")[0].strip()
    spaced = bool(found["space"] or found["before"])
    line_start = plain.rfind("\n", 0, found.start()) + 1
    head = plain[max(line_start, found.start() - 200) : found.start()]
    if SCHEME.match(plain, value.start):
        yield from judged(text, "token", read_value(plain, value.after + 1, wide=True), "plain", "machine")
        return
    if sign in {"==", "===", "!=", "!==", "=>", "+="}:
        form: Form = "code"
    elif not spaced:
        inside = head.rfind("(") > head.rfind(")") and not head.count('"') % 2 and not head.count("'") % 2
        in_object = sign == ":" and (bool(rest) or text.is_code(found.start()))
        taken_out = plain[wide.end - 1] in "[(" or follows[:1] in {"(", "["}
        form = (
            "code"
            if inside or in_object or taken_out or (follows[:1] == "," and follows[1:] in {" ", "\n", ""})
            else "plain"
        )
    else:
        form = spaced_form(text, found.start(), head, follows, rest)
    if form == "plain":
        yield from judged(text, name, wide, form)
    elif plain[value.after : value.after + 1] not in {"(", "[", "{"} and (
        not spaced or is_machine_made(plain[value.start : value.end])
    ):
        yield from judged(text, name, value, form)


def spaced_form(text: Text, place: int, head: str, follows: str, rest: str) -> Form:
    """How a bare value stands behind a sign with a space: plain where a line of settings is made of nothing else."""
    if follows[:1] in {"(", ".", "["}:
        return "code"
    flow = head.count("{") > head.count("}")
    if flow and (rest.startswith((",", "}")) or not rest) and not re.search(r"\w\(|=>|\breturn\b|\bconst\b", head):
        return "plain" if not re.search(r";\s*$", rest) else "code"
    alone = not rest or rest.startswith(("#", "//", ";;", "<!--")) or bool(re.match(r"[|;,] ?\w+\s?[:=]", rest))
    return "plain" if alone and not text.is_code(place) else "code"


OPTION = re.compile(
    r"(?<![\w-])(?:--?|/)D?(?P<name>[A-Za-z][\w.\-]{1,60})(?P<sign>[= :]|['\"],[ \t]{0,4}"
    r"|[ \t]+\\?\n?[ \t]{0,8})(?=[^\s=])"
)
ABOUT_OPTIONS = STOP_WORDS | frozenset("option options flag flags argument arguments parameter switch value".split())
IN_PROSE = STOP_WORDS | PROSE
"""What stands behind an option, or behind that, where a sentence speaks of it."""
QUOTED_OPTION = re.compile(r"['\"]--?(?P<name>[A-Za-z][\w.-]{1,60})['\"],\s{1,12}(?=['\"])")


def options(text: Text) -> Iterator[Span]:
    """``--password x``, ``--set auth.password=x``, ``"--token", "x"``, ``-Ddb.password=x``, ``/password:x``."""
    plain = text.plain
    for found in OPTION.finditer(plain):
        name, sign = found["name"], found["sign"]
        if (
            kind_of_name(name) == "none"
            or (plain[found.start()] == "/" and sign != ":")
            or (sign == ":" and plain[found.start()] != "/")
        ):
            continue
        value = read_value(plain, found.end(), wide=True)
        if (
            value is None
            or plain[value.start : value.start + 1] in {"-", "|", ">"}
            or plain[value.start : value.end].startswith("-")
        ):
            continue
        rest = plain[value.after : value.after + 40].partition("\n")[0]
        if "," in sign and "=" in plain[value.start : value.end]:  # the next argument of a call
            continue
        word, after = plain[value.start : value.end].rstrip(".,;:"), re.match(r"[.,;:]?\s+([a-z]{2,})", rest)
        if (
            not value.quoted
            and sign != "="
            and word.islower()
            and (word in ABOUT_OPTIONS or (after and after[1] in IN_PROSE))
        ):
            continue
        if sign == "=" or value.quoted or len(found[0]) - len(found[0].lstrip("-")) == 2 or len(name) > 2:
            yield from judged(text, name, value, "plain", "any" if len(name) < 40 else None)
    for found in QUOTED_OPTION.finditer(plain):
        if kind_of_name(found["name"]) != "none":
            yield from judged(text, found["name"], read_value(plain, found.end()), "quoted", "any")


PROGRAMS = {
    "p": "mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli",
    "p ": "sshpass docker podman nerdctl buildah skopeo crane oras az oc mongo mongosh mongodump"
    " mongorestore mongoexport cqlsh evil-winrm hdbsql"
    " helm clickhouse-client arangosh 7z 7za nxc crackmapexec impala-shell",
    "a ": "redis-cli valkey-cli keydb-cli",
    "w ": "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare",
    "P ": "sqlcmd bcp zip unzip zipcloak ipmitool mosquitto_pub mosquitto_sub tsql rar unrar",
    "pw ": "plink pscp putty psftp",
    "c ": "snmpwalk snmpget snmpset snmpbulkwalk",
    "k ": "openssl",
    "s ": "influx",
}
"""Short options that take a secret, with the programs whose options they are; a space: the value may stand apart."""
OPTION_OF = {program: option for option, programs in PROGRAMS.items() for program in programs.split()}
PROGRAM = re.compile(r"(?<![\w.-])(?:[\w./-]{0,60}/)?(?P<program>[a-z0-9][a-z0-9_-]{1,24})(?=[\s'\"\]])")
LOGINS = frozenset({"docker", "podman", "nerdctl", "buildah", "skopeo", "crane", "oras", "az", "oc", "helm"})
"""Programs of which only ``login`` takes one."""
USER_OPTION = re.compile(
    r"(?<![\w-])(?:-u|-U|--user|--proxy-user|--creds|--http-auth)[ =]?['\"]?[^\s:%'\"]{1,80}[:%]([^\s'\"]{3,200})"
)
USERS = frozenset(
    {"curl", "wget", "http", "https", "smbclient", "skopeo", "lftp", "httpie", "xh", "rpcclient", "ab", "wrk"}
)
ENCODED_OPTION = re.compile(r"(?<![\w-])-(?:pass|passin|passout)\s{1,4}pass:([^\s'\"]{3,200})")


def commands(text: Text) -> Iterator[Span]:
    """Short options of programs that take a secret, on a line that goes on behind a backslash."""
    plain = text.plain
    for found in PROGRAM.finditer(plain):
        program = found["program"]
        option, users = OPTION_OF.get(program), program in USERS
        if not (option or users):
            continue
        line = arguments(plain, found.end())
        if users:
            for pair in USER_OPTION.finditer(line):
                yield from literal(text, found.end() + pair.start(1), found.end() + pair.end(1))
        if option and not (program in LOGINS and " login" not in line[:120]):
            apart = r"(?:['\"],)?[ =]{0,2}" if option.endswith(" ") else ""
            for given in re.finditer(rf"(?<![\w-])-{option.strip()}{apart}(?=[^\s-])", line):
                value = read_value(plain, found.end() + given.end(), wide=True)
                yield from given_value(text, value)
    for given in ENCODED_OPTION.finditer(plain):
        yield from literal(text, given.start(1), given.end(1))


def arguments(text: str, at: int) -> str:
    """What is given to a program: the rest of its line, and of those that a backslash joins to it, up to a pipe."""
    end = at
    for _ in range(12):
        stop = text.find("\n", end, end + LONGEST_VALUE)
        if stop < 0:
            end = min(len(text), end + LONGEST_VALUE)
            break
        end = stop
        if text[stop - 1] != "\\":
            break
        end += 1
    found = re.search(r"\s(?:\||\|\||&&|;)\s", text[at:end])
    return text[at : at + found.start()] if found else text[at:end]


def given_value(text: Text, value: Value | None) -> Iterator[Span]:
    """The value of an argument that is known to be a secret by its place."""
    if value is not None:
        yield from literal(text, value.start, value.end)


def literal(text: Text, start: int, end: int) -> Iterator[Span]:
    """A secret by its place: whatever it is, but a variable in its place, a port or an example."""
    plain = text.plain[start:end]
    if len(plain) >= 3 and not plain.isdigit() | stands_for_other(plain, "plain") | is_example(plain):
        yield start, end


PLACED = tuple(
    (tuple(anchors.split()), re.compile(shape))
    for anchors, shape in (
        (
            "identified",
            r"(?i)\bIDENTIFIED\s+(?:WITH\s+\S{1,40}\s+)?(?:BY|AS)\s+(?:PASSWORD\s+)?['\"]([^'\"\n]{3,200})['\"]",
        ),
        ("identified", r"(?i)\bIDENTIFIED\s{1,4}BY\s{1,4}([^\s'\";]{3,200})"),
        ("pass ", r"(?m)^[^\n\w]{0,20}PASS\s(\S{3,100})$"),
        ("hmac", r"(?i)hmac\w{0,8}\(\s{0,4}['\"]\w{1,20}['\"],\s{0,4}['\"]([^'\"\n]{3,200})['\"]"),
        ("jwt", r"\bjwt\.\w{1,20}\([^\n]{1,160}?,\s{0,4}['\"]([^'\"\n]{3,200})['\"]"),
        ("hook", r"://[^\s/]{1,80}/(?:web)?hooks?/(?:[\w-]{1,20}/){0,3}((?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16,60})"),
        ("sensitive", r"\bdefault\s{0,8}=\s{0,4}\"([^\"\n]{3,200})\"(?=[^{}]{0,200}\bsensitive\s{0,8}=\s{0,4}true)"),
        ("sensitive", r"\bsensitive\s{0,8}=\s{0,4}true[^{}]{0,200}\bdefault\s{0,8}=\s{0,4}\"([^\"\n]{3,200})\""),
        ("password", r"(?i)\bPASSWORD\s{1,4}(?:=\s{0,4})?'([^'\n]{3,200})'"),
        ("password", r"(?i)\bPASSWORD\s{0,2}\(\s{0,2}'([^'\n]{3,200})'"),
        (
            "user login",
            r"(?i)\b(?:login|user(?:name)?)\s{1,8}\S{1,60}\s{1,8}(?:password|secret|pass)\s{1,8}(?:[05789]\s)?([^\s'\"]{3,200})(?=\s*$|\s+(?:port|account|priv|macdef))",
        ),
        ("login", r"(?i)\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}([^\s'\"]{3,200})"),
        (
            "username",
            r"(?im)^[ \t]{0,20}username\s\S{1,40}\s(?:privilege \d+ )?(?:password|secret)\s(?:\d\s)?(\S{3,100})[ \t]*$",
        ),
        ("securestring", r"(?i)ConvertTo-SecureString\s+(?:-String\s+)?['\"]([^'\"\n]{3,200})['\"]"),
        ("enable", r"(?im)^[ \t]{0,20}enable\s+(?:secret|password)\s+(?:\d\s+)?(\S{3,100})[ \t]*$"),
        ("snmp-server", r"(?i)\bsnmp-server\s+community\s+(\S{3,60})"),
        (":", r":(?<=[\w*]:)(?:\d{4,5}|\*):[\w*-]{1,63}:[\w*-]{1,63}:([^\s:'\"]{4,200})(?![:\w])"),
        (
            "echo",
            r"\becho\s+(?:-n\s+)?['\"]?([^\s'\"|]{3,100})['\"]?\s*\|\s*(?:docker|podman|helm|sudo|passwd|nerdctl|oras|gpg|cryptsetup|kinit|su|htpasswd)\b",
        ),
        ("chpasswd", r"\becho\s+(?:-e\s+)?['\"]?[\w.-]{1,40}:([^\s'\"|]{3,100})['\"]?\s*\|\s*(?:sudo\s+)?chpasswd"),
        ("<<<", r"(?:sudo -S|cryptsetup|gpg|kinit)[^\n<]{0,80}<<<\s{0,2}['\"]?([^\s'\"]{3,100})"),
        ("rabbitmqctl", r"\brabbitmqctl\s+(?:add_user|change_password)\s+\S{1,60}\s+['\"]?([^\s'\"]{3,100})"),
        ("htpasswd", r"\bhtpasswd\s+-\w{0,6}b\w{0,6}\s+(?:\S{1,80}\s+)?\S{1,60}\s+['\"]?([^\s'\"]{3,100})"),
        (
            "mc ",
            r"\bmc(?:li)?\s+(?:alias set|config host add)\s+\S{1,40}\s+\S{1,120}\s+\S{1,80}\s+['\"]?([^\s'\"]{3,100})",
        ),
        ("net", r"(?i)\bnet\s+user\s+\S{1,60}\s+([^\s/'\"]{3,100})\s+/"),
        ("net", r"(?i)\bnet\s+use\s+\S{1,60}\s+\S{1,100}\s+([^\s/'\"]{3,100})\s+/user"),
        ("vault", r"\bvault\s+(?:login|operator unseal)\s+(?:-\S+\s+)?([^\s'\"=-][^\s'\"=]{7,200})"),
        ("from-literal", r"--from-literal[= ]['\"]?[\w.-]{1,60}=['\"]?([^\s'\"]{3,200})"),
        ("auth", r"(?i)\bAUTH\s+(?:default\s+)?['\"]?([^\s'\"]{3,100})['\"]?\s*(?:\\r\\n|$)"),
        (
            "sqlplus rman",
            r"(?im)^[ \t]{0,20}(?:RUN\s+)?(?:sqlplus|rman)\s+(?:-\S{1,20}\s+){0,4}[\w.-]{1,60}/([^\s@/'\"]{3,100})@",
        ),
        (
            "auth cred",
            r"\b(?:auth|credentials|basic_auth|http_auth)\s{0,2}=\s{0,2}[\[(]\s{0,2}['\"][^'\"\n]{1,80}['\"],\s{0,4}['\"]([^'\"\n]{3,200})['\"]",
        ),
        (
            "auth log sign cred basic bind",
            r"(?i)(?:auth\w*|log_?in|sign_?in|credentials?\w*|basic|bind_?s?)\(\s{0,4}['\"][^'\"\n]{1,80}['\"],\s{0,4}@?['\"]([^'\"\n]{3,200})['\"]\s{0,4}[,)]",
        ),
        (
            "connect",
            r"(?i)connect\w{0,20}\(\s{0,4}[^,()\n]{1,120},\s{0,4}['\"][^'\"\n]{1,60}['\"],\s{0,4}['\"]([^'\"\n]{3,200})['\"]",
        ),
        (
            "getconnection",
            r"(?i)getConnection\(\s{0,4}[^,()\n]{1,160},\s{0,4}[^,()\n]{1,60},\s{0,4}['\"]([^'\"\n]{3,200})['\"]",
        ),
        ("send", r"(?im)^[ \t]{0,20}send\s+(?:--\s+)?\"([^\s\"\\]{4,100})\\r\""),
    )
)
"""Values that their place alone tells, without a name; and what their texts hold in lower case."""


def placed(text: Text) -> Iterator[Span]:
    """Statements, protocols and calls in which the place tells the secret."""
    lowered = text.plain.lower()
    for anchors, pattern in PLACED:
        for found in pattern.finditer(text.plain) if any(anchor in lowered for anchor in anchors) else ():
            yield from literal(text, found.start(1), found.end(1))


SPACED = re.compile(
    r"(?m)^[ \t]{0,40}[-+]?[ \t]{0,40}(?P<lead>(?:RUN |ENV|ARG|SetEnv|PassEnv|export|set|setx|env|config set"
    r"|aws configure set|git config|npm config set|\.)[ \t]+)?"
    r"(?:--global[ \t]+)?(?P<name>[A-Za-z_/:][\w.\-:/]{1,60})[ \t]+(?=[^\s=:,({])"
)
BARE_NAMES = re.compile(
    r"(?i)password|passwords|passphrase|pass|token|secret|key|auth|credentials?|pin|code|login|session|cookie"
)
"""Names that are words of prose as well."""
CALLED = re.compile(r"(?<![\w-])(?P<name>[A-Za-z_]\w{1,60})\((?=\s{0,4}[@rbfu]?['\"])\s{0,4}")
BESIDE = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{1,60})[ \t]{1,4}(?:string|text"
    r"|varchar\(\d+\) default)?[ \t]{0,2}=?[ \t]{0,2}(?=['\"])"
)


def neighbours(text: Text) -> Iterator[Span]:
    """``requirepass x``, ``ENV DB_PASSWORD x``, ``PASSWORD 'x'``, ``setPassword("x")``."""
    plain = text.plain
    for found in SPACED.finditer(plain):
        name = found["name"].rpartition(":")[2] if ":" in found["name"] else found["name"]
        if (not found["lead"] and BARE_NAMES.fullmatch(name)) or kind_of_name(name) == "none":
            continue
        value = read_value(plain, found.end(), wide=True)
        if value is None or plain[value.after : value.after + 60].partition("\n")[0].strip(" \t\"';"):
            continue
        word = plain[value.start : value.end].rstrip(".,:;!?")
        if found["lead"] or value.quoted or not name.isalpha() or name.lower() not in {"password", "secret"}:
            loose = (
                not found["lead"]
                and not value.quoted
                and word.isalpha()
                and not re.search(r"pass$|pw$|pwd$|auth$|_", name)
            )
            yield from () if loose else judged(text, name, value, "plain")
    for found in CALLED.finditer(plain):
        if (kind_of_name(found["name"]) != "none" and not found["name"].startswith(("t", "_"))) or found[
            "name"
        ] == "token":
            value = read_value(plain, found.end())
            if value and value.quoted and re.match(r"\s{0,4}\)", plain[value.after : value.after + 6]):
                yield from judged(text, found["name"], value, "quoted")
    for found in BESIDE.finditer(plain):
        if kind_of_name(found["name"]) == "any":
            yield from judged(text, found["name"], read_value(plain, found.end()), "quoted", "any")


ENTRY_NAME = re.compile(
    r"(?:(?:[nN]ame|NAME|[kK]ey|KEY|[vV]ariable|[pP]aram(?:eter)?|setting|field"
    r"|id)\\?[\"']?\s{0,3}[:=]\s{0,3}|--name[ =]|secrets? set )\\?[\"']?"
    r"(?P<name>[A-Za-z_/][\w./\-]{1,80})\\?[\"']?\s{0,3}(?=[,\n}\]\r>/ ;])"
)
ENTRY_VALUE = re.compile(
    r"(?<![\w.])(?:\w{0,20}[vV]alue|VALUE|content|default|defaultValue|(?<=--)body)\\?[\"']?(?:\s{0,3}[:=]|(?<=--value)\s|(?<=--body)\s)\s{0,3}(?=\S)"
)
ENTRY_CHARS = 240


def entries(text: Text) -> Iterator[Span]:
    """``- name: DB_PASSWORD`` with ``value: x`` beside it or on a line next to it, in YAML, JSON, XML and commands."""
    plain = text.plain
    for found in ENTRY_NAME.finditer(plain):
        name = found["name"].rpartition("/")[2]
        if kind_of_name(name) == "none":
            continue
        tail = plain[found.end() : found.end() + ENTRY_CHARS]
        head = plain[max(found.start() - ENTRY_CHARS, 0) : found.start()]
        behind, ahead = entry_part(tail), entry_part(head[::-1])[::-1]
        for part, start in ((behind, found.end()), (ahead, found.start() - len(ahead))):
            if value := ENTRY_VALUE.search(part):
                yield from judged(text, name, read_value(plain, start + value.end(), wide=True), "plain")
                break


def entry_part(text: str) -> str:
    """The part of a text that belongs to one entry: to a brace, the next item of a list, or the next few lines."""
    lines = text.split("\n")
    kept = lines[:1]
    for line in lines[1 : NEAR_LINES + 1]:
        if re.match(r"\s*[-\]}{]\s", line) or not line.strip() or line.rstrip().endswith(("-", "{")):
            break
        kept.append(line)
    return re.split(r"[{}]", "\n".join(kept))[0]


BLOCK_HEAD = re.compile(
    r"(?:(?:variable|output|resource|parameter)\s+)?[\"']?(?P<name>[A-Za-z_][\w.\-]{1,60})[\"']?\s*(?:[:=]\s*)?[{|>:]?[-+]?\s*$"
)
BLOCK_VALUE = re.compile(
    r"\s*[\"']?(?:default|Default|defaultValue|value|Value|example|content|const|data|plain|secure)[\"']?\s*[:=]\s*(?=\S)"
)


BLOCK_ENDS = frozenset(":{|>-=(\"'")
LONGEST_LABEL = 80


def blocks(text: Text) -> Iterator[Span]:
    """The value on the line below its key, a list of values there, and ``default = x`` in the block of a name."""
    lines, starts = text.lines, text.starts
    for number, line in enumerate(lines[:-1]):
        if len(line) > LONGEST_VALUE:
            continue
        bare = DIFF_SIGN.sub(" ", line, count=1)
        ends = bare.rstrip()[-1:]
        if ends not in BLOCK_ENDS and not (len(bare) < LONGEST_LABEL and LABEL.fullmatch(bare.strip())):
            continue
        head = BLOCK_HEAD.search(bare[-LONGEST_LABEL:])
        if head is None or kind_of_name(head["name"]) == "none":
            continue
        yield from block_values(
            text, head["name"], number + 1, indent_of(bare), lines, starts, scalar=bool(SCALAR.search(bare))
        )


SCALAR = re.compile(r":\s*[|>][-+]?\s*$")
DIFF_SIGN = re.compile(r"^[+-](?=\s)")
LABEL = re.compile(r"[#*>\s]*(?:\w+ ){0,2}[\w-]+[*:]*")
PAIR_LINE = re.compile(r"[\"']?[\w.-]+[\"']?\s*[:=](?:\s|$)")


def indent_of(line: str) -> int:
    """How far a line stands in; the hyphen of a list counts as a blank."""
    return len(line) - len(line.lstrip(" \t"))


def block_values(
    text: Text, name: str, first: int, indent: int, lines: Sequence[str], starts: Sequence[int], *, scalar: bool
) -> Iterator[Span]:
    """The values below a name."""
    only = True
    for number in range(first, min(first + BLOCK_LINES, len(lines))):
        line = DIFF_SIGN.sub(" ", lines[number], count=1)
        bare = line.strip()
        if not bare or bare.startswith("```") or len(line) > LONGEST_VALUE:
            if only and bare.startswith("```"):
                continue
            return
        deeper = indent_of(line) > indent
        if not deeper and not only:
            return
        if deeper and (given := BLOCK_VALUE.match(line)):
            value = read_value(text.plain, starts[number] + given.end(), wide=True)
            if value and (value.quoted or not text.is_code(value.start) or ends_bare(text, value)):
                yield from judged(text, name, value, "plain")
        elif scalar and deeper:
            at = starts[number] + indent_of(line)
            yield from judged(text, name, Value(at, starts[number] + len(lines[number].rstrip()), True, at), "plain")
        elif not PAIR_LINE.match(bare.lstrip("- ")):
            item = re.match(r"\s*(?:-\s+|>\s+)?", line)
            at = starts[number] + (item.end() if item else 0)
            value = read_value(text.plain, at, wide=True)
            closed = value and not text.plain[value.after : starts[number] + len(lines[number])].strip(" ,;)")
            if value and closed:
                word = text.plain[value.start : value.end]
                if value.quoted or (
                    (not text.is_code(value.start) and "=" not in word) and (deeper or re.search(r"\d|[^\w\s]", word))
                ):
                    yield from judged(text, name, value, "plain")
        if bare[:1] == "}":
            return
        only = False


MANIFEST = re.compile(r"(?m)^[ \t+-]*[\"']?kind[\"']?:\s*[\"']?Secret\b[\"']?")
MANIFEST_DATA = re.compile(r"^(?P<indent>[+\- \t]*)[\"']?(?:data|stringData)[\"']?:\s*(?P<rest>.*)$")
MANIFEST_LINE = re.compile(r"[+\-\s]*[\"']?[\w.\-/]+[\"']?:\s*(?P<value>.*?)[\s,]*$")
INLINE = re.compile(r"[\"']?[\w.-]+[\"']?\s?:\s?[\"']?(?P<value>[^\s,{}\"']+)")


def ends_bare(text: Text, value: Value) -> bool:
    """Whether nothing follows a value on its line, and no name of code is one."""
    rest = text.plain[value.after : value.after + 40].partition("\n")[0].strip()
    return not rest and not text.plain[value.start : value.end][:1].isupper()


def manifests(text: Text) -> Iterator[Span]:
    """Everything below ``data`` and ``stringData`` of a manifest of ``kind: Secret``."""
    if not MANIFEST.search(text.plain):
        return
    first = 0
    marks = [n for n, line in enumerate(text.lines) if line.strip("+ ") == "---"]
    for end in (*marks, len(text.lines)):
        part = text.lines[first:end]
        if any(MANIFEST.match(line) for line in part):
            yield from manifest_values(text, first, part)
        first = end + 1


def manifest_values(text: Text, first: int, lines: Sequence[str]) -> Iterator[Span]:
    """The values of one manifest."""
    inside: int | None = None
    for number, raw in enumerate(lines, first):
        line = DIFF_SIGN.sub(" ", raw, count=1)
        if inside is not None and line.strip() and indent_of(line) > inside:
            found = MANIFEST_LINE.match(line)
            start = found.start("value") if found else indent_of(line)
            value = line[start:].rstrip().rstrip(",").strip("\"'")
            at = text.starts[number] + line.find(value, start)
            if value not in {"|", ">", "|-", ">-", "{", ""} and not stands_for_other(value, "plain"):
                yield at, at + len(value)
            continue
        head = MANIFEST_DATA.match(line)
        inside = indent_of(line) if head else None
        if head and head["rest"].startswith("{"):
            for pair in INLINE.finditer(line, head.start("rest")):
                at = text.starts[number] + pair.start("value")
                yield from literal(text, at, at + len(pair["value"]))


ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w:.-]{1,60})(?:\s[^<>]{0,80})?>\s{0,12}(?P<value>[^<>\n]{3,400}?)\s{0,12}</")
NAMED_ELEMENT = re.compile(
    r"(?:name|key|id|property|type)\s?=\s?\\?[\"'](?P<name>[\w.:-]{1,60})\\?[\"'][^<>]{0,80}(?:>\s{0,12}(?:<value>)?\s{0,4}(?P<value>[^<>\n]{3,400}?)\s{0,12}<"
    r"|\bvalue\s?=\s?\\?[\"'](?P<attribute>[^\"'\\\n]{3,400}))"
)
VALUE_ELEMENT = re.compile(
    r"<(?P<name>[A-Za-z][\w:.-]{1,60})\s[^<>]{0,80}?\bvalue\s?=\s?[\"'](?P<value>[^\"'\n]{3,400})"
)
PROPERTY_LIST = re.compile(r"<key>(?P<name>[\w .:-]{1,60})</key>\s{0,24}<string>(?P<value>[^<>\n]{3,400})<")


def elements(text: Text) -> Iterator[Span]:
    """XML and HTML: an element's text, ``key="…" value="…"``, a property's name and text, a list of properties."""
    for pattern in (ELEMENT, NAMED_ELEMENT, VALUE_ELEMENT, PROPERTY_LIST) if "<" in text.plain else ():
        for found in pattern.finditer(text.plain):
            group = "value" if found["value"] else "attribute"
            value = Value(found.start(group), found.end(group), True, found.end())
            yield from judged(text, found["name"].rpartition(":")[2], value, "quoted")


COOKIES = re.compile(
    r"(?i)\b(?:set-)?cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<pairs>[^\n\"']{4,2000})|\s(?:-b|--cookie)\s{1,2}[\"']?(?P<given>[^\n\"']{4,2000})"
)
COOKIE = re.compile(r"([\w.\-%]{1,60})=([^\s;,\"']{4,500})")


def cookies(text: Text) -> Iterator[Span]:
    """The values of cookies that nobody would write as words."""
    for found in COOKIES.finditer(text.plain):
        group = "pairs" if found["pairs"] else "given"
        for pair in COOKIE.finditer(text.plain, found.start(group), found.end(group)):
            name, value = pair[1], pair[2]
            if re.fullmatch(r"(?i)path|domain|expires|max-age|samesite|version|_ga\w*|lang\w*|theme|tz|consent", name):
                continue
            kind: Kind = "machine" if kind_of_name(name) != "none" else "none"
            if (
                is_random(value)
                or (kind == "machine" and is_machine_made(value))
                or re.fullmatch(r"[0-9a-f]{24,}", value)
            ):
                yield pair.start(2), pair.end(2)


Cell = tuple[int, int]
RULER = re.compile(r"[\s|:+=\-]+")
INSERT = re.compile(
    r"(?i)\bINSERT\s+(?:\w+\s+)?INTO\s+[\w.\"`\[\]]{1,80}\s*\((?P<columns>[^()]{3,600})\)\s*VALUES\s*(?=\()"
)
COPY = re.compile(r"(?i)^COPY\s+[\w.\"]{1,80}\s*\((?P<columns>[^()]{3,600})\)\s*FROM\s+stdin")
ROW = re.compile(r"\(((?:[^()'\n]|'(?:[^'\n]|''){0,400}'){1,2000})\)")
SEPARATORS = ("|", "│", "\t", ";", ",")


def tables(text: Text) -> Iterator[Span]:
    """The cells below a column whose name says secret: Markdown, CSV, columns in line, rows of SQL."""
    yield from inserted(text)
    lines, number = text.lines, 0
    while number < len(lines) - 1:
        line = lines[number]
        if len(line) > LONGEST_LINE or len(line) < 8 or CODE_SIGN.search(line) or not COLUMN_STEMS.search(line):
            number += 1
            continue
        if copied := COPY.match(line):
            number = yield from table_rows(text, number, column_names(copied["columns"]), "\t")
            continue
        sign = next((s for s in SEPARATORS if line.count(s) >= 1 and same_columns(lines, number, s)), "")
        sign = sign or ("  " if re.search(r"\S(?: {2,}|\t)\S", line.strip()) else " " if len(line.split()) > 1 else "")
        names = [line[a:b] for a, b in cells_of(line, sign)] if sign else []
        if names and is_header(names, sign) and any(kind_of_column(name) != "none" for name in names):
            number = yield from table_rows(text, number, names, sign)
        else:
            number += 1


def same_columns(lines: Sequence[str], number: int, sign: str) -> bool:
    """Whether the line below has as many cells."""
    below = lines[number + 1]
    return bool(below.strip()) and below.count(sign) >= max(lines[number].count(sign) - (sign in "|│"), 1)


def is_header(names: Sequence[str], sign: str) -> bool:
    """Whether cells name columns: words, two of them at least, none of them a value."""
    words = [name.strip(" *_`\"'") for name in names]
    words = [w for w in words if w]
    most = 4 if sign.strip() else 2
    plain = all(re.fullmatch(r"[^\W\d_][\w \-./()#]{0,39}", w) and len(w.split()) <= most for w in words)
    if sign == " ":
        return plain and len(words) >= 2 and all(HEADER_WORD.fullmatch(w) for w in words)
    return plain and len(words) >= (1 if sign in "|│" else 2)


COLUMN_STEMS = re.compile(
    r"(?i)pass|pw|secret|token|key|kenn|contra|senha|pin|clave|cred|code|hash|auth|mdp|[^\x00-\x7f]"
)
CODE_SIGN = re.compile(r"[={}<>]|\w\(|//")
HEADER_WORD = re.compile(
    r"(?i)(?:user|username|login|name|host|hostname|server|service|account|email|role|url|db|database|port|env|system|device|id|ip|app|key|nutzer|benutzer|usuario|utilisateur|konto|dienst"
    r"|\w*(?:pass|passw\w*|pwd|pw|secret|token|kennwort|contraseña|pin))"
)


def kind_of_column(name: str) -> Kind:
    """What a column's name says; of several words the last that says something."""
    words = name.strip(" *_`\"'#").replace("(", " ").replace(")", " ")
    if not words or len(words) > 40:
        return "none"
    whole = kind_of_name(re.sub(r"[\s/]+", "_", words.strip()))
    if whole != "none" or len(words.split()) > 2:
        return whole
    return (
        next((k for w in reversed(re.split(r"[\s/]+", words)) if (k := kind_of_name(w)) == "any"), "none")
        if "/" in words
        else whole
    )


def column_names(columns: str) -> list[str]:
    """The names of columns in a statement."""
    return [name.strip(" \n\t\"`[]'") for name in columns.split(",")]


def cells_of(line: str, sign: str) -> list[Cell]:
    """Start and end of each cell of a line; commas within quotes part nothing."""
    if sign in {"  ", " "}:
        shape = r"\S+(?: \S+)*" if sign == "  " else r"\S+"
        return [found.span() for found in re.finditer(shape, line)]
    cells, start, quoted = list[Cell](), 0, False
    for at, letter in enumerate(line):
        if letter == '"' and sign in ",;":
            quoted = not quoted
        elif letter == sign and not quoted:
            cells.append((start, at))
            start = at + 1
    cells.append((start, len(line)))
    return cells[1:] if sign in "|│" and not line[: cells[0][1]].strip() else cells


def table_rows(text: Text, head: int, names: Sequence[str], sign: str) -> Generator[Span, None, int]:
    """Judge the cells below a header. Yields spans, returns the number of the line behind the table."""
    kinds = [kind_of_column(name) for name in names]
    number = head + 1
    while number < len(text.lines):
        line = text.lines[number]
        if not line.strip() or line.startswith(("\\.", "```")) or len(line) > LONGEST_LINE:
            break
        cells = cells_of(line, sign)
        if RULER.fullmatch(line):
            number += 1
            continue
        if len(cells) < max(len(names) - 1, 2 if sign not in "|│" else 1) or (
            sign in {" ", "  "} and len(cells) != len(names)
        ):
            break
        for name, kind, (a, b) in zip(names, kinds, cells, strict=False):
            if kind != "none":
                start = text.starts[number] + a
                part = text.plain[start : text.starts[number] + b]
                bare = part.strip(" \t\"'`*")
                at = start + part.find(bare)
                yield from judged(
                    text, name.strip(" *_`\"'"), Value(at, at + len(bare), True, at + len(bare)), "plain", kind
                )
        number += 1
    return max(number, head + 1)


def inserted(text: Text) -> Iterator[Span]:
    """The values of rows that a statement inserts, by the names of its columns."""
    for found in INSERT.finditer(text.plain):
        names = column_names(found["columns"])
        kinds = [kind_of_column(name) for name in names]
        if all(kind == "none" for kind in kinds):
            continue
        for row in ROW.finditer(text.plain, found.end(), found.end() + 20_000):
            gap = text.plain[max(row.start() - 3, 0) : row.start()]
            if ";" in gap:
                break
            at = row.start(1)
            for name, kind, cell in zip(names, kinds, split_row(row[1]), strict=False):
                a, b = at + cell[0], at + cell[1]
                bare = text.plain[a:b].strip()
                if kind != "none" and bare[:1] == "'":
                    begin = a + text.plain[a:b].find(bare) + 1
                    yield from judged(text, name, Value(begin, begin + len(bare) - 2, True, b), "quoted", kind)


def split_row(row: str) -> list[Cell]:
    """The values of a row of SQL; commas within quotes part nothing."""
    cells, start, quoted = list[Cell](), 0, False
    for at, letter in enumerate(row):
        if letter == "'":
            quoted = not quoted
        elif letter == "," and not quoted:
            cells.append((start, at))
            start = at + 1
    return [*cells, (start, len(row))]


FALLBACK = re.compile(r"\$\{(?P<name>[A-Za-z_][\w.]{1,60}):[-=]?(?P<value>[^{}\n$]{3,200})\}")


def fallbacks(text: Text) -> Iterator[Span]:
    """``${DB_PASSWORD:-x}``, ``${db.password:x}``: what counts when a variable is not set."""
    for found in FALLBACK.finditer(text.plain):
        value = Value(found.start("value"), found.end("value"), False, found.end())
        yield from judged(text, found["name"], value, "plain")


FORMS: tuple[Callable[[Text], Iterator[Span]], ...] = (
    assignments, options, commands, placed, neighbours, entries, blocks, manifests, elements, cookies, tables,
    fallbacks,
)  # fmt: skip


def secret_values(plain: str) -> list[Span]:
    """Where the secrets of a text stand that a name or a place tells, in order, none within another."""
    text = Text(plain.replace("\\n", " \n"))
    found = sorted({span for form in FORMS for span in form(text) if span[0] < span[1]}, key=lambda s: (s[0], -s[1]))
    found += repetitions(plain, found)
    out: list[Span] = []
    for start, end in sorted(found, key=lambda s: (s[0], -s[1])):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


MOST_REPEATED = 40


def repetitions(plain: str, found: Sequence[Span]) -> list[Span]:
    """Further places of what was found, where it is no word that stands in a text for itself."""
    values = {
        plain[a:b]
        for a, b in found
        if b - a >= 8 and re.search(r"\d", plain[a:b]) and re.search(r"[^\W\d_]", plain[a:b])
    }
    out: list[Span] = []
    for value in sorted(values)[:MOST_REPEATED]:
        at = plain.find(value)
        while at >= 0:
            out.append((at, at + len(value)))
            at = plain.find(value, at + len(value))
    return out


BEFORE = re.compile(r"(?<![\w.\-])(?P<name>[^\W\d][\w.\-]{0,79})[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`\[]{0,2}$")
WHOLE = re.compile(r"(?P<name>[A-Za-z][\w.\-]{0,79})=.*")
ORDINARY_WORD = re.compile(
    r"\d{1,3}|[A-Z]{2,}(?:[_-][A-Z]+)*[_-]?\d*|[\w./-]+\.(?:py|js|ts|go|rb|java|md|ya?ml|json|txt|sh)(?::\d+)?|[\w-]+@v\d+|SHA256:.*"
)
NAME_CHARS = 90


def is_named_otherwise(text: str, start: int, end: int) -> bool:
    """Whether a word that a sentence seems to tell stands behind a name that holds no secret, or is of a known form."""
    word = text[start:end]
    named = BEFORE.search(text[max(start - NAME_CHARS, 0) : start]) or WHOLE.fullmatch(word)
    if (
        named
        and kind_of_name(named["name"]) in {"none", "random"}
        and re.search(r"[_=.]|[a-z][A-Z]|^key", named[0].strip(), re.IGNORECASE)
    ):
        return not (
            named.re is BEFORE and named["name"].isalpha() and named["name"].islower() and named["name"] != "key"
        )
    return bool(ORDINARY_WORD.fullmatch(word)) or (stands_for_other(word, "plain") and not word.isdigit())
