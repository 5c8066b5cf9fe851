"""What is done once more in one word: ``try again`` is ``retry``, ``start again`` is ``restart``."""

from __future__ import annotations

import re

AGAIN = re.compile(r"\b([a-z]{2,12}) again\b", re.IGNORECASE)
PREFIXED = frozenset(
    "add apply assign begin boot build calculate calibrate charge check configure connect count create deliver deploy"
    " do draw enter fill generate index install issue load make map name open order paint place play plan process"
    " publish read route run schedule send set start submit test think train try type use validate visit write".split()
)
"""Verbs that are said with "re" in front."""


def said_again(text: str) -> str:
    """A text with such verbs in one word; everything else as it is."""
    return AGAIN.sub(lambda m: f"re{m[1]}" if m[1].lower() in PREFIXED else m[0], text)
