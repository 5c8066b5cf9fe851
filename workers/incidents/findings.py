"""PURE: how much a remark tells of the cause: that it is known, that it is supposed, that it is not so."""

from __future__ import annotations

import re

from workers.incidents import cues
from workers.incidents.dialog import affirmed, answered, ordered, told_to
from workers.incidents.impact import weigh as weigh_impact
from workers.incidents.remarks import Remark
from workers.incidents.standing import is_symptom, severity_in, tells_why, turn_of
from workers.incidents.talk import Talk
from workers.incidents.text import LINK, stems_of

CAUSES = frozenset({"root cause", "cause", "ursache", "causa", "culprit", "trigger", "rca"})
FINDINGS = frozenset(
    {"finding", "findings", "known", "what we know", "current understanding", "summary", "tl;dr", "tldr"}
)
SUPPOSED = frozenset({"hypothesis", "theory", "suspect", "suspected cause", "current hypothesis", "working theory"})
MINE = re.compile(r"(?:i|we)(?:'m|'re|'ll| am| are| will)\b|@")


def weigh_finding(remark: Remark, talk: Talk) -> float:
    """How much a remark adds to what is known, by itself and by what it answers."""
    said = weigh_known(remark)
    if found(remark, talk):
        return max(said, 3.6)
    if ordered(remark, talk)[0] or told_to(remark, talk):
        return 0.0
    if affirmed(remark, talk):
        return max(said, 2.0)
    if answered(remark, talk):
        return said + 0.8
    return said


def found(remark: Remark, talk: Talk) -> bool:
    """Whether a remark is a finding because it was announced as one, or others marked it so."""
    if remark.bot or not remark.firm or remark.ahead or len(remark.stems) < 4 or rules_out(remark):
        return False
    if not (remark.names or remark.numbers or cues.COMPONENT.search(remark.low)):
        return False
    return talk.leads_in(remark) or (
        (remark.confirmed or remark.ts in talk.nodded) and tells_why(remark) and not cues.DECISION.search(remark.low)
    )


def weigh_known(remark: Remark) -> float:
    """How much a remark adds to what is known; 3 and more for a cause, 0 for nothing."""
    low = remark.low
    if cues.ORDER.search(low) or cues.ABOUT_MACHINES.search(low):
        return 0.0
    if remark.bot or not remark.stated or remark.ahead or len(remark.stems) < 3 or cues.JOKE.search(low):
        return 0.0
    if remark.label in CAUSES:
        return 4.0
    if remark.label in FINDINGS:
        return 2.5
    if cues.NEXT_UPDATE.search(low) or severity_in(remark) or len(stems_of(LINK.sub("", remark.text))) < 2:
        return 0.0
    turn = turn_of(remark)
    if turn and turn.state in {"resolved", "mitigated", "monitoring", "false_alarm"}:
        return 0.0
    if cues.NO_HELP.search(low) or cues.DECISION.search(low) or MINE.match(low) or cues.ASIDE.match(low):
        return 0.0
    specific = 0.25 * min(remark.numbers, 3) + 0.25 * min(remark.names, 3) + min(0.3 * remark.applause, 0.9)
    if cues.CAUSE.search(low) and not cues.words("no", "unknown", "unclear", "finding", "find").search(low):
        sure = cues.words(
            "root cause", "confirm(?:ed)?", "found", "culprit", "caused by", "reason", "reproduced"
        ).search(low)
        return 3.0 + 0.6 * bool(sure) + 0.5 * specific
    if weigh_impact(remark) >= 1:
        return 0.0
    telling = (
        0.7 * bool(cues.VERIFIED.search(low))
        + 0.7 * is_symptom(remark)
        + 0.6 * bool(cues.BEGAN.search(low))
        + 0.5 * bool(cues.ONLY.search(low))
        + 0.8 * bool(cues.UNUSUAL.search(low))
        + 0.8 * bool(cues.FAULTY.search(low))
        + 0.9 * bool(cues.VENDOR_SAYS.search(low))
        + 0.8 * bool(cues.SERIES.search(low))
        + 1.0 * bool(cues.IDENTIFIES.match(low) and (remark.names or cues.COMPONENT.search(low)))
    )
    telling += 0.9 * bool(cues.UPDATE.match(remark.message.text))
    return telling + specific if telling + specific >= 0.7 else 0.0


def weigh_supposed(remark: Remark) -> float:
    """How much of a supposition of the cause a remark is."""
    low = remark.own
    if remark.joked or cues.ORDER.search(low) or cues.ABOUT_MACHINES.search(low):
        return 0.0
    if remark.bot or len(remark.stems) < 2 or cues.JOKE.search(low):
        return 0.0
    if remark.label in SUPPOSED:
        return 2.0
    if not (remark.hedged and (cues.SUSPECT.search(low) or remark.names)):
        return 0.0
    if cues.MITIGATED.search(low) or cues.RESOLVED.search(low) or weigh_impact(remark) >= 1:
        return 0.0
    strong = cues.words(
        "suspect\\w*",
        "theory",
        "hypothesis",
        "hunch",
        "related",
        "caused",
        "because",
        "due to",
        "culprit",
        "candidate",
        "i wonder",
        "my (?:best )?(?:read|bet|money|guess)",
        "a feeling",
        "i'd bet",
        "suspicious(?:ly)?",
        "lines up",
        "smells (?:like|of)",
        "could (?:it|this|that) be",
        "(?:could|might|may) be (?:the|our|a|an)",
        "maybe\\?",
    ).search(low)
    if remark.ahead and not strong:
        return 0.0
    technical = remark.names or cues.COMPONENT.search(low) or cues.DEPLOY.search(low) or cues.SYMPTOM.search(low)
    return (1.0 if technical or strong else 0.0) + (0.6 if strong else 0.0)


def rules_out(remark: Remark) -> bool:
    """Whether a remark says what it is not."""
    low = remark.low
    if remark.bot or remark.asks or remark.quoted or remark.ahead or remark.supposed:
        return False
    if cues.EXPLAINS.search(low) or (remark.confirmed and cues.CAUSE.search(low)):
        return False
    if (cues.SO_NO.search(low) and not remark.corrects) or (cues.SO_NO.search(low) and len(remark.stems) >= 2):
        return not cues.NO_HELP.search(low)
    if not cues.RULED_OUT.search(low) or cues.NO_IMPACT.search(low) or cues.NO_HELP.search(low):
        return False
    if cues.RULED.search(low):
        return True
    if cues.SCOPE.search(low) or cues.CONTRAST.search(low):
        return False
    if remark.text.startswith("@"):
        return False
    return not remark.hedged and not (turn_of(remark) and not remark.negated) and len(remark.stems) >= 1
