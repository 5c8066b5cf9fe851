"""What a question about the network names: addresses, prefixes, devices, sites, signatures; and its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from workers.contracts import Landscape, Question, Window
from workers.language.phrase_to_window import read_hints
from workers.language.question_kinds import load_model
from workers.language.reference_moment import LONGEST_OF_CODE, Moment
from workers.language.zones import read_zone

MODEL = "network_kinds"
SURE = 0.2
"""Below this score of the best kind, a question is of none. See ``bench/README.md``."""
IPV4 = re.compile(r"(?<![\w.:])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w/]|\.\d)")
IPV6 = re.compile(r"(?<![\w.:/])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}(?:/\d{1,3})?(?![\w:/])")
MAC = re.compile(
    r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])|\b[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}\b"
)
SID = re.compile(r"\b(?:sid|signature|rule)s?(?: id)?[ :#=]{1,3}(\d{1,10})\b|\b([12]\d{6,8})\b", re.IGNORECASE)
SEVERITY = re.compile(r"\b(?:severity|sev|prio(?:rity)?)[ :=-]{0,3}(\d{1,3})\b", re.IGNORECASE)
QUOTED = re.compile(r"[\"“”`]([^\"“”`]{3,200})[\"“”`]")
DOMAIN = re.compile(
    r"(?<![\w.@/-])(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![\w-])", re.IGNORECASE
)
NAMED = re.compile(r"(?<![\w.-])(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9][\w-]{2,60}(?![\w-])")
"""A word with letters and digits, as hosts are called: ``web01``, ``ams-sw-3``."""
OBJECTS = {
    "prefix": "prefix prefixes subnet subnets range ranges network networks",
    "vlan": "vlan vlans",
    "interface": "interface interfaces port ports",
    "address": "address addresses ip ips",
    "site": "sites locations datacenters",
}
"""What kinds of objects are called; anything else that is asked for are devices."""
GROUPS = {
    "category": "category categories",
    "severity": "severity severities",
    "sensor": "sensor sensors",
    "target": "target targets targeted destination destinations victim victims attacked",
}
"""What alerts may be counted by, beside signatures and sources."""
PAST = {"host_identity": 7, "talkers": 1, "beaconing": 1, "network_changes": 1}
"""Days that are looked at where no time is named; one, where a kind is not listed."""


@dataclass(frozen=True)
class Inquiry:
    """What a question names, in the order it does, and its kind. ``plain``: its text with names as what they are."""

    kind: str
    window: Window
    hints: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    macs: tuple[str, ...] = ()
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    severity: str = ""
    sid: str = ""
    quoted: str = ""
    plain: str = ""

    def first(self, kind: str) -> str:
        """The first name of a kind; empty when there is none."""
        return next(iter(self.names.get(kind, ())), "")


def read_inquiry(question: Question, landscape: Landscape, now: datetime) -> Inquiry:
    """Read a question against the names that exist."""
    text = question.text
    sid, severity, quoted = SID.search(text), SEVERITY.search(text), QUOTED.search(text)
    text, macs = taken(MAC, text, "somemac", is_mac)
    text, networks = taken(IPV6, text, "someaddress", is_network)
    text, more = taken(IPV4, text, "someaddress", is_network)
    addresses = (*networks, *more)
    names: dict[str, tuple[str, ...]] = {}
    for label in ("signature", "prefix", "device", "site", "vlan", "sensor"):
        known = landscape.labels.get(f"ids_{label}", ()) + landscape.labels.get(f"netbox_{label}", ())
        text, names[label] = known_names(text, known, f"some{label}")
    text, names["domain"] = taken(DOMAIN, text, "somedomain", is_domain)
    hints, window = read_hints(text, Moment(now, read_zone(question.timezone), landscape.deploys, LONGEST_OF_CODE))
    unknown = [w for w in NAMED.findall(without(text, hints)) if not w[0].isdigit() and w.lower() not in KNOWN_WORDS]
    if unknown and not names["device"]:
        names["device"] = tuple(unknown[:2])
        text = text.replace(unknown[0], "somedevice")
    text = text.replace("someaddress/", "someprefix ")
    plain = re.sub(r"someaddress", "someprefix", text) if addresses and all("/" in a for a in addresses) else text
    kind = best_kind(plain)
    return Inquiry(
        kind=kind,
        window=window or last_days(now, PAST.get(kind, 1)),
        hints=hints,
        addresses=addresses or names["prefix"],
        macs=macs,
        names=names,
        severity=severity[1] if severity else "",
        sid=(sid[1] or sid[2]) if sid else "",
        quoted=quoted[1] if quoted else "",
        plain=plain,
    )


KNOWN_WORDS = frozenset({"sev1", "sev2", "sev3", "ja3", "ja4", "ipv4", "ipv6", "c2", "24h", "7d", "p1", "p2", "oauth2"})
"""Words with digits that are no host's name."""


