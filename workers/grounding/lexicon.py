"""The words whose use must agree with the evidence: directions, causes, states, health, suppositions."""

from __future__ import annotations

import re

from workers.language import hedges


def words(pattern: str) -> re.Pattern[str]:
    """Whole words, in any case."""
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


UP = words(
    r"ros?e|risen|rises|rising|increas\w+|climb\w*|jump\w*|spik\w+|gr[eo]wn?|growing|growth|w[eo]nt up|gone up|shot up|"
    r"surg(?:ed|es|ing)|doubl\w+|tripl\w+|quadrupl\w+|soar\w+|up from(?! \d\d?:| the)"
)
DOWN = words(
    r"fell|fall(?:s|en|ing)|dropp?(?:ed|s|ing)?|decreas\w+|declin\w+|w[eo]nt down|gone down|shr[aiu]nk\w*|halv\w+|"
    r"sank|sunk|plung\w+|plummet\w*|collaps\w+|dipp?(?:s|ed|ing)?|down from(?! \d\d?:| the)|shortened"
)
FLAT = words(
    r"unchanged|flat|stead(?:y|ily)|stable|constant|did(?: not|n[’']t) (?:change|move)|held (?:at|steady)|barely moved|stayed (?:at|the same)|"
    r"(?:has|have|is|was)(?: not|n[’']t) (?:changed|moved)|unaffected"
)
CAUSE = words(
    r"because(?: of)?|due to|owing to|thanks to|as a result of|caus(?:e[sd]?|ing)|triggered by|driven by|result(?:ed|s)? (?:from|in)|"
    r"stem(?:s|med) from|led to|leads to|responsible for|culprit|to blame"
)
BEHAVIOUR = words(r"latenc\w+|p50|p9\d|error rate|errors|throughput|traffic|response times?|requests per second")
STATE = words(
    r"(?:is|are|was|were|has been|have been) (?:\w+ )?(?:down|up|slow\w*|failing|broken|firing|rising|falling|degraded|open|"
    r"unavailable|deployed)|times? out|timing out"
)
HEALTH = re.compile(
    r"\b(?:all (?:is |are |looks? |seems? )?(?:good|clear|well|fine|ok(?:ay)?|green|healthy|normal|quiet)|healthy|nominal|"
    r"(?:every ?thing|things|it|all systems?|systems?|services?) (?:is |are |looks? |seems? |appears? )+(?:to be )?(?:all )?"
    r"(?:good|well|fine|ok(?:ay)?|normal|stable|green|up|operational|working)|"
    r"no (?:known |real |visible |current )?(?:problems?|issues?|incidents?|errors?|trouble|outages?|anomal(?:y|ies)|impact)|"
    r"nothing (?:is |looks |seems |was )?(?:wrong|broken|unusual|amiss|off|to worry about)|looks? (?:good|fine|ok(?:ay)?|healthy)|"
    r"(?:works?|working|behav\w+|runs?|running) (?:as expected|fine|normally|well|smoothly)|operational|up and running|"
    r"(?:is|are) (?:fine|ok(?:ay)?|safe|stable)|no need to worry|under control|problem[- ]free|error[- ]free|resolved|"
    r"(?:is|are) (?:just |only |mere )?noise|can (?:safely )?be ignored|no action (?:is )?(?:needed|required|necessary))\b",
    re.IGNORECASE,
)
OURS = re.compile(
    r"\b(?:our|ours|your|yours|we|us|you|this (?:team|service|system|repo\w*|endpoint|cluster|deploy\w*|incident|code\w*)|"
    r"current(?:ly)?|right now|at the moment|today|yesterday|last (?:night|week|deploy)|production|prod|here)\b",
    re.IGNORECASE,
)
HEDGE = re.compile(
    rf"(?<![\w'’-])(?:{hedges.WRITTEN})(?![\w'’-])|\b(?:(?-i:may(?! \d{{1,2}}\b)|could)|would explain|possible|probable|potential|"
    r"one explanation|consistent with|suggests? that|points to|hints? (?:at|that)|indicat(?:es?|ing) that)\b",
    re.IGNORECASE,
)
"""Beside what makes anybody's words a supposition, what makes a claim about evidence one."""
