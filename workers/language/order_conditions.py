"""What makes an order none: a negation, a condition, a wish of somebody else, a mere possibility. Pure.

A pattern of verbs says which words order something, as a text is full of other ones: "I can't come, move it".
"""

from __future__ import annotations

import re
from typing import Literal

Held = Literal["", "negated", "conditional", "reported"]

NOT = (
    r"(?:(?:do|does|did|must|should|shall|will|would|can|could|may|to|please|better|rather|need|am|is|are|i'm) not"
    r"|(?:do|does|did|must|need|would|could|wo|ca|is|are)n'?t|shouldn'?t|cannot|not to|never|no need|nobody|no one"
    r"|no longer|stop|avoid|refuse)"
)
MEANT = r"(?:don'?t forget|do not forget|never forget|why (?:don'?t|do) (?:you|we)|(?:can|could|would|won)'?t you)"
CONDITION = (
    r"(?:if(?! (?:possible|you (?:can|could|would|don'?t|do not|please|like)|(?:that|it|this)(?:'?s| is) "
    r"(?:ok(?:ay)?|fine|possible|alright)|needed|necessary))"
    r"|unless|in case|provided|providing|assuming|as long as|as soon as|whenever|only when|depending on|except when"
    r"|once (?:i|we|you|he|she|they|it|the|my|our|everyone|\w+ (?:is|has|are|have|says|confirms))"
    r"|falls|sofern|wenn|sobald|es sei denn)"
)
LATER_ON = r"(?<=\w )when (?!(?:all|every\w*|both|we|i'?m|i am|most)\b)"
CONDITIONAL = re.compile(rf"\b{CONDITION}\b|{LATER_ON}", re.IGNORECASE)
SELF = r"(?:i|we|you|please|i'd|we'd)"
WANTS = (
    r"(?:wants?|wanted|would like|needs?|needed|has|had|plans?|planned|intends?|hopes?|is going|is about|was going|said"
    r"|says|told (?:me|us)|asked(?: me| us| you)?|decided|tried|tries|threatens?|is planning|is thinking|is trying)"
)
MAY = (
    r"(?:might|may|i could|we could|should i|should we|maybe i|maybe we|perhaps i|perhaps we|probably|considering"
    r"|thinking (?:of|about)|not sure)"
)
GERMAN_NOT = r"\b(?:nicht|nie|niemals|kein\w*)\b"


def held_back(text: str, verbs: str) -> Held:
    """Why a text orders nothing to be done now; empty where it does.

    Args:
        verbs: what orders something, as a pattern of a word's beginning: ``cancel|move``.
    """
    plain = re.sub(r"[\"“„«][^\"”“»]{0,200}[\"”“»]", " ", text.replace("’", "'"))
    verb = rf"\b(?:{verbs})\w*"
    between = r"(?:(?!\b(?:so|and|then|but|please)\b)[^,.;:!?\n]){0,60}?"
    without = re.sub(MEANT, " ", plain, flags=re.IGNORECASE)
    if re.search(rf"\b{NOT}\b{between}{verb}|{verb} (?:nothing|none)\b", without, re.IGNORECASE):
        return "negated"
    if re.search(r"\b(?:do not|don't|dont|never)(?: do (?:it|that|so))?\s*(?:[,.;:!?]|$)", without, re.IGNORECASE):
        return "negated"
    if any(
        re.search(verb, part, re.IGNORECASE) and re.search(GERMAN_NOT, part, re.IGNORECASE)
        for part in re.split(r"[,.;:!?\n]|\b(?:und|aber)\b", plain)
    ):
        return "negated"
    if CONDITIONAL.search(plain):
        return "conditional"
    if re.search(rf"\b{MAY}\b (?:\w+ ){{0,4}}?{verb}", plain, re.IGNORECASE):
        return "reported"
    other = rf"(?<!\w)(?!{SELF}\b)[\w'-]{{1,40}} {WANTS} to (?:\w+ ){{0,2}}?{verb}"
    past = rf"(?:has|have|had|was|were)(?: \w+)? (?:{verbs})\w*ed|(?:is|are) (?:{verbs})\w*ing"
    done = rf"(?<!\w)(?!{SELF}\b)[\w'-]{{1,40}} (?:{past})\b|^\W*(?!please\b)[\w'-]{{1,40}} (?:{verbs})\w*ed\b"
    return "reported" if re.search(rf"{other}|{done}", plain, re.IGNORECASE) else ""
