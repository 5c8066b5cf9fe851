"""How often each identifier stands in a source, comments and strings left out: read by patterns, for speed.

One that stands behind something (``a.run``, ``a::run``, ``a->run``) is counted as ``.run``.
"""

from __future__ import annotations

import re
from collections import Counter

STRING = r'"(?:[^"\\\n]|\\.)*+"?'
LONG = r'"""(?:[^"]|"(?!""))*+"*' + "|" + r"'''(?:[^']|'(?!''))*+'*"
SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
CHARACTER = r"'(?:[^'\\\n]|\\[^\n][^'\n]{0,8})'"
SLASHES = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+"
BACKTICKS = r"`[^`]*+`?"
NAME = r"((?:\.|::|->)?[A-Za-z_$][\w$]*+)"
HASHED = frozenset(
    "python ruby bash perl r julia elixir make starlark powershell nix cmake yaml toml dockerfile just hcl".split()
)
CHARACTERS = frozenset({"rust", "ocaml", "haskell"})


def pattern_for(language: str) -> re.Pattern[str]:
    """What is skipped, and behind it a name as the only group."""
    if language in HASHED:
        parts = [LONG, STRING, SINGLE, r"#[^\n]*+", NAME]
    elif language in CHARACTERS:
        parts = [SLASHES, STRING, CHARACTER, NAME]
    else:
        parts = [SLASHES, STRING, SINGLE, BACKTICKS, NAME]
    return re.compile("|".join(parts))


PATTERNS: dict[str, re.Pattern[str]] = {}


def count_identifiers(text: str, language: str) -> Counter[str]:
    """The names of a source with how often each stands there.

    Args:
        text: of the file.
        language: a name of `language_of`; decides what a comment and a string look like.
    """
    if language not in PATTERNS:
        PATTERNS[language] = pattern_for(language)
    counts: Counter[str] = Counter()
    for found, count in Counter(PATTERNS[language].findall(text)).items():
        if found:
            name = found.lstrip(".:->")
            counts[name if name == found else f".{name}"] += count
    return counts