def best_kind(plain: str) -> str:
    """The most likely kind; ``other`` when none is."""
    scores = load_model(MODEL).scores(plain)
    kind = max(scores, key=lambda name: scores[name])
    return kind if scores[kind] >= SURE else "other"


def last_days(now: datetime, days: int) -> Window:
    """The days before now, as no time is named."""
    return Window(start=now - timedelta(days=days), end=now, why="no time is named")


def taken(pattern: re.Pattern[str], text: str, word: str, accept: object) -> tuple[str, tuple[str, ...]]:
    """What has a form, and the text with a word in its place. ``accept``: tells whether a match is one after all."""
    found: list[str] = []

    def one(match: re.Match[str]) -> str:
        said = match.group().rstrip(".")
        if not callable(accept) or not accept(said):
            return match.group()
        found.append(said)
        return word + match.group()[len(said) :]

    plain = pattern.sub(one, text)
    return plain, tuple(dict.fromkeys(found))


def is_network(text: str) -> bool:
    """Whether it is an address or a prefix; a time such as ``12:30:45`` is none."""
    try:
        return bool(ip_network(text, strict=False)) if "/" in text else bool(ip_address(text))
    except ValueError:
        return False


def is_mac(text: str) -> bool:
    """Every match is one."""
    return bool(text)


TOP = re.compile(
    r"\.(?:[a-z]{2}|com|net|org|info|biz|io|dev|app|local|lan|internal|corp|home|test|example|xyz|top)$", re.IGNORECASE
)


def is_domain(text: str) -> bool:
    """Whether it ends as names of hosts do; a file's name does not."""
    return bool(TOP.search(text)) and not text.lower().endswith((".py", ".md", ".sh", ".js", ".go", ".rs"))


def known_names(text: str, known: Iterable[str], word: str) -> tuple[str, tuple[str, ...]]:
    """Names that exist and stand in a text, the longest first, and the text with a word in their place."""
    low, found = text.lower(), list[str]()
    for name in sorted({n for n in known if len(n) > 1}, key=len, reverse=True):
        if name.lower() not in low:
            continue
        spot = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE)
        if spot and not (len(name) < 4 and spot.group() != name):  # a short one counts as it is written
            found.append(name)
            text = f"{text[: spot.start()]}{word}{text[spot.end() :]}"
            low = text.lower()
    return text, tuple(found)


def without(text: str, hints: Iterable[str]) -> str:
    """A text without phrases of time."""
    for hint in hints:
        text = text.replace(hint, " ")
    return text


def noun_in(plain: str, nouns: dict[str, str], otherwise: str) -> str:
    """The first kind of object that a question calls by its noun."""
    words = re.findall(r"[a-z]+", plain.lower())
    kinds = {noun: kind for kind, said in nouns.items() for noun in said.split()}
    return next((kinds[word] for word in words if word in kinds), otherwise)
