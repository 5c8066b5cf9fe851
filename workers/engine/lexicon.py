"""PURE. The words whose use must agree with the facts: directions, causes, scope, order, events."""

from __future__ import annotations

import re

UP = re.compile(
    r"\b(ros?e|risen|rises?|rising|increas\w+|climb\w*|jump\w*|spik\w+|grew|grow\w*|went up|gone up|shot up|surg\w+|"
    r"doubl\w+|tripl\w+|quadrupl\w+|higher|slower|worse\w*|degraded|elevated|more than|up from)\b",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"\b(fell|fall\w*|dropp?\w*|decreas\w+|declin\w+|went down|gone down|shr[ai]nk\w*|halv\w+|lower\w*|faster|"
    r"improv\w+|reduc\w+|sank|plunged|collapsed|less than|fewer|down from)\b",
    re.IGNORECASE,
)
FLAT = re.compile(
    r"\b(unchanged|flat|stead(?:y|ily)|stable|constant|did(?: not|n't) change|no change)\b", re.IGNORECASE
)
FACTORS = {"doubl": (1.7, 2.5), "tripl": (2.5, 3.6), "quadrupl": (3.4, 4.7), "halv": (0.38, 0.62)}
BEFORE_ROLE = re.compile(r"(^|_)(baseline|before|previous|prior|old|from|start_value|usual|normal)(_|$)")
AFTER_ROLE = re.compile(r"(^|_)(current|peak|after|now|new|latest|last|max|high|worst)(_|$)")
PEAK_ROLE = re.compile(r"(^|_)(peak|max|high|worst)(_|$)")
LEAD_BEFORE = re.compile(
    r"\b(from|was|normally|usually|baseline(?: of| is| was)?|before:?|used to be|instead of|than)\s*$"
)
LEAD_PEAK = re.compile(r"\bpeak(?:ed|ing|s)?(?: at| of| was| is)?\s*$|\bas high as\s*$")
LEAD_NOW = re.compile(r"\b(now|currently|(?:is|are|stands?|sits?) (?:now )?(?:at)?|reached|reaching)\s*$")
CAUSAL = re.compile(
    r"\b(because|caus(?:e[sd]?|ing)|due to|led to|leads to|result(?:ed|s|ing)? in|root cause|responsible for|"
    r"trigger(?:ed|s)|as a result|owing to|thanks to|made\b.{1,40}\bslow\w*|(?:is|was) why|explains? why|"
    r"brought down)\b",
    re.IGNORECASE,
)
BEHAVIOUR = re.compile(
    r"\b(latenc\w+|p50|p9\d|slow\w*|error rate|errors? (?:rose|fell|are|is|increas\w+)|throughput|"
    r"traffic (?:rose|fell|is|was|increas\w+|drop\w*)|unavailable|is down|times? out|timing out)\b",
    re.IGNORECASE,
)
SCOPE = re.compile(
    r"\b(all|every|each|always|never|none|nobody|nothing|only|sole(?:ly)?|entire(?:ly)?|no (?:other )?\w+)\b",
    re.IGNORECASE,
)
ORDER = re.compile(r"\b(before|after|following|preced(?:es|ed|ing)|prior to|since|until|ahead of)\b", re.IGNORECASE)
CLAUSE = re.compile(r"[;,]\s|\.\s|\s(?:while|whereas|but|and|versus|vs)\s")
EVENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("deploy", re.compile(r"\b(deploy\w*|release\w*|roll-?out|version|shipped|went out|rolled out)\b", re.IGNORECASE)),
    ("alert", re.compile(r"\b(alert\w*|fir(?:ing|ed|es)|page[ds]?|paging)\b", re.IGNORECASE)),
    ("peak", re.compile(r"\b(peak\w*|maximum|worst|highest)\b", re.IGNORECASE)),
    ("recovered", re.compile(r"\b(recover\w*|came back|back to normal|ended|resolved)\b", re.IGNORECASE)),
    ("change", re.compile(r"\b(commit\w*|merg\w+|pushed|authored)\b", re.IGNORECASE)),
    (
        "onset",
        re.compile(
            r"\b(onset|start\w*|began|begin\w*|rose|spik\w+|jump\w*|climb\w*|fell|dropp\w*|"
            r"went (?:up|down|from)|slowed|degraded)\b",
            re.IGNORECASE,
        ),
    ),
)
