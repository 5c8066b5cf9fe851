"""Questions of how code changed: which commits changed a part of it, what its lines were, when it came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.agents.research.release_question import asked_release
from workers.contracts import Landscape
from workers.language.phrase_to_window import phrases_in
from workers.reasoning.question_features import asked_commit, names_document
from workers.reasoning.question_words import STOP

DONE = r"(?:changed|modified|touched|edited|updated|altered|refactored|reworked)"
VERB = r"(?:change|modify|touch|edit|update|alter|refactor|rework)"
SET = (
    rf"(?:{DONE}|{VERB}|rais(?:e|ed)|lower(?:ed)?|bump(?:ed)?|increase[d]?|decrease[d]?|reduce[d]?|set(?! up)|go|"
    r"become|drop(?:ped)?|grow|shr[iu]nk|doubled?|halved?)"
)
INTO = r"(?:in|to|on|about|with|for|inside|within|around|of)"
S = r"(?P<subject>.+)"
SPANS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:what|anything)\b(?:['’]?s| \w+){{0,3}}? (?:{DONE}|committed|merged|new|different) {INTO} {S}",
        rf"\b(?:what|which|show|list|any|recent|latest|all|give|find|how many|were there|the)\b(?: \w+){{0,4}}? "
        rf"(?:changes?|commits?|edits?|patches|prs?|pull requests?|diffs?|modifications?)(?: \w+){{0,2}}? "
        rf"(?:{INTO}|into|touch(?:ed|ing)?|chang(?:ed|ing)|modif(?:ied|ying)|affect(?:ed|ing)) {S}",
        rf"\b(?:did|has|have) (?:anyone|anybody|someone|somebody|we|they|you) (?:ever |recently )?"
        rf"(?:{VERB}|{DONE}) {S}",
        rf"\bhow (?:did|has|have) (?P<subject>.+?) (?:been )?(?:{DONE}|{VERB}|evolved?)\b",
        rf"^\W*(?:has|did|was|were|have) (?P<subject>.+?) (?:been )?(?:recently )?(?:{DONE}|{VERB})\b",
        rf"\bwho(?: has|['’]s)? (?:{DONE}|worked on|been working on|committed to) {S}",
        rf"\b(?:changes|commits) {INTO} {S}",
        r"\b(?:happened|log|blame)\b(?: \w+){0,2}? (?:to|in|with|for|of|on) "
        r"(?P<subject>[\w.-]+/[\w./-]*|[\w-]+\.\w{1,4}\b)",
    )
)
LINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bwhen (?:was|were|did|has|have) (?:(?:we|you|they|someone|anyone|somebody) (?:last )?{SET} {S}"
        rf"|(?P<of>.+?) (?:last |first |get |got |been |most recently )*{SET}\b)",
        rf"\bwho (?:has )?(?:last |most recently )?{SET} {S}",
        r"\bwhat (?:was|were) (?P<subject>.+?) (?:before|previously|earlier|originally|in the past)\b",
        r"\bwhat did (?P<subject>.+?) used? to be\b",
        rf"\b(?:old|previous|former|earlier|last|original) values? (?:of|for) {S}",
        rf"\bhistory of {S}",
        rf"\blast (?:change|commit|edit|time)s? (?:to|of|in|on|for) {S}",
        r"\b(?:from what to what|what was it before)\b.{0,80}?\b(?:was|did|has) (?P<subject>.{1,160}?) (?:been )?"
        + SET,
    )
)
SINCE_WHEN = re.compile(
    r"\bsince when (?:is|are|has|have|do|does|was) (?P<subject>.+?) (?:been )?(?:set to|at|equal to|=)? ?-?\d",
    re.IGNORECASE,
)
CAME = (
    r"(?:added|introduced|created|written|implemented|invented|brought in|checked in|removed|deleted|taken out|"
    r"thrown out)"
)
ORIGINS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bwhen (?:was|were|did|has|have) (?P<subject>(?!(?:we|you|they|someone|anyone|somebody)\b).{{1,200}}?) "
        rf"(?:been |get |got |first |originally )*(?:{CAME}|appear\w*|come in)\b",
        r"\bwhen did (?:we|you|they|someone|anyone|somebody) (?:first |originally )*"
        rf"(?:add|introduce|create|write|implement|invent|bring in|remove|delete|take out) {S}",
        rf"\bwho (?:has |first |originally )*(?:{CAME}|wrote|authored|came up with) {S}",
        r"\b(?:which|what|whose) (?:commit|change|pr|pull request)s? (?:has |first |originally )*"
        rf"(?:{CAME}|brought) {S}",
        rf"\bsince when (?:do we have|have we had|is there|has there been) {S}",
        r"\bsince when does (?P<subject>.{1,200}?) exist",
    )
)
"""When something came or went, and by whom."""
ALL_CHANGES = re.compile(
    r"^\W*(?:so |and |hey |hi |please |can you )*"
    r"(?:(?:what|anything)(?:['’]?s| is| are| has| have| was| were| did| of)?"
    r"(?: all| has| we| been| they| you| everyone)* (?:changed?|new|merged?|committed|happened|landed)"
    r"|(?:show|list|give)(?: me)?(?: all)?(?: the)?(?: last| latest| recent)? (?:changes|commits)"
    r"|(?:any|which|what|the)(?: last| latest| recent| new)? (?:changes|commits)(?: (?:were|was|are|is) there)?)\b",
    re.IGNORECASE,
)
TO_WHERE = re.compile(r"\s(?:to|in|into|from|for|of|by)\s.*", re.IGNORECASE | re.DOTALL)
CUT = re.compile(
    r"[?!;,(]|\.(?:\s|$)|\s(?:and|or|but) (?:who|when|why|what|how|by|from|to)\b|\s(?:from|to) (?:what|which|\S*\d)|"
    r"\s(?:by whom|by who|last|lately|recently|again|at all|changed?|been|ever|over time)[\s?!.]*$|"
    r"\s(?:last|that|which|while|because|between)\s",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"^(?:the |our |my |this |that |its |a |an |some |all |any |(?:source )?code (?:of|for|in|behind) |"
    r"lines? of |values? (?:of|for) |implementation of |files? )+",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\b(?:latenc\w+|p50|p9\d|response times?|errors?|error (?:rate|ratio)s?|5xx|50\d|traffic|throughput|rps|qps|"
    r"hit (?:rate|ratio)s?|cpu|memory|utili[sz]ation|availability|uptime|burn rate|slos?|slis?|alerts?|alarms?|"
    r"incidents?|outages?|deploy\w*|releases?|roll-?outs?|versions?|tickets?|on-?call|budgets?|quotas?|tiers?|"
    r"dashboards?|numbers|graphs?|metrics|load|requests?)\b",
    re.IGNORECASE,
)
TROUBLE = re.compile(
    r"\b(?:why|slow\w*|spik\w+|broke\w*|breaking|outage|incident|crash\w*|failing|degraded|root cause|went wrong|"
    r"caus\w+|jump\w*|wrong|weird|silence\w*|talk to|(?:commit|version) is|"
    r"deployed|released|shipped|rolled (?:out|back)|went (?:out|live)|"
    r"how (?:do|can|should|would) (?:i|we|you))\b",
    re.IGNORECASE,
)
WHOLE = STOP | frozenset(
    """prod production staging stage dev live system systems platform stack world company team codebase main master
    trunk branch project app application service services api apis backend frontend environment infra
    infrastructure cluster
    general meantime between past other else world there here user users customer customers""".split()
)
PATH = re.compile(
    r"(?<![\w/])[\w.@-]*(?:/[\w.@-]+)+/?|(?<![\w/])[\w-]+/(?!\w)|(?<![\w./])[\w-]+\.[A-Za-z]\w{0,4}\b(?!\.|_)"
)
VALUED = re.compile(
    r"\b(?:timeouts?|limits?|ttl|attempts|intervals?|sizes?|thresholds?|values?|ports?|defaults?|delays?|maximum|minimum)"
    r"(?: (?:of|for|in)\b.*)?$|[a-z]_[a-z]|\b[A-Z]+_[A-Z_]+\b",
    re.IGNORECASE,
)
PERSON = re.compile(r"(?:[A-Z][a-z]+(?:['’]s)? ?)+")
MOST = 1_000  # of a question: patterns that look far ahead take their time


@dataclass(frozen=True)
class CodeChange:
    """What is asked of: ``subject`` in words, ``path`` when it names a file or a folder.

    ``lines``: one value or some lines, when they changed, by whom and from what to what; ``origin``: when it came or
    went; else commits.
    """

    subject: str
    path: str = ""
    lines: bool = False
    origin: bool = False

    @property
    def is_folder(self) -> bool:
        """Whether the path is one of a folder."""
        return self.path.endswith("/")


def is_of_code(landscape: Landscape) -> bool:
    """Whether there are repositories, and no metrics: what changed is seen in commits alone."""
    return bool(landscape.repositories) and not landscape.metrics


def asks_all_changes(text: str, landscape: Landscape) -> bool:
    """Whether it asks what changed in a time, in nothing but the whole of what is there: "what changed yesterday?"."""
    bare = without(text[:MOST], phrases_in(text[:MOST]))
    found = ALL_CHANGES.search(bare)
    if found is None or TROUBLE.search(text):
        return False
    names = {part for n in landscape.repositories for part in re.findall(r"\w+", n.lower())}
    return not {w.lower() for w in re.findall(r"[A-Za-z][\w'’-]*", bare[found.end() :])} - WHOLE - names


def asked_change(text: str, landscape: Landscape) -> CodeChange | None:
    """The part of the code whose changes are asked for; None for a question of something else.

    A service or an endpoint that is known by name is no such part: what changed there is seen in its metrics and
    deploys too.
    """
    text = text[:MOST]
    if asked_release(text, landscape) or asked_commit(text) or TROUBLE.search(text):
        return None
    hints = phrases_in(text)
    bare = without(text, hints)
    if (came := find(ORIGINS, bare)) and of_code(TO_WHERE.sub("", came), landscape):
        return CodeChange(TO_WHERE.sub("", came), origin=True)
    lines = find(LINES, bare) or find((SINCE_WHEN,), text)
    span = find(SPANS, bare)
    dated = bool(lines and hints and span and re.search(r"\bwho\b", bare, re.IGNORECASE))
    said = span if dated else lines or span
    if not said or is_person(said, bare) or not of_code(said, landscape):
        return None
    found = PATH.search(said)
    path = found.group().lstrip("/") if found else ""
    of_lines = bool(lines and not dated) or (not hints and VALUED.search(said) is not None)
    return CodeChange(said, path, lines=of_lines and path != said)


def without(text: str, hints: Sequence[str]) -> str:
    """A question without its phrases of time."""
    for hint in hints:
        text = text.replace(hint, " ")
    return re.sub(r"\s+([?!.,;])", r"\1", re.sub(r"\s{2,}", " ", text)).strip()


def find(patterns: Sequence[re.Pattern[str]], text: str) -> str:
    """What stands in the place of the subject."""
    for pattern in patterns:
        if match := pattern.search(text):
            found = next((g for g in match.groupdict().values() if g), "")
            cut = CUT.search(found)
            plain = HEAD.sub("", found[: cut.start()] if cut else found).strip(" `\"'.")
            if plain:
                return plain
    return ""


def is_person(subject: str, text: str) -> bool:
    """Whether it is somebody's commits that are asked for."""
    return bool(PERSON.fullmatch(subject) and re.search(rf"\b(?:of|by|from) {re.escape(subject)}", text))


def of_code(subject: str, landscape: Landscape) -> bool:
    """Whether it may be a part of the code: not the whole, no measure, no known service or endpoint, no document."""
    words = [w.lower() for w in re.findall(r"[\w'’/.-]+", subject)]
    known = {v.lower() for key in ("service", "endpoint") for v in landscape.labels.get(key, ())}
    known |= {n.lower() for n in (*landscape.repositories, *landscape.alerts, *(d.service for d in landscape.deploys))}
    core = [w for w in words if w not in WHOLE]
    named = " ".join(core) in known or any(w.startswith("/") for w in words)
    measured = MEASURED.search(subject) or any(w in {m.name for m in landscape.metrics} for w in words)
    asks = bool(words) and words[0] in {"how", "what", "why", "when", "if", "whether"}
    other = asks or named or measured or names_document(subject)
    return bool(core) and len(words) <= 12 and not other
