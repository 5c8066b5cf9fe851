"""A question about the network as conditions: what it names, on which side, what is left out, and what is not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from ipaddress import ip_address, ip_network

from workers.contracts import Landscape, Question, Window
from workers.language.bounds import NOT, is_left_out, read_bounds
from workers.language.message_parts import read_parts
from workers.language.phrase_to_window import read_hints
from workers.language.question_kinds import load_model
from workers.language.reference_moment import LONGEST_OF_CODE, Moment
from workers.language.spanish_times import DAYS
from workers.language.stems import stem
from workers.language.stop_words import NEGATED_VERBS, STOP_WORDS
from workers.language.zones import read_zone
from workers.reasoning.question_features import questions_in

MODEL = "network_kinds"
SURE = 0.2
"""Below this score of the best kind, a question is of none. See ``bench/README.md``."""
IPV4 = re.compile(r"(?<![\w.:])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w/]|\.\d)")
IPV6 = re.compile(r"(?<![\w.:/])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}(?:/\d{1,3})?(?![\w:/])")
MAC = re.compile(
    r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])|\b[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}\b"
)
DOMAIN = re.compile(
    r"(?<![\w.@/-])(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![\w-])|(?<!\S)\.[a-z]{2,24}(?![\w.-])",
    re.IGNORECASE,
)
"""A domain, or the end of one: ``.top``."""
NAMED = re.compile(r"(?<![\w.-])(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9][\w-]{2,60}(?![\w-])")
"""A word with letters and digits, as hosts are called: ``web01``, ``ams-sw-3``."""
ALERT = r"alert\w*|alarm\w*|detections?|alertas?"
ALERTS = re.compile(rf"\b(?:{ALERT})\b", re.IGNORECASE)
SPAN_OF_CLOCK = (
    r"(?:(?P<beyond>outside|außerhalb|fuera)\b[^.?\d]{0,20}?)?\b(?:(?:between|from|zwischen|entre) )?"
    r"(?P<early>\d{1,2})(?::00)?(?: ?h)?\s?(?:to|-|–|bis|a|and|und|y)\s?(?P<late>\d{1,2})(?::00)? ?"
    r"(?:hours|h|uhr|horas|o['’]clock)\b"
)
UNTIL_CLOCK = (
    r"\b(?:before|until|till|vor|bis|antes de las?|hasta las?) (?P<until>\d{1,2})(?::00)?"
    r" ?(?P<half>am|pm|h|uhr|o['’]clock|(?<=:00))(?!\w)"
)
HOURS_OF_WORK = (
    r"\b(?:(?P<outside>outside|not (?:in|during|within)|außerhalb|fuera)\b[^.?]{0,20}?)?"
    r"\b(?:hours|\w*zeit(?:en)?|horario\w*)\b(?: (?:de|of|laboral|von))*\W{0,3}"
    r"(?:(?P<first>\d{1,2})(?::00)?(?: ?h| uhr)?\s?(?:to|-|–|bis|a|and|y)\s?"
    r"(?P<last>\d{1,2})(?::00)?(?: ?h| uhr)?\)?)?"
)
CONDITIONS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "quoted": r"[\"“”„`](?P<quoted>[^\"“”„`]{3,200})[\"“”`]",
        "sid": r"\b(?:sid|signature|rule)s?(?: id)?[ :#=]{1,3}(?P<sid>\d{1,10})\b",
        "number": r"\b(?P<number>[12]\d{6,8})\b",
        "worst": r"\b(?:severity|sev|prio\w*|stufe|severidad|gravedad|prioridad)[ :=-]{0,3}(?P<worst>\d)"
        r" (?:or|and|oder|und|o|y) (?:worse|above|higher|up|höher|schlimmer|más|mayor)\w*",
        "beyond": r"\b(?:worse|higher|more severe|schlimmer|höher|peor|mayor) (?:than|als|que) (?:severity|sev|stufe"
        r"|severidad)? ?(?P<beyond>[2-9])\b",
        "severity": r"\b(?:severity|sev|prio(?:rity|rität|ridad)?|stufe|schwere\w*|severidad|gravedad|nivel)"
        r"[ :=-]{0,3}(?P<severity>\d{1,3})\b",
        "high": r"\b(?P<high>high(?:est)?[- ](?:severity|priority)|critical|kritisch\w*|críticas?)\b",
        "vlan": r"\bvlan[ :#-]{0,2}(?:id )?(?P<vlan>\d{1,4})\b",
        "hours": f"{SPAN_OF_CLOCK}|{UNTIL_CLOCK}|{HOURS_OF_WORK}",
        "limit": r"\b(?:top|first|worst|newest|last) (?P<limit>\d{1,2})\b(?! ?(?:h|d|days?|hours?|minutes?|weeks?)\b)",
        "rule": r"\b(?P<rule>rules?|regeln?|reglas?)\b",
        "action": r"\b(?P<blocked>block(?:ed|iert\w*)?|geblockt\w*|bloquead[ao]s?)\b"
        r"|\b(?P<allowed>allowed|(?:let|got|went|came) through|"
        r"durchge(?:lassen|kommen)|permitid[ao]s?)\b",
    }.items()
}
"""Conditions by their form, each read once, in this order; what they stand in is read as nothing else."""
BARE_DENIAL = re.compile(rf"\b(?:{NOT})\b(?: \w+){{1,2}}", re.IGNORECASE)
"""A condition that leaves something out, where nothing that is bound is left out."""
FROM = re.compile(
    r"\b(?:from|by|aus|von|vom|de|del|desde|source)(?: (?:the|our|den|dem|der|el|la|los|las))?[ :]*$", re.IGNORECASE
)
TO = re.compile(r"\b(?:to|towards?|against|gegen|contra|hacia|target(?:ing|ed)?|hit(?:ting)?)"
                r"(?: (?:the|our|den|dem|die|das|el|la|los|las))?[ :]*$", re.IGNORECASE)  # fmt: skip
COUNTED = {
    "events": rf"{ALERT}|times|mal|veces",
    "targets": r"machines?|hosts?|targets?|destinations?|servers?|ziele?\w*|rechner\w*|máquinas?|destinos?",
}
"""What is counted of the group of an event."""
WHAT_IS_COUNTED = re.compile(
    r"(?: (?:of|our|the|the same|unser\w*|nuestr\w+|different|verschieden\w*))*((?: [^\W\d_]+){0,2})", re.IGNORECASE
)
TIME_UNIT = re.compile(
    r" ?(?:[hdms]|min\w*|hours?|days?|weeks?|months?|stunden?|tag\w*|wochen?|horas?|días?|semanas?)\b", re.IGNORECASE
)
OWN = re.compile(
    r"\b(?:(?:our|own|unser\w*|eigenen?|nuestr\w+|propi\w+|internal|interne\w*|intern[ao]s?)\b"
    r"(?: own| eigenen| propi\w+| of| the)*"
    r" ?(?:networks?|nets?|netz\w*|red(?:es)?|ranges?|machines?|hosts?|devices?|addresses|ips?|rechner\w*|máquinas?)?)",
    re.IGNORECASE,
)
EXTERNAL = re.compile(
    r"\b(?:(?<=from )(?:the )?(?:outside|internet)\b|(?<=von )außen|(?<=de )fuera|external"
    r"|outside(?=(?: \w+)? (?:sources?|address\w*|hosts?|ips?))|extern\w+)\b",
    re.IGNORECASE,
)
OBJECTS = {
    "prefix": "prefix prefixes subnet subnets range ranges network networks netz präfix prefijo subred",
    "vlan": "vlan vlans",
    "interface": "interface interfaces port ports",
    "address": "address addresses ip ips",
    "rack": "racks",
    "virtual_machine": "vm vms virtual",
    "site": "sites locations datacenters standorte",
    "device": "device devices gear hardware geräte equipos dispositivos",
}
"""What kinds of objects are called; anything else that is asked for are devices."""
DIMENSIONS = {
    "site": "site sites location locations standort standorte sitio sitios sede sedes",
    "role": "role roles rolle rollen",
    "tenant": "tenant tenants",
    "rack": "rack racks schrank schränke",
    "status": "status",
    "model": "model models modell modelle modelo modelos",
}
"""What objects are counted by."""
PER = re.compile(r"\b(?:(?P<sure>per|pro|je|grouped by)|each|by|por) (?P<noun>\w+)", re.IGNORECASE)
RECORDED = {kind: said for kind, said in OBJECTS.items() if kind in {"prefix", "rack", "virtual_machine", "device"}}
EVENTS = {
    "drop": "drop drops dropped verworfen",
    "dns": "dns lookup lookups resolved resolve aufgelöst resuelto resolvió resolvieron",
    "tls": "tls sni",
    "http": "http",
    "ssh": "ssh",
    "smb": "smb",
}
"""What events beside alerts are called; where alerts are asked for, the word is one of their rule."""
GROUPS = {
    "day": "day days daily tag tage tagen día días",
    "category": "category categories kategorie categoría",
    "severity": "severity severities",
    "signature": "signature signatures rule rules signatur signaturen firma firmas",
    "reason": "reason reasons grund gründe motivo motivos",
    "action": "action actions",
    "sensor": "sensor sensors",
    "target": "target targets targeted destination destinations victim victims attacked ziel ziele destino destinos",
    "source": "source sources client clients attacker attackers quelle quellen quelladressen origen orígenes",
}
"""What events may be counted by, beside signatures."""
SENT = frozenset({"signature", "source", "target"})
"""What only events have, of that by which they are counted."""
PAST = {"host_identity": 7, "talkers": 1, "beaconing": 1, "network_changes": 1}
"""Days that are looked at where no time is named; one, where a kind is not listed."""
EVENT_KINDS = frozenset({"ids_alerts", "top_signatures", "top_hosts", "talkers", "beaconing", "first_seen"})
RECORD_KINDS = frozenset({"host_identity", "inventory", "owner", "network_changes", "order"})
LABELS = (
    "signature",
    "sensor",
    "virtual_machine",
    "device",
    "rack",
    "prefix",
    "site",
    "tenant",
    "role",
    "vlan",
    "address",
)
LISTING = EVENT_KINDS | {"inventory"}
STATUSES = "active planned staged failed offline decommissioning inventory reserved deprecated".split()
"""What NetBox calls the status of an object."""
HOSTS = frozenset({"device", "virtual_machine", "address"})
FILTERS = frozenset({"site", "tenant", "role", "rack", "vlan"})
WHOLE_LOG = re.compile(r"\b(?:ever|so far|all time|at all|overall|in total|insgesamt|en total"
                       r"|(?:in |im |en )?(?:the )?(?:whole|entire|ganzen?|gesamten?|todo el)"
                       r" (?:log|logs|file|protokoll|registro))\b", re.IGNORECASE)  # fmt: skip
BEGINNING = datetime.fromtimestamp(0, UTC)
"""Before all that is kept."""
SPANISH_DAYS = "ayer hoy días lunes martes miércoles jueves viernes sábado domingo".split()
SPANISH_TIMES = {word: DAYS[word] for word in SPANISH_DAYS} | {
    "desde ayer": "since yesterday", "anoche": "last night", "esta semana": "this week",
    "la semana pasada": "last week", "desde": "since", "últimas": "last", "últimos": "last", "hace": "last",
    "horas": "hours", "ahora mismo": "right now", "ahora": "now",
}  # fmt: skip
"""Times as Spanish says them; articles before days are left out."""
SPANISH_TIME = re.compile(rf"\b(?:{'|'.join(SPANISH_TIMES)})\b|(?<=desde )el (?=\w)", re.IGNORECASE)
TIME_WORD = re.compile(
    r"\b(?:nights?|overnight|morning|afternoon|evening|weekends?|weekdays?|nachts?|morgens|abends|wochenende|noche|mañana"
    r"|tarde|(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|today|gestern|heute|ayer|hoy|seit|since|desde)\b",
    re.IGNORECASE,
)
"""What says when, wherever no phrase of time was read from it."""
NO_AMOUNT = re.compile(rf"\W*(?:$|(?:on |am |el )?(?:the )?(?:{TIME_WORD.pattern}))", re.IGNORECASE)
"""What stands behind two numbers that are times of a day."""
FUNCTION_WORDS = frozenset(
    "excluding except ignoring außer sin excepto solo wem wen wessen viele wurde wurden war waren gab geb zeig "
    "zeige alle allen als bitte dort etwas gerade hat haben hatte ihm ihn nur irgendwas jetzt kam kamen mal mir "
    "nur steht stehen unter vor wieviel woher wohin über qué quién quiénes cuál cuáles cuánto cuántos cuánta "
    "cuántas cómo dónde cuándo por para con del las los una uno unos esta este estos estas está están hay hubo "
    "fue fueron ser son tiene tienen más que nuestra nuestro sobre todo todos todas todas algún alguna muéstrame "
    "dime".split()
)
"""Words of German and Spanish that say nothing of what is asked, beside `STOP_WORDS`."""
ENGINE = "SURICATA"
"""The engine names itself in its own rules."""


@dataclass(frozen=True)
class Name:
    """Something that exists. ``side``: source or target, when the question says so; ``denied``: it is left out;
    ``by_part``: only a part of its name is said.
    """

    kind: str
    value: str
    side: str = ""
    denied: bool = False
    by_part: bool = False


@dataclass(frozen=True)
class Inquiry:
    """What a question names, in the order it does, and its kind.

    ``plain``: its text with names as what they are; ``conditions``: see `CONDITIONS`, ``hours`` as ``7-19``;
    ``event``: the type of events; ``days``: those that are compared; ``unknown``: names of hosts that nobody knows;
    ``several``: what a part of a name fits; ``unread``: words that say something and that nothing accounts for;
    ``unbound``: conditions that nothing here can hold to: a part of the day, what is left out, what lies between.
    """

    kind: str
    window: Window
    hints: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    macs: tuple[str, ...] = ()
    found: tuple[Name, ...] = ()
    domains: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    event: str = "alert"
    days: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    unbound: tuple[str, ...] = ()
    plain: str = ""
    speaks_of_alerts: bool = False

    def of(self, *kinds: str) -> tuple[Name, ...]:
        """The names of some kinds."""
        return tuple(name for name in self.found if name.kind in kinds)

    @property
    def is_of_network(self) -> bool:
        """Whether it names what only the network's sources have."""
        own = {"device", "virtual_machine", "rack", "sensor", "prefix", "vlan", "signature", "address"}
        held = {"vlan", "sid", *({"severity", "worst", "beyond", "action", "number"} if self.speaks_of_alerts else ())}
        whole = any(not n.by_part or self.speaks_of_alerts for n in self.of(*own))
        return whole or bool(self.conditions.keys() & held)


