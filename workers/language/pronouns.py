"""Words that stand for what was named before."""

from __future__ import annotations

import re

PRONOUN = re.compile(
    r"\b(it|its|it['’]s|something|this|that|these|those|they|them|the (?:thing|service|endpoint|page|numbers?|app|site|"
    r"system|api|part|config|job|one|other one)|same)\b",
    re.IGNORECASE,
)
