"""Who owns a file by the repository's CODEOWNERS: the last rule that matches it, as code hosts read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where it lies: the first of them that is there counts."""
MOST_RULES = 5_000
SPACE = re.compile(r"(?<!\\)\s+")
PART = re.compile(r"\*\*/|\*\*|\*|\?|\\.|.", re.DOTALL)
WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True)
class OwnerRule:
    """A pattern of paths with its owners, none where it takes files out; ``line`` counts from 1."""

    pattern: str
    owners: tuple[str, ...]
    line: int

    def matches(self, path: str) -> bool:
        """Whether a file of the repository is one of them."""
        return re.fullmatch(path_expression(self.pattern), path) is not None


def read_rules(lines: Sequence[str]) -> list[OwnerRule]:
    """The rules in their order, without comments and the headings of sections."""
    rules = []
    for number, raw in enumerate(lines[:MOST_RULES], 1):
        line = re.split(r"(?:^|(?<=\s))#", raw, maxsplit=1)[0].strip()
        if line and not line.startswith(("[", "^[")):
            pattern, *owners = SPACE.split(line)
            rules.append(OwnerRule(pattern, tuple(owners), number))
    return rules


def owning_rule(rules: Sequence[OwnerRule], path: str) -> OwnerRule | None:
    """The last rule that matches a path; None when none does, or when that one names nobody."""
    found = next((rule for rule in reversed(rules) if rule.matches(path)), None)
    return found if found and found.owners else None


def path_expression(pattern: str) -> str:
    """A pattern as a regular expression of whole paths.

    One with a slash before its end begins at the root, any other matches at every depth. A folder owns all below it,
    ``docs/*`` only what lies in it.
    """
    bare = pattern.strip("/")
    anchored = "/" in pattern.rstrip("/")
    parts = (WILD.get(m[0]) or re.escape(m[0].removeprefix("\\")) for m in PART.finditer(bare))
    below = "/.*" if pattern.endswith("/") else "" if anchored and bare.endswith("/*") else "(?:/.*)?"
    return f"{'' if anchored else '(?:.*/)?'}{''.join(parts)}{below}"