def read_inquiry(question: Question, landscape: Landscape, now: datetime) -> Inquiry:
    """Read a question against the names that exist; a short one, with what it leaves to its thread."""
    own = read_text(read_parts(question.text).own, question, landscape, now)
    asked = questions_in(question.context)
    if not asked or not leans(question.text, own):
        return own
    earlier = question.model_copy(update={"text": asked[-1], "context": tuple(question.context[: -len(asked)])})
    before = read_inquiry(earlier, landscape, now)
    sited = bool(own.addresses or own.of(*HOSTS, "own", "network"))
    kinds = {n.kind for n in own.found} | (HOSTS | {"network", "own"} if sited else set())
    return replace(
        before,
        window=own.window if own.hints else before.window,
        hints=own.hints or before.hints,
        addresses=own.addresses if sited else before.addresses,
        found=(*own.found, *(n for n in before.found if n.kind not in kinds)),
        conditions={**before.conditions, **own.conditions},
        unknown=own.unknown or (() if sited else before.unknown),
        unread=own.unread,
        unbound=own.unbound,
        several=own.several,
    )


def leans(text: str, own: Inquiry) -> bool:
    """Whether a question says nothing of its kind by itself: "and web02?", "were they blocked?"."""
    begins = re.match(r"\W*(?:and|und|y|or|what about|how about|same|also|only|just|nur|solo)\b", text, re.IGNORECASE)
    points = re.search(r"\b(?:they|them|those|these|it|ones|sie|die|ellos|ellas)\b", text, re.IGNORECASE)
    short = len(text.split()) <= 3 and not (own.found or own.addresses)
    return bool(begins or points or short) and not own.speaks_of_alerts


