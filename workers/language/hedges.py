"""Words by which a writer says that something is supposed and not known: "maybe", "looks like", "my guess"."""

from __future__ import annotations

import re

ADVERBS = r"maybe|perhaps|possibly|probably|presumably|apparently|seemingly|supposedly|arguably|conceivabl[ey]"
MORE_ADVERBS = r"plausibl[ey]|(?:un)?likely|potentially"
MODALS = r"might|may be|(?:could|may)(?: also| just| well| still| easily)? (?:be|have been|have)|could (?:it|this)"
GUESSES = r"suspect(?:s|ing|ed)?|suspicions?|theory|hypothes[ei]s|hunch|candidates?"
OPINIONS = r"(?:i|we) (?:think|believe|suspect|guess|reckon|wonder|doubt)|i'?(?:d| would)? bet|we bet|assum(?:e|ing)"
OWN = r"(?:my|our) (?:theory|hunch|money|bet|hypothesis|guess|(?:best )?read)"
APPEARANCES = r"seems?|looks? (?:like|as if)|appears? to"
WRITTEN = "|".join((ADVERBS, MORE_ADVERBS, MODALS, GUESSES, OPINIONS, OWN, APPEARANCES)).replace("'", "['’]")
"""What makes any sentence a supposition, also one of a report."""
NO_PROOF = r"unproven|not proven|no proof(?: yet)?|unsure|not sure|half sure|unclear if|only a read|culprit could"
MORE_OPINIONS = (
    r"i'd say|wonder(?:ing)? (?:if|whether)|(?:do not|don't) think|thinking|the leading|wouldn't be surprised"
)
LIKENESS = r"looking like|smells?|(?:feels|sounds) like|leaning|lines up|suspicious(?:ly)?|guessing"
FEELINGS = r"(?:i've|got|have) a feeling|i(?:'m| am) afraid|gut (?:feeling|says)|as far as i can (?:tell|see)"
FIRST = r"first (?:thought|guess|idea|instinct|reaction)"
ABROAD = r"vermutlich|vielleicht|wahrscheinlich|könnte|creo que|quizás?|tal vez|probablemente|parece"
SPOKEN = "|".join((NO_PROOF, MORE_OPINIONS, LIKENESS, FEELINGS, FIRST, ABROAD)).replace("'", "['’]")
"""What says so among people who talk; in a report "the leading endpoint" is none."""
HEDGE = re.compile(rf"(?<![\w'’-])(?:{WRITTEN}|{SPOKEN})(?![\w'’-])", re.IGNORECASE)


def is_hedged(text: str) -> bool:
    """Whether the writer is not sure of what a text says."""
    return HEDGE.search(text) is not None
