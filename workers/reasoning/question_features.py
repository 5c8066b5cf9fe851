"""What a question says besides its subject: words it quotes, that it asks for deploys, a person, a moment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Intent, Landscape

QUOTED = re.compile(r"[\"“”„]([^\"“”„\n]{4,100})[\"“”]|(?<![\w])['‘]([^'’\n]{4,100})['’](?![\w])")
DEPLOYS = re.compile(
    r"\b(?:deploy(?:ed|ments?|s)?|releases?d?|ship(?:ped)?|rolled out|roll-?outs?|went (?:out|live)|gone live|"
    r"changelog)\b|"
    r"\b(?:what|which) (?:\w+ )?(?:is|are) live\b|\b(?:what|which) versions?\b|\bversions? (?:is|are|runs?|of)\b",
    re.IGNORECASE,
)
AUTHOR = re.compile(
    r"\bwho(?:['’]s|se)?\b(?! (?:is|are|gets?|will be|would be|has) (?:on|paged|called|notified|woken))|"
    r"\bauthors?\b|\bblame\b",
    re.IGNORECASE,
)
WHEN = re.compile(
    r"\b(?:when|since when|how long ago|last (?:changed|touched|modified|edited|updated)|changed (?:it )?last|"
    r"(?:which|what|whose) (?:commit|change|pr|pull request)|history|recently changed)\b",
    re.IGNORECASE,
)
VALUE = re.compile(
    r"\bhow (?:long|many|much|often|big|large|high|low|far|fast)\b|"
    r"\b(?:what(?:['’]?s| is| are)?|which) (?:the |our )?(?:\w+ ){0,3}"
    r"(?:values?|limits?|max\w*|min\w*|ttl|timeouts?|thresholds?|size|number|interval|default|port|version|level)\b|"
    r"\b(?:threshold|limit|ttl|timeouts?|retries|attempts|max(?:imum)?|minimum|at what|at which|above wh)\b",
    re.IGNORECASE,
)
DOCUMENT = re.compile(
    r"\b(?:docs?|documents?|documentation|runbooks?|adrs?|wiki|handbook|readme|guide|slo(?: page)?|design(?: doc)?|"
    r"manual|playbook|confluence|changelog|spec)\b",
    re.IGNORECASE,
)


OVERVIEW = re.compile(
    r"\b(?:overview|big picture|architecture|put together|built up|fits? together|main (?:parts|components|services)|"
    r"(?:what|which) (?:parts|components|services) (?:are|do|is|make|does)|structured?|new here|"
    r"how (?:does|do) (?:it all|everything|(?:the|this|our) (?:whole )?(?:system|platform|thing|stack)) work)\b",
    re.IGNORECASE,
)


def asks_overview(text: str) -> bool:
    """Whether it asks how the whole is made up."""
    return OVERVIEW.search(text) is not None


def quoted_phrases(text: str) -> tuple[str, ...]:
    """Words in quotation marks, two at least: what somebody wrote or said."""
    found = (next(g for g in m.groups() if g).strip() for m in QUOTED.finditer(text))
    return tuple(dict.fromkeys(p for p in found if " " in p))[:2]


CHANGES = re.compile(
    r"\b(?:what|which|show|list|any|anything|last|latest|recent)\b.{0,200}\b(?:commits?|committed|merged|"
    r"pull requests?|prs?)\b|"
    r"\b(?:what|anything) (?:has |was |have )?(?:been )?changed (?:in|to|by|on)\b|"
    r"\b(?:what|which|show|list|any|recent)\b"
    r"(?: me| the| all| last| latest| recent){0,6} changes\b",
    re.IGNORECASE,
)


def questions_in(messages: Sequence[str]) -> list[str]:
    """Those messages of a thread that ask: by their question mark, by how they begin, or as a rest of a question."""
    return [
        m
        for m in messages
        if m.rstrip().endswith("?") or (len(m) < LONGEST_ASKED and ASKING.match(m)) or FRAGMENT.fullmatch(m)
    ]


def asks_changes(text: str) -> bool:
    """Whether it asks for commits themselves."""
    return CHANGES.search(text) is not None


FRAME = re.compile(r"\bFile \"[^\"]+\", line \d|[\w)/-]\.[A-Za-z]\w{0,5}(?:\?\w*)?(?::|\()\d+\b|\bat .+:(?:line )?\d+")
ASKING = re.compile(
    r"^\W*(?:(?:hey|hi|hello|so|and|but|ok|also|please|pls|now)\W+)*(?:why|what|how|who|whose|whom|when|where|which|"
    r"is|are|was|were|do|does|did|can|could|has|have|should|show|tell|explain|find|list|give|compare|check)\b",
    re.IGNORECASE,
)
FRAGMENT = re.compile(
    r"\W*(?:(?:and |but )?(?:only|just|without|except|by|per)|(?:and|same|but) (?:for|on|in|of|by|per|with|without))"
    r"(?: [^\s.]\S*(?<![.:;])){1,4}",
    re.IGNORECASE,
)
"""What somebody adds to a question before: "only premium", "and on west-edge"."""
LONGEST_ASKED = 300  # letters: a longer message that does not end with a question mark tells something
COMMIT = re.compile(r"(?<![\w/.#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
HASH = r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"
TWO_COMMITS = re.compile(
    rf"\b{HASH}\.\.\.?{HASH}|\b(?:between|diff\w*|compare|from) .{{0,200}}\b{HASH}(?: and| to| vs\.?|,)? {HASH}",
    re.IGNORECASE,
)
HOW_TO = re.compile(
    r"\bhow (?:do|can|should|would|could|must) (?:i|we|you|one)\b|\bhow to\b|\b(?:what are )?the steps (?:to|for)\b",
    re.IGNORECASE,
)
UNDO = re.compile(r"\b(?:roll\w*(?: \w+){0,3} ?-?back|revert\w*|undo\w*|back ?out|redeploy\w*)\b", re.IGNORECASE)
TO_DO = re.compile(
    r"\b(?:what (?:do|should|can|must|shall) (?:i|we|one)|how (?:do|should|can) (?:i|we)|mean\w*|next|runbook|"
    r"react|respond|handle)\b",
    re.IGNORECASE,
)
DURATION = re.compile(
    r"\b(?:ttls?|time to live|time[- ]?outs?|intervals?|expir(?:y|es?|ation)|lifetimes?|delays?|backoff|periods?|"
    r"retention|deadlines?|how (?:long|often))\b",
    re.IGNORECASE,
)
ALARMED = re.compile(
    r"\b(?:something|somethings?|everything|things|stuff|all (?:of it|services|endpoints|pages)|prod(?:uction)?|"
    r"the whole \w+)\b(?:['’]s|\W+(?:is|are|was|were|seems?|looks?|feels?|got|gets?|went|goes|has|have|been|being|"
    r"to|be|really|very|so|totally|a|bit|kind|of|just|still|now|again))*"
    r"\W+(?:off|wrong|weird|strange|odd|funny|fishy|slow\w*|"
    r"broken?|down|bad|sluggish|laggy|degraded|burning|on fire|acting up|misbehav\w+|melting|failing|crawling|unstable|"
    r"not (?:right|working|ok|okay|well|normal))\b",
    re.IGNORECASE,
)
ALERT_NAME = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
ABOUT_COMMIT = re.compile(
    r"\b(?:commit|change[sd]?|pr|pull request|patch|diff|changeset|"
    r"wh(?:o(?:se)?|en|ich|at)|why|show|open|explain|author)\b",
    re.IGNORECASE,
)
SYMPTOMS = re.compile(
    r"\b(?:latenc\w+|slow\w*|p50|p9\d|errors?|50\d|5xx|timeouts?|traffic|since|"
    r"after|spik\w+|fail\w*)\b",
    re.IGNORECASE,
)


def commits_in(text: str) -> tuple[str, ...]:
    """Hashes of commits, as they are written."""
    return tuple(dict.fromkeys(COMMIT.findall(text)))


def asked_commit(text: str) -> str:
    """The commit that a question is about, and no symptom since it; nothing for another question."""
    found = () if TWO_COMMITS.search(text) else commits_in(text)
    return found[0] if found and ABOUT_COMMIT.search(text) and not SYMPTOMS.search(text) else ""


def undoes_deploy(text: str) -> bool:
    """Whether a deploy is to be taken back."""
    return UNDO.search(text) is not None


def asks_to_do(text: str) -> bool:
    """Whether it asks what to do about something, or what it means."""
    return TO_DO.search(text) is not None


def asks_duration(text: str) -> bool:
    """Whether it asks for a length of time that somebody has set."""
    return DURATION.search(text) is not None


def is_alarmed(text: str) -> bool:
    """Whether it says that something is wrong, and not what: "everything is slow", "something is off"."""
    return ALARMED.search(text) is not None


def alert_in(intent: Intent, landscape: Landscape) -> str:
    """The alert that is asked about: a known one, else a name as alerts have; one that never fired is not known."""
    known = {a.lower(): a for a in landscape.alerts}
    named = [known[s.lower()] for s in intent.subjects if s.lower() in known]
    return next(iter([*named, *(s for s in intent.subjects if ALERT_NAME.fullmatch(s))]), "")


def asks_how_to(text: str) -> bool:
    """Whether it asks how somebody does something."""
    return HOW_TO.search(text) is not None


def asks_deploys(text: str) -> bool:
    """Whether the question is about deploys."""
    return DEPLOYS.search(text) is not None


def asks_history(text: str) -> bool:
    """Whether it asks who changed something, or when."""
    return AUTHOR.search(text) is not None or WHEN.search(text) is not None


def asks_value(text: str) -> bool:
    """Whether it asks for a value: a limit, a duration, a threshold."""
    return VALUE.search(text) is not None


def names_document(text: str) -> bool:
    """Whether it speaks of what a document says."""
    return DOCUMENT.search(text) is not None


def holds_trace(text: str) -> bool:
    """Whether a stack trace is pasted: two lines at least that say a file and a line of it."""
    return sum(FRAME.search(line) is not None for line in text[:60_000].splitlines()[:400]) >= 2