@dataclass(frozen=True)
class Bound:
    """A text with words in the place of conditions, addresses and names; and those."""

    text: str
    conditions: dict[str, str]
    addresses: tuple[str, ...]
    macs: tuple[str, ...]
    domains: tuple[str, ...]
    found: list[Name]


def bind(text: str, landscape: Landscape) -> Bound:
    """Read what has a form and what has a name; each hides what it stands in from those after it."""
    conditions, text = read_conditions(text)
    text, macs = taken(MAC, text, "somemac", bool)
    text, networks = taken(IPV6, text, "someaddress", is_network)
    text, more = taken(IPV4, text, "someaddress", is_network)
    text, found = read_names(text, landscape)
    asks_names = noun_in(text, EVENTS, "") in {"dns", "tls", "http"}
    text, domains = taken(DOMAIN, text, "somedomain", lambda said: asks_names or is_domain(said))
    text, sided = read_sides(text, (*networks, *more))
    addresses = tuple(a for a in (*networks, *more) if a not in {name.value for name in sided})
    return Bound(text, conditions, addresses, macs, domains, [*found, *sided])


def read_text(text: str, question: Question, landscape: Landscape, now: datetime) -> Inquiry:
    """Read one text by itself."""
    bound = bind(text, landscape)
    conditions, found = bound.conditions, bound.found
    timed, everything = read_whole(bound.text)
    moment = Moment(now, read_zone(question.timezone), landscape.deploys, LONGEST_OF_CODE)
    timed = SPANISH_TIME.sub(lambda m: SPANISH_TIMES.get(m.group().lower(), ""), timed)
    hints, window = read_hints(timed, moment)
    days = days_of(hints, moment)
    rules = rule_words(landscape.labels.get("ids_signature", ()))
    plain, unknown = masked(without(timed, hints), bound.addresses, rules)
    alerting = ALERTS.search(plain) is not None
    ruled = alerting or bool(conditions.keys() & OF_ALERTS)
    event = "alert" if ruled else noun_in(plain, EVENTS, "alert")
    of_events = alerting or event != "alert"
    signed, heard = read_rule_words(plain, rules, ruled) if event == "alert" else ((), ())
    parts, several, left = read_parts_of_names(
        [w for w in content_of(plain) if w not in heard and not is_common(w)], landscape, found
    )
    found = [*found, *parts]
    kind = kind_of(plain, of_events, bool(signed or (rules and conditions.keys() & OF_EVENTS)), found)
    chosen = bool(
        found or bound.addresses or signed or bound.domains or conditions.keys() - {"limit"} or event != "alert"
    )
    everything = everything or (not hints and chosen and kind in WHOLE_KINDS)
    conditions, found, unbound = what_holds(conditions, found)
    if kind != "inventory":
        unbound += tuple(f"{name[8:]} {value}" for name, value in conditions.items() if name.startswith("objects_"))
    if window and not days:
        unbound += tuple(h for h in hints if h not in window.why and window.why.strip("“”") not in h)
    denials = kind in LISTING and not leaves_out(found, conditions, *signed, *unbound)
    unbound += unbound_in(plain, denials=denials, hours="hours" in conditions, records=kind == "inventory")
    prefixes = tuple(n.value for n in found if n.kind == "prefix" and not (n.denied or n.side))
    return Inquiry(
        kind=kind,
        window=span_of(window or last_days(now, PAST.get(kind, 1)), days, now, everything=everything),
        hints=hints,
        addresses=bound.addresses or prefixes,
        macs=bound.macs,
        found=tuple(found),
        domains=bound.domains,
        conditions=conditions,
        event=event,
        days=tuple(dict.fromkeys(d.start.astimezone(moment.zone).date().isoformat() for d in days)),
        words=signed,
        unknown=unknown,
        several=several,
        unread=left,
        unbound=unbound,
        plain=plain,
        speaks_of_alerts=of_events,
    )


