"""How much a remark tells of the cause: that it is known, that it is supposed, that it is not so."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import math
import re

from workers.incidents.summary import status_patterns, utterance_patterns
from workers.incidents.summary.actions_taken import DECIDED
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.dialogue_acts import affirmed, ordered, told_to
from workers.incidents.summary.impact import LABELS as FELT
from workers.incidents.summary.impact import weigh as weigh_impact
from workers.incidents.summary.salience import plain, tells, tells_known
from workers.incidents.summary.status import CAUSES, tells_why, turn_of
from workers.incidents.summary.utterances import Utterance

FINDINGS = frozenset(
    {"finding", "findings", "known", "what we know", "current understanding", "summary", "tl;dr", "tldr"}
)
SUPPOSED = frozenset(
    {
        "prime suspect",
        "main suspect",
        "suspects",
        "hunch",
        "my guess",
        "guess",
        "hypothesis",
        "theory",
        "suspect",
        "suspected cause",
        "current hypothesis",
        "working theory",
    }
)
SURE = 2.0
"""The weight from which something says of a remark that it is a finding."""
LIKELY = -1.6
"""The odds, as a logarithm, from which a remark that nobody called a finding is worth telling."""
GUESS = re.compile(
    r"(?:maybe|perhaps|what if|could it be) .*\?$|if .*\b(?:that's|that is|that would be|this is) (?:your|our|the|it|why|where)\b|(?:so |either )?(?:it'?s|we're|they|that's|either) .{3,60} or (?:it's |they |we |the |our )?\w"
)
"""How a supposition is put without a word of doubt: "so it's the cdn or our purges"."""


def weigh_finding(remark: Utterance, talk: Conversation) -> float:
    """How much a remark adds to what is known; `SURE` and more when something says that it is a finding."""
    if found(remark, talk):
        return max(weigh_known(remark), 3.6)
    if ordered(remark, talk)[0] or told_to(remark, talk) or not tells(remark):
        return 0.0
    said = weigh_known(remark)
    if affirmed(remark, talk):
        return max(said, SURE)
    return said or weigh_telling(remark, talk)


def weigh_telling(remark: Utterance, talk: Conversation) -> float:
    """How much a remark that nobody called a finding tells of what others speak of too; 0 for nothing, `SURE` at most."""
    user = remark.message.user
    if not plain(remark) or user not in talk.settled:
        return 0.0
    if not (user in talk.involved or any(talk.spoken_of(stem, user) for stem in remark.stems)):
        return 0.0
    odds = tells_known(remark, talk)
    return SURE / (1 + math.exp(-odds)) if odds >= LIKELY else 0.0


def found(remark: Utterance, talk: Conversation) -> bool:
    """Whether a remark is a finding because it was announced as one, or others marked it so."""
    if remark.bot or not remark.firm or remark.ahead or len(remark.stems) < 4 or rules_out(remark):
        return False
    if not (remark.names or remark.numbers or utterance_patterns.COMPONENT.search(remark.low)):
        return False
    return talk.leads_in(remark) or (
        (remark.confirmed or remark.ts in talk.nodded)
        and tells_why(remark)
        and not utterance_patterns.DECISION.search(remark.low)
    )


def weigh_known(remark: Utterance) -> float:
    """How much a remark says by itself that it is a finding; 3 and more for a cause, 0 for nothing."""
    low = remark.low
    if not tells(remark) or len(remark.stems) < 3:
        return 0.0
    if remark.label in CAUSES:
        return 4.0
    if remark.label in FINDINGS:
        return 2.5
    if not utterance_patterns.CAUSE.search(low) or utterance_patterns.words(
        "no", "unknown", "unclear", "finding", "find"
    ).search(low):
        return 0.0
    if utterance_patterns.SCOPE.search(low):  # "confirmed on android, web is ok"
        return 0.0
    if plain(remark):
        specific = 0.25 * min(remark.numbers, 3) + 0.25 * min(remark.names, 3) + min(0.3 * remark.applause, 0.9)
        sure = utterance_patterns.words(
            "root cause", "confirm(?:ed)?", "found", "culprit", "caused by", "reason", "reproduced"
        ).search(low)
        return 3.0 + 0.6 * bool(sure) + 0.5 * specific
    return 0.0


def weigh_supposed(remark: Utterance) -> float:
    """How much of a supposition of the cause a remark is."""
    low = remark.own
    if remark.joked or utterance_patterns.ORDER.search(low) or utterance_patterns.ABOUT_MACHINES.search(low):
        return 0.0
    if remark.bot or len(remark.stems) < (1 if GUESS.match(low) else 2) or utterance_patterns.JOKE.search(low):
        return 0.0
    if remark.label in SUPPOSED:
        return 2.0
    if GUESS.match(low):
        return 1.2
    if not (remark.hedged and (utterance_patterns.SUSPECT.search(low) or remark.names)):
        return 0.0
    if status_patterns.MITIGATED.search(low) or status_patterns.RESOLVED.search(low) or weigh_impact(remark) >= 1:
        return 0.0
    strong = utterance_patterns.words(
        "suspect\\w*",
        "suspicion",
        "afraid",
        "first (?:thought|guess)",
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
        "i(?:'d| would)? guess",
        "just guessing",
        "^thinking",
        "^(?:so |and |hm+ )?(?:it |this )?(?:might|could|may)(?: well| also| just)? be",
        "^(?:so |and |hm+ )?(?:possibly|probably|maybe|perhaps|likely|potentially)",
    ).search(low)
    if remark.ahead and not strong:
        return 0.0
    technical = (
        remark.names
        or utterance_patterns.COMPONENT.search(low)
        or utterance_patterns.DEPLOY.search(low)
        or utterance_patterns.SYMPTOM.search(low)
    )
    return (1.0 if technical or strong else 0.0) + (0.6 if strong else 0.0)


def rules_out(remark: Utterance) -> bool:
    """Whether a remark says what it is not."""
    low = remark.low
    if (
        remark.bot
        or remark.asks
        or remark.quoted
        or remark.ahead
        or remark.supposed
        or remark.label in {*FELT, *DECIDED}
    ):
        return False
    if utterance_patterns.EXPLAINS.search(low) or (remark.confirmed and utterance_patterns.CAUSE.search(low)):
        return False
    if (utterance_patterns.SO_NO.search(low) and not remark.corrects) or (
        utterance_patterns.SO_NO.search(low) and len(remark.stems) >= 2
    ):
        return not utterance_patterns.NO_HELP.search(low)
    if (
        not utterance_patterns.RULED_OUT.search(low)
        or utterance_patterns.NO_IMPACT.search(low)
        or utterance_patterns.NO_HELP.search(low)
    ):
        return False
    if utterance_patterns.RULED.search(low):
        return True
    if utterance_patterns.SCOPE.search(low) or utterance_patterns.CONTRAST.search(low):
        return False
    if remark.text.startswith("@"):
        return False
    return not remark.hedged and not (turn_of(remark) and not remark.negated) and len(remark.stems) >= 1
