"""How telling a remark is that nobody called a finding, nor counted who feels it, by weights that were fitted.

``python -m bench.incidents.fit`` prints the weights: two logistic sums over what people of written channels say, and
what of it was expected in a summary. They look at how something is said, never at the words of its subject.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.status import severity_in, turn_of
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import LINK, stems_of

DIGIT = re.compile(r"\d")
SHARE = re.compile(r"\d ?%")
CLOCK = re.compile(r"\b\d\d:\d\d\b")
PAST = re.compile(r"\b(?:was|were|had|did|went|got|came|saw|\w{2,}ed)\b")
IS = re.compile(r"\b(?:is|are|has|have)(?:n't)?\b|'s\b")
MINE = re.compile(r"(?:i|we)(?:'m|'re|'ll| am| are| will)\b|@")
MYSELF = re.compile(r"^i(?:'m|'ll|'ve|'d)? ")
HEADING = re.compile(r"(?:(?:next |status )?update\b\W*)?[\d:., ]*$")
"""What is only the head of an update, or when it is due."""
FEW = 2
"""With fewer words of its own, and neither a figure nor a name, a remark tells nothing by itself."""
PLEASE = utterance_patterns.words("please", "pls", "kindly")
ENDS = frozenset({"resolved", "mitigated", "monitoring", "false_alarm"})
SPOKEN = {
    "question": utterance_patterns.QUESTION,
    "only": utterance_patterns.ONLY,
    "began": utterance_patterns.BEGAN,
    "who": utterance_patterns.WHO,
    "affected": utterance_patterns.AFFECTED,
    "counted": utterance_patterns.COUNTED,
    "quantified": utterance_patterns.QUANTIFIED,
    "component": utterance_patterns.COMPONENT,
    "ruled_out": utterance_patterns.RULED_OUT,
    "suspects": utterance_patterns.SUSPECT,
    "explains": utterance_patterns.EXPLAINS,
    "series": utterance_patterns.SERIES,
    "faulty": utterance_patterns.FAULTY,
    "vendor": utterance_patterns.VENDOR_SAYS,
    "symptom": utterance_patterns.SYMPTOM,
    "link": LINK,
    "digit": DIGIT,
    "share": SHARE,
    "clock": CLOCK,
    "past": PAST,
    "is": IS,
    "myself": MYSELF,
}
"""What is looked for in a remark."""
OFF_TOPIC = re.compile(
    r"\b(?:brb|afk|bbl|coffee|tea\b(?! ?tree)|(?<!since )(?<!before )(?<!after )(?<!at )(?<!until )(?<!till )(?<!over )(?:lunch|dinner|breakfast)|snacks?|pizza|beers?|go(?:ing)? to (?:bed|sleep)|my (?:kids?|cat|dog|baby|wife|husband|train|bus|neighbou?rs?|desk|chair)|(?:kid|baby|cat|dog)'s|bday|birthday|weekend plans?|holidays?|football|parrot|penguin|gifs?|memes?|haha\w*|hehe\w*|lol|lmao|wrong (?:channel|thread|chat|window)|teamwork|good spirit|pleasure|nice to meet|np\b|no problem at all|cheers|hugs|well said|much obliged|what an irony|typical|mondays?\b(?=\W*$)|on a friday(?=\W*$))\b"
    r"|^(?:good )?(?:morning|evening|night|afternoon)\b(?: \w+){0,4}(?:\W*$|, the coffee)|^(?:hi|hello|hey|welcome)\b(?: \w+){0,3}\W*$|^(?:snowing|raining|sunny)\b|^(?:of course|ugh|oops|whoops|phew|yay|wow)\b|^(?:great|nice|good|awesome|fantastic|amazing) (?:work|job|team|stuff|going|catch)\b"
)
"""What people say beside the matter."""

KNOWN: Mapping[str, float] = {
    "": -3.33,
    "question": -1.35,
    "only": 0.39,
    "began": 0.32,
    "who": 0.17,
    "affected": -0.11,
    "counted": 0.31,
    "quantified": -0.54,
    "ruled_out": -0.63,
    "suspects": -0.63,
    "explains": 0.83,
    "series": 0.33,
    "faulty": 0.17,
    "vendor": 0.61,
    "symptom": 0.16,
    "link": -1.55,
    "digit": 0.49,
    "share": 0.16,
    "clock": 0.26,
    "past": 0.42,
    "is": 0.54,
    "plain": 0.87,
    "turn": 1.14,
    "hedged": -0.71,
    "negated": 0.26,
    "corrects": 0.26,
    "numbers": 0.18,
    "names": 0.28,
    "applause": 0.65,
    "confirmed": 0.47,
    "nodded": 1.64,
    "label": -0.48,
    "long": 0.48,
    "short": -0.23,
    "tiny": -0.11,
    "leads": -0.29,
    "wrote": 3.22,
    "goes_on": 0.35,
}
IMPACT: Mapping[str, float] = {
    "": -4.31,
    "question": -1.35,
    "only": 0.17,
    "began": 0.25,
    "who": 0.74,
    "affected": 0.85,
    "counted": 0.47,
    "quantified": 0.48,
    "component": -0.48,
    "ruled_out": -0.55,
    "suspects": -0.63,
    "explains": -1.98,
    "faulty": -1.14,
    "vendor": -0.66,
    "symptom": -0.14,
    "link": -2.29,
    "digit": 0.51,
    "share": 0.8,
    "past": 0.11,
    "is": 0.34,
    "myself": -0.89,
    "plain": 1.14,
    "turn": 0.68,
    "hedged": -1.41,
    "negated": 0.32,
    "corrects": 0.78,
    "numbers": 0.91,
    "names": -0.22,
    "applause": 0.66,
    "confirmed": -1.57,
    "nodded": -1.15,
    "label": -0.34,
    "short": -0.23,
    "leads": -0.62,
    "wrote": 3.35,
    "goes_on": 0.2,
}


def tells_known(remark: Utterance, talk: Conversation) -> float:
    """The logarithm of the odds that a remark tells something that is worth knowing."""
    return weighed(KNOWN, signs(remark, talk))


def tells_impact(remark: Utterance, talk: Conversation) -> float:
    """The same of who feels it, and how much."""
    return weighed(IMPACT, signs(remark, talk))


def weighed(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """A logistic sum; "" is its offset."""
    return weights.get("", 0.0) + sum(weight * found.get(name, 0.0) for name, weight in weights.items() if name)


def signs(remark: Utterance, talk: Conversation) -> dict[str, float]:
    """What is to be seen of a remark and of where it stands, by name; each about 0 to 1."""
    low, user, stems = remark.low, remark.message.user, len(remark.stems)
    found = {name: float(bool(pattern.search(low))) for name, pattern in SPOKEN.items()}
    turn = turn_of(remark)
    return found | {
        "plain": float(plain(remark)),
        "turn": float(turn is not None),
        "hedged": float(remark.hedged),
        "negated": float(remark.negated),
        "corrects": float(remark.corrects),
        "numbers": min(remark.numbers, 3) / 3,
        "names": min(remark.names, 3) / 3,
        "applause": min(remark.applause, 3) / 3,
        "confirmed": float(remark.confirmed),
        "nodded": float(remark.ts in talk.nodded),
        "label": float(bool(remark.label)),
        "long": float(stems >= 10),
        "short": float(stems < 5),
        "tiny": float(stems < 3),
        "leads": float(user in talk.leaders),
        "wrote": talk.shares.get(user, 0.0),
        "goes_on": float(talk.just_before(remark) is not None),
    }


def tells(remark: Utterance) -> bool:
    """Whether a remark states something, be it ever so little: no order, no joke, nothing to come."""
    low = remark.low
    if (
        remark.bot
        or not remark.stated
        or remark.ahead
        or utterance_patterns.ORDER.search(low)
        or utterance_patterns.ABOUT_MACHINES.search(low)
    ):
        return False
    return len(remark.stems) > 0 and not (utterance_patterns.BIDS.match(low) or PLEASE.search(low))


def plain(remark: Utterance) -> bool:
    """Whether a remark has no other part in a summary: it ends nothing, decides nothing, promises nothing."""
    low = remark.low
    if utterance_patterns.NEXT_UPDATE.search(low) or severity_in(remark) or not stems_of(LINK.sub("", remark.text)):
        return False
    if (
        utterance_patterns.THANKS.match(low)
        or HEADING.match(low)
        or (len(remark.stems) < FEW and not (remark.numbers or remark.names))
    ):
        return False
    turn = turn_of(remark)
    if turn and turn.state in ENDS:
        return False
    return not (
        utterance_patterns.NO_HELP.search(low)
        or utterance_patterns.REMEMBERS.search(low)
        or utterance_patterns.DECISION.search(low)
        or utterance_patterns.COMMANDER.search(low)
        or MINE.match(low)
        or utterance_patterns.ASIDE.match(low)
        or OFF_TOPIC.search(low)
    )