def read_whole(text: str) -> tuple[str, bool]:
    """A text without the phrase that asks for all that is kept; and whether it has one."""
    whole = WHOLE_LOG.search(text)
    return (text.replace(whole.group(), " "), True) if whole else (text, False)


def read_rule_words(plain: str, rules: Mapping[str, str], alerting: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of rules that a text says, those that are left out with a ``!``, several side by side as one thing;
    and the words as they are said. ``alerting``: they may be words that else say what is asked.
    """
    runs = list[tuple[list[str], bool, int]]()
    heard, telling = list[str](), content_of(plain)
    for spot in re.finditer(WORD, plain):
        word = spot.group().lower()
        parts = [rules.get(part) or rules.get(stem(part)) for part in ([word] if word in rules else word.split("-"))]
        if word not in telling or None in parts or (is_common(word) and not alerting):
            continue
        named = [part for part in parts if part]
        heard.append(word)
        if runs and runs[-1][2] == spot.start() - 1:
            runs[-1] = ([*runs[-1][0], *named], runs[-1][1], spot.end())
        else:
            runs.append((named, is_left_out(plain[: spot.start()]), spot.end()))
    signed = tuple(sign for run, denied, _ in runs for sign in ([f"!{'+'.join(run)}"] if denied else run))
    return tuple(dict.fromkeys(signed)), tuple(heard)


def read_parts_of_names(
    words: list[str], landscape: Landscape, found: list[Name]
) -> tuple[list[Name], tuple[str, ...], tuple[str, ...]]:
    """The hosts that are named by a part of their names, those that the first part of several fits, and other words."""
    parts, left = list[Name](), list[str]()
    several: tuple[str, ...] = ()
    for word in words:
        fitting = names_with(word, landscape, [*found, *parts])
        if len(fitting) == 1:
            parts.append(Name("device", fitting[0], by_part=True))
        elif fitting and not several:
            several = fitting
        else:
            left.append(word)
    return parts, several, tuple(left)


def what_holds(conditions: Mapping[str, str], found: list[Name]) -> tuple[dict[str, str], list[Name], tuple[str, ...]]:
    """The conditions and names that something here can hold to; and in words those that it cannot leave out."""
    kept = {name: value for name, value in conditions.items() if name == "rule" or value[0] != "!"}
    names = [n for n in found if not (n.denied and n.kind in {"signature", "vlan"})]
    lost = (f"not {name} {value[1:]}" for name, value in conditions.items() if name not in kept)
    return kept, names, (*lost, *(f"not {n.value}" for n in found if n not in names))


def leaves_out(found: list[Name], conditions: Mapping[str, str], *said: str) -> bool:
    """Whether what is left out is read already: a name, a condition or a word; hours and actions may say so too."""
    denied = any(n.denied for n in found) or any("!" in v for v in (*conditions.values(), *said))
    return denied or bool(conditions.keys() & {"hours", "action"})


def span_of(read: Window, days: list[Window], now: datetime, *, everything: bool) -> Window:
    """What is looked at: the days that are compared, all that is kept, else the time that was read."""
    if days:
        return Window(start=min(d.start for d in days), end=max(d.end for d in days), why="the days that are named")
    return Window(start=BEGINNING, end=now, why="all that is kept") if everything else read


def masked(plain: str, addresses: tuple[str, ...], rules: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """A text in which every name stands as what it is, and the words of it that look like hosts nobody knows."""
    unknown = tuple(
        w for w in NAMED.findall(plain) if not w[0].isdigit() and w.lower() not in KNOWN_WORDS | rules.keys()
    )
    for word in unknown:
        plain = plain.replace(word, "somedevice")
    plain = plain.replace("someaddress/", "someprefix ").replace("somevirtual_machine", "somedevice")
    prefixes = bool(addresses) and all("/" in a for a in addresses)
    return (plain.replace("someaddress", "someprefix") if prefixes else plain), unknown


def unbound_in(plain: str, *, denials: bool, hours: bool, records: bool) -> tuple[str, ...]:
    """Conditions of a text that nothing here holds to.

    Args:
        plain: the text with names as what they are.
        denials: what is left out is one.
        hours: times of the day are read already.
        records: objects are listed, and no events.
    """
    found = [] if hours else [m.group() for m in TIME_WORD.finditer(plain)]
    found += [m.group().strip() for m in BARE_DENIAL.finditer(plain)] if denials else []
    groups = " ".join((DIMENSIONS if records else GROUPS).values()).split()
    found += [m.group() for m in PER.finditer(plain) if m["sure"] and m["noun"].lower() not in groups]
    found += [m.group(1) for m in BETWEEN.finditer(plain)]
    found += [m.group().strip() for m in DOMAIN_LEFT_OUT.finditer(plain)]
    return tuple(found)


BETWEEN = re.compile(r"\b(between|zwischen|entre) some\w+ (?:and|und|y) some", re.IGNORECASE)
DOMAIN_LEFT_OUT = re.compile(
    r"\b(?:not|without|except|excluding|other than|ohne|außer|nicht|sin|excepto)\b(?: \w+){0,2} somedomain",
    re.IGNORECASE,
)
WHOLE_KINDS = frozenset({"ids_alerts", "talkers", "top_signatures", "top_hosts", "other"})
"""Kinds of which all that is kept is looked at, where no time is named and something else is."""
OF_ALERTS = frozenset({"sid", "number", "worst", "beyond", "severity", "high", "action"})
"""Conditions that only alerts have."""
OF_EVENTS = OF_ALERTS | frozenset({"hours", "events_least", "events_most", "targets_least", "targets_most"})


def read_conditions(text: str) -> tuple[dict[str, str], str]:
    """Conditions by their form, and the text without them. A denied one says so with a ``!``."""
    found: dict[str, str] = {}
    for name, pattern in CONDITIONS.items():
        match = pattern.search(text)
        if match is None or (
            name == "hours" and not (match["outside"] or match["first"] or match["early"] or match["until"])
        ):
            continue
        said = {key: value for key, value in match.groupdict().items() if value}
        found[name] = value_of(name, said, denied=is_left_out(text[: match.start()]))
        text = f"{text[: match.start()]} {'somevlan' if name == 'vlan' else ' '} {text[match.end() :]}"
    counted, text = read_counted(text)
    return {**found, **counted}, text


def read_counted(text: str) -> tuple[dict[str, str], str]:
    """How many events or targets a group has, or how many objects there are; and the text without the numbers."""
    found = dict[str, str]()
    of_events = bool(ALERTS.search(text) or noun_in(text, EVENTS, "") or noun_in(text, GROUPS, "") in SENT)
    for bounds in reversed(read_bounds(text)):
        behind = f" {bounds.noun}{text[bounds.end :]}" if bounds.noun else text[bounds.end :]
        if TIME_UNIT.match(behind) or (bounds.least and bounds.most and NO_AMOUNT.match(behind)):
            continue
        said = WHAT_IS_COUNTED.match(behind)
        nouns = said[1] if said and of_events else ""
        what = next(
            (w for w, known in COUNTED.items() if re.search(rf"\b(?:{known})\b", nouns, re.IGNORECASE)), "objects"
        )
        limits = (("least", bounds.least), ("most", bounds.most))
        found |= {f"{what}_{end}": f"{limit:g}" for end, limit in limits if limit is not None}
        text = f"{text[: bounds.start]} {behind}"
    return found, text


def value_of(name: str, said: Mapping[str, str], *, denied: bool) -> str:
    """What a condition asks for, by what its form caught; of an action the other one when it is denied."""
    if name == "hours" and "until" in said:
        half = said.get("half", "").lower()
        hour = int(said["until"]) % 12 + 12 * (half == "pm") if half in {"am", "pm"} else int(said["until"]) % 25
        return f"0-{hour or 24}"
    if name == "hours":
        first = int(said.get("first") or said.get("early") or 8) % 24
        last = int(said.get("last") or said.get("late") or 18) % 24
        return f"{last}-{first}" if said.keys() & {"outside", "beyond"} else f"{first}-{last}"
    if name == "action":
        return "blocked" if ("blocked" in said) != denied else "allowed"
    if name == "beyond":
        return str(int(said["beyond"]) - 1)
    value = "1" if name == "high" else next((v for k, v in said.items() if k.startswith(name)), name)
    return f"!{value}" if denied else value


def mark_denied(word: str, plain: str) -> str:
    """A word, with a ``!`` when it is left out."""
    spot = re.search(rf"\b{re.escape(word)}\b", plain, re.IGNORECASE)
    return f"!{word}" if spot and is_left_out(plain[: spot.start()]) else word


def side_of(before: str) -> tuple[str, bool]:
    """On which side of an event a name stands, and whether it is left out, by the words before it."""
    return ("source" if FROM.search(before) else "target" if TO.search(before) else ""), is_left_out(before)


def known_names(text: str, known: Iterable[str], kind: str) -> tuple[str, tuple[Name, ...]]:
    """Names that exist and stand in a text, the longest first, and the text with a word in their place."""
    low, found = text.lower(), list[Name]()
    for name in sorted(dict.fromkeys(n for n in known if len(n) > 1), key=len, reverse=True):
        if name.lower() not in low:
            continue
        many = "(?:s|es)?" if kind in {"role", "tenant"} else ""
        spot = re.search(rf"(?<![\w-]){re.escape(name)}{many}(?![\w-])", text, re.IGNORECASE)
        if spot and not (len(name) < 4 and spot.group() != name):  # a short one counts as it is written
            found.append(Name(kind, name, *side_of(text[: spot.start()])))
            text = f"{text[: spot.start()]}some{kind}{text[spot.end() :]}"
            low = text.lower()
    return text, tuple(found)


def read_names(text: str, landscape: Landscape) -> tuple[str, list[Name]]:
    """The names that exist, and what lies outside; and the text with words in their place."""
    text, found = read_external(text)
    for label in LABELS:
        known = landscape.labels.get(f"ids_{label}", ()) + landscape.labels.get(f"netbox_{label}", ())
        text, some = known_names(text, known, label)
        found += some
    return text, found


def read_external(text: str) -> tuple[str, list[Name]]:
    """Hosts outside of our own network, before "outside" is read as leaving out what follows it."""
    match = EXTERNAL.search(text)
    if match is None:
        return text, []
    side, _ = side_of(text[: match.start()])
    return f"{text[: match.start()]} hosts {text[match.end() :]}", [Name("own", "own", side or "source", denied=True)]


def read_sides(text: str, addresses: tuple[str, ...]) -> tuple[str, tuple[Name, ...]]:
    """Our own network, and the addresses that stand on a side or are left out, as names."""
    found = list[Name]()
    for spot, address in zip(re.finditer("someaddress", text), addresses, strict=False):
        side, denied = side_of(text[: spot.start()])
        if side or denied:
            found.append(Name("network", address, side, denied))
    match = OWN.search(text)
    if match and len(match.group().split()) > 1:
        side, denied = side_of(text[: match.start()])
        found.append(Name("own", "own", side or ("source" if denied else "target"), denied))
        text = f"{text[: match.start()]} hosts {text[match.end() :]}"
    return text, tuple(found)


def days_of(hints: tuple[str, ...], moment: Moment) -> list[Window]:
    """The windows of several phrases that are a day each; none where another phrase of time stands beside them."""
    windows = [w for hint in hints if (w := read_hints(hint, moment)[1])] if len(hints) > 1 else []
    whole = all(w.end - w.start <= timedelta(days=1, hours=1) for w in windows)
    return windows if whole and len(windows) > 1 else []


def kind_of(plain: str, of_events: bool, conditional: bool, found: list[Name]) -> str:
    """The most likely kind of those that what is bound allows; ``other`` when none is."""
    scores = load_model(MODEL).scores(plain)
    if conditional or of_events:
        allowed = EVENT_KINDS | ({"host_identity"} if not conditional else frozenset())
        if ALERTS.search(plain):
            allowed -= {"talkers", "beaconing", *(("first_seen",) if noun_in(plain, GROUPS, "") else ())}
    elif any(n.kind in FILTERS - {"site"} for n in found) or noun_in(plain, RECORDED, ""):
        allowed = RECORD_KINDS
    elif any(n.kind in HOSTS for n in found):
        allowed = frozenset(scores) - {"top_hosts", "top_signatures"}
    else:
        allowed = frozenset(scores)
    kind = max((k for k in scores if k in allowed), key=lambda name: scores[name])
    return kind if scores[kind] >= SURE or conditional or found else ("ids_alerts" if of_events else "other")


WORD = r"[^\W_][\w-]*[^\W_]|[^\W\d_]"


def content_of(plain: str) -> tuple[str, ...]:
    """Words of a text that say something, without what stands for names."""
    words = re.findall(WORD, plain.lower())
    return tuple(
        dict.fromkeys(
            w for w in words if len(w) > 2 and w not in STOP_WORDS | NEGATED_VERBS and not w.startswith("some")
        )
    )


@lru_cache(maxsize=1)
def common_stems() -> frozenset[str]:
    """Stems that examples of a kind share: they say what is asked, and are no condition."""
    nouns = " ".join((*OBJECTS.values(), *EVENTS.values(), *GROUPS.values())).split()
    return frozenset().union(*load_model(MODEL).words.values(), map(stem, nouns))


def is_common(word: str) -> bool:
    """Whether a word says what is asked rather than of what."""
    return (
        stem(word) in common_stems()
        or word in FUNCTION_WORDS
        or word in KNOWN_WORDS
        or re.fullmatch(ALERT, word) is not None
    )


@lru_cache(maxsize=8)
def rule_words(signatures: tuple[str, ...]) -> Mapping[str, str]:
    """The words that the texts of rules are made of: those of their class, and those that say nothing else. Each, and
    its stem, with the shortest of them that has this stem.
    """
    words = {w for text in signatures for w in re.findall(r"[A-Za-z0-9][\w-]{2,}", text)} - {ENGINE}
    telling = {w.lower() for w in words if w.isupper() or not (is_common(w.lower()) or w.lower() in STOP_WORDS)}
    shortest = {stem(w): w for w in sorted(telling, key=len, reverse=True)}
    return {form: shortest[stem(w)] for w in telling for form in (w, stem(w))}


def names_with(word: str, landscape: Landscape, found: list[Name]) -> tuple[str, ...]:
    """The devices and virtual machines of whose names a word is a part; none where one or its role is named."""
    if any(n.kind in HOSTS | {"role"} for n in found) or word.isdecimal():
        return ()
    known = (n for kind in ("device", "virtual_machine") for n in landscape.labels.get(f"netbox_{kind}", ()))
    return tuple(name for name in known if word in re.split(r"[-_.]", name.lower()))


KNOWN_WORDS = frozenset({"sev1", "sev2", "sev3", "ja3", "ja4", "ipv4", "ipv6", "c2", "24h", "7d", "p1", "p2", "oauth2"})
"""Words with digits that are no host's name."""


def last_days(now: datetime, days: int) -> Window:
    """The days before now, as no time is named."""
    return Window(start=now - timedelta(days=days), end=now, why="no time is named")


def taken(pattern: re.Pattern[str], text: str, word: str, accept: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """What has a form, and the text with a word in its place. ``accept``: tells whether a match is one after all."""
    found: list[str] = []

    def one(match: re.Match[str]) -> str:
        said = match.group().rstrip(".")
        if not accept(said):
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


TOP = re.compile(
    r"\.(?:[a-z]{2}|com|net|org|info|biz|io|dev|app|local|lan|internal|corp|home|test|example|xyz|top)$", re.IGNORECASE
)


def is_domain(text: str) -> bool:
    """Whether it ends as names of hosts do; a file's name does not."""
    return text[0] == "." or (
        bool(TOP.search(text)) and not text.lower().endswith((".py", ".md", ".sh", ".js", ".go", ".rs"))
    )


def without(text: str, hints: Iterable[str]) -> str:
    """A text without phrases of time."""
    for hint in hints:
        text = text.replace(hint, " ")
    return text


def noun_in(plain: str, nouns: Mapping[str, str], otherwise: str) -> str:
    """The first kind of object that a question calls by its noun."""
    words = re.findall(r"[^\W\d_]+", plain.lower())
    kinds = {noun: kind for kind, said in nouns.items() for noun in said.split()}
    return next((kinds[word] for word in words if word in kinds), otherwise)
