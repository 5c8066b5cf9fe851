"""Questions of the whole, which name nothing: "is everything ok?", "status?", "should I page someone?"."""

from __future__ import annotations

import re

from workers.reasoning.question_features import is_alarmed

WHOLE = frozenset(
    """everything anything all overall things stuff system systems platform stack prod production site infra
    infrastructure world services general environment""".split()
)
STATE = frozenset(
    """ok okay fine good well healthy health green up down broken broke wrong fire burning problem problems issue issues
    trouble outage outages status state overview handover situation happening going unusual weird strange odd off
    alright alive running stable normal degraded error errors slow failing quiet calm summary urgent""".split()
)
BESIDE = frozenset(
    """is are was were be been being am do does did doing done has have any there how what whats how's what's
    the a an of for in on at right now currently today tonight look looks looking give me us we our please pls quick
    check hi hey hello so and or i should know about with to my shift moment still again everyone else report
    over need must can""".split()
)
NO_STATE = re.compile(r"^\W*(?:why|who|when|where|which|everything is|all is|it is)\b", re.IGNORECASE)
TO_ACT = re.compile(
    r"\b(?:pag(?:e|ing)|wak(?:e|ing)|call(?:ing)?|ping|alert|notify|get)(?: up)? "
    r"(?:some|any)(?:one|body)(?: else)?(?: up)?\b|"
    r"\b(?:wake|get) up\b|\b(?:get )?out of bed\b|\b(?:go )?(?:back )?to (?:sleep|bed)\b|"
    r"\bworth (?:a page|(?:paging|waking)(?: up)?(?: (?:some|any)(?:one|body))?)\b|"
    r"\b(?:some|any)(?:one|body) (?:be |to be )?(?:paged|woken(?: up)?|called)\b|"
    r"\bneeds? (?:my |our |any |some )?(?:attention|action|looking (?:at|into))\b|\b(?:be )?worr(?:y|ied)\b",
    re.IGNORECASE,
)
"""Whether somebody has to act now: what asks of that asks how things stand."""
THAT = re.compile(r"\b((?:any|every)thing) that\b", re.IGNORECASE)
TROUBLE = r"(?:errors?|problems?|issues?|troubles?|outages?)"
OF_ONE = re.compile(
    rf"\b(?:the|this|that|these|those) {TROUBLE}\b|\b{TROUBLE} (?!(?:or|and)\b)(?:\w+ )?(?:ok|okay|fine|normal|good|"
    rf"unusual|weird|strange|odd)\b|\b(?:services?|systems?|platform|site|stack|we|i|things) reports?\b",
    re.IGNORECASE,
)
"""Trouble that somebody speaks of already, or what something does with it."""


def asks_of_all(text: str, *, in_thread: bool = False) -> bool:
    """Whether it asks how things stand and names nothing: "is everything ok?", "status?", "anything on fire?".

    Several sentences ask of the whole when each does, or only greets.

    Args:
        text: the question, without its phrases of time.
        in_thread: something was asked before; then the whole must be named, since the rest leans on that.
    """
    if is_alarmed(text) and not text.rstrip().endswith("?"):  # "prod is on fire!" wants its cause
        return False
    parts = [words for part in re.split(r"[.?!;\n]+", text) if (words := words_of(part))]
    if NO_STATE.match(text) or OF_ONE.search(text) or any(p - WHOLE - STATE - BESIDE for p in parts):
        return False
    whole = any(p & WHOLE for p in parts)
    asked = any(p & STATE or (p & WHOLE and p & {"how", "how's"}) for p in parts)
    return asked and (whole or not in_thread)


def words_of(part: str) -> set[str]:
    """The words of a sentence; what asks whether to act stands as one of trouble."""
    return {
        w.lower().replace("’", "'")
        for w in re.findall(r"[A-Za-z][\w'’/-]*", TO_ACT.sub(" trouble ", THAT.sub(r"\1", part)))
    }
