"""PURE. What a question says besides its subject: words it quotes, that it asks for deploys, a person, a moment."""

from __future__ import annotations

import re

QUOTED = re.compile(r"[\"“”„]([^\"“”„\n]{4,100})[\"“”]|(?<![\w])['‘]([^'’\n]{4,100})['’](?![\w])")
DEPLOYS = re.compile(
    r"\b(?:deploy(?:ed|ments?|s)?|releases?d?|shipped|rolled out|roll-?outs?|went (?:out|live)|gone live|changelog)\b|"
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
    r"\b(?:what|which|show|list|any|anything|last|latest|recent)\b.*\b(?:commits?|committed|merged|"
    r"pull requests?|prs?)\b|"
    r"\b(?:what|anything) (?:has |was |have )?(?:been )?changed (?:in|to|by|on)\b|"
    r"\b(?:what|which|show|list|any|recent)\b"
    r"(?: me| the| all| last| latest| recent)* changes\b",
    re.IGNORECASE,
)


def asks_changes(text: str) -> bool:
    """Whether it asks for commits themselves."""
    return CHANGES.search(text) is not None


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
