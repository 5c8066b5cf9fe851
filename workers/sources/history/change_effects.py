"""What a change can do to a running system, read from its diff: what it took away, what it put in, what it only moved.

A change that only moves or renames code, or that touches what does not run, cannot be the fault. What can: a guard that
is gone, a limit that is another, a call that is made in a loop, a name that two sides must share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from workers.language.stems import stem
from workers.language.tokens import split_identifier
from workers.sources.code.file_kinds import LOCKS, kind_of

TOKEN = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`|\d+(?:\.\d+)?[A-Za-z%]*|[A-Za-z_]\w*|[^\w\s]")
WORD = re.compile(r"[A-Za-z_]\w*")
VERSION = re.compile(r"\bv?\d+\.\d+\.\d+[\w.+-]*")
IMPORT = re.compile(r"(?:import\b|from [\w.]+ import\b|using [\w.]+;|#include\b)")
HEADER = re.compile(r"(?:diff --git a/\S+ b/|\+\+\+ b/|@@ +)(\S.*?)(?: +@@)?$")
HUNK = re.compile(r"@@ -\d")
"""What stands after a hunk's numbers is a line of the file, no path."""
NUMBER = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z%]*)")
INERT_KINDS = frozenset({"doc", "history", "test"})
STYLES = frozenset(".css .scss .less .svg .png .jpg .gif .ico .html .tmpl .po .snap".split())
INERT_PARTS = frozenset("docs doc static locales i18n .github .gitlab .circleci".split())
MANIFESTS = LOCKS | frozenset(
    "go.mod package.json requirements.txt pyproject.toml cargo.toml pom.xml build.gradle gemfile composer.json "
    "constraints.txt build.gradle.kts libs.versions.toml directory.packages.props pipfile".split()
)
KEYWORDS = frozenset(
    "if else for while return func def class var let const new err error nil none null true false self this in and or "
    "not is range import from package type struct public private static void int string bool try except catch finally "
    "raise throw with as async await yield pass break continue switch case default defer ctx".split()
)
"""Words of languages: which of them a change adds or takes away says little of what it does."""
LOOP = re.compile(r"\b(?:for|while|foreach|forEach|map|each)\b")
GUARD = re.compile(r"\b(?:if|unless|assert|require|guard|check|validate|ensure|when)\b|\?\.|\?\?|\|\|")
LOGGING = re.compile(r"(?:\w+\.)*(?:log|logger|logging|slog|console|LOG_\w+|print\w*)\b[.(]", re.IGNORECASE)
DEFINED = re.compile(r"\b(?:def|func|function|fn)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w*)")
CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
UNIT = re.compile(r"\b((?:nano|micro|milli)?(?:second|minute|hour))s?\b", re.IGNORECASE)
UNITS_S |= {"nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1.0, "minute": 60.0, "hour": 3600.0}
SWITCH = re.compile(r"\b(?:true|false|on|off|enabled|disabled)\b[\"']?(?=[\s,;})]*$)", re.IGNORECASE)
"""A value at the end of a line that turns something on or off."""
LEAST_SCALE, ALIKE = 1.5, 0.4
"""From this ratio on it changes a number one; lines are of the same when they share so many of their names."""
FEW_TOKENS, MOST_NEW = 2, 12
"""A change that takes away so few tokens and puts in so few, no number among them, only moved or renamed code."""


@dataclass(frozen=True)
class Effects:
    """What a change can do.

    ``inert``: why it cannot do anything, empty when it can. ``kinds``: of what it does, in words. ``gone``, ``put``:
    what it took away and put in that did not merely move, as stems with how often. ``strength``: 0 to 1. ``names``:
    whole names in what changed, in lower case. ``telling``: the kinds that few harmless changes have.
    """

    inert: str
    kinds: tuple[str, ...]
    gone: Counter[str]
    put: Counter[str]
    strength: float
    names: frozenset[str] = frozenset()
    telling: tuple[str, ...] = ()

    @property
    def words(self) -> set[str]:
        """The stems of everything that changed."""
        return set(self.gone) | set(self.put)


def effects_of(paths: Iterable[str], diff: str) -> Effects:
    """What a change can do.

    Args:
        paths: of the files that it touches.
        diff: unified; of a change without one only its files are known.
    """
    files = [PurePosixPath(path) for path in paths]
    if files and all(is_inert(f) for f in files):
        return Effects("it changes only documents, tests or styles", (), Counter(), Counter(), 0.0)
    removed, added = changed_lines(diff)
    if not diff or not (removed or added):
        return Effects("", ("its diff is not known",), Counter(), Counter(), 0.1)
    if files and all(map(is_manifest, files)):
        return Effects("", ("it changes versions of dependencies",), stems(removed), stems(added), 0.2)
    before, after = tokens(removed), tokens(added)
    gone, put = before - after, after - before
    kinds = dict(kinds_of(removed, added, gone, put))
    meaningful = [t for t in (*gone.elements(), *put.elements()) if matters(t)]
    lost, new = ([t for t in part if matters(t)] for part in (gone, put))
    only_moved = (
        len(lost) <= FEW_TOKENS and len(new) <= MOST_NEW and not any(t[0] in "0123456789\"'`" for t in new + lost)
    )
    if removed and only_moved and not set(kinds) - {CALL_GONE}:
        return Effects("it moves or renames code", (), stem_counts(gone), stem_counts(put), 0.1)
    names = frozenset(n.lower() for t in (*gone, *put) for n in WORD.findall(t) if len(n) > 4)
    strength = min(1.0, 0.25 + sum(WEIGHTS.get(k, 0.2) for k in kinds) + 0.01 * min(20, len(meaningful)))
    if not removed:  # what only adds seldom breaks what was there
        strength *= 0.7
    telling = tuple(said for kind, said in kinds.items() if WEIGHTS[kind] >= TELLING)
    told = tuple(kinds.values()) or ("it changes behaviour",)
    return Effects("", told, stem_counts(gone), stem_counts(put), strength, names, telling)


GUARD_GONE, QUANTITY, IN_LOOP, NAME, CALL_GONE, LIMIT_GONE = "condition", "number", "loop", "name", "call", "limit"
SWITCHED = "switch"
WEIGHTS = {GUARD_GONE: 0.5, QUANTITY: 0.45, IN_LOOP: 0.5, NAME: 0.45, CALL_GONE: 0.1, LIMIT_GONE: 0.5, SWITCHED: 0.45}
"""How much each kind of effect adds to the strength of a change."""
TELLING = 0.4
"""From this weight on a kind of effect is rare enough among harmless changes to be told by itself."""
MOST_EMPTY = 3
"""So many characters a literal has that says nothing: its quotation marks and one letter."""


def kinds_of(removed: list[str], added: list[str], gone: Counter[str], put: Counter[str]) -> Iterator[tuple[str, str]]:
    """The kinds of effect of a change, each with what it does in words."""
    if condition := guard_gone(removed, added):
        yield GUARD_GONE, f"it drops the condition “{condition}”"
    old, new = scaled(removed, added)
    if old:
        yield QUANTITY, f"it changes “{old}” to “{new}”"
    was, now = switched(removed, added)
    if was:
        yield SWITCHED, f"it changes “{was}” to “{now}”"
    fresh, defined = calls(added) - calls(removed), {name for line in added for name in DEFINED.findall(line)}
    looped = [c for c in loop_calls(added) - loop_calls(removed) if c in fresh]
    if looped and set(fresh) - defined:  # a helper that calls nothing new was only moved out of the loop
        yield IN_LOOP, f"it calls {looped[-1]} in a loop"
    texts_gone, texts_put = ([t for t in part if t[0] in "\"'`" and len(t) > MOST_EMPTY] for part in (gone, put))
    if texts_gone and texts_put:
        yield NAME, f"it changes {texts_gone[0][:40]} to {texts_put[0][:40]}"
    if dropped := calls(removed) - calls(added):
        yield CALL_GONE, f"it drops the call of {next(iter(dropped))}"
    if limits := LIMITS & set(stem_counts(gone)) - set(stem_counts(put)):
        named = [t for t in gone if set(stem_counts(Counter([t]))) & limits]
        yield LIMIT_GONE, f"it drops {named[0] if named else min(limits)}"


LIMITS = frozenset(
    stem(w)
    for w in "limit max timeout deadline pool batch cache ttl leeway close release cancel lock unlock retry backoff "
    "throttle quota evict bound size cap window page chunk index".split()
)
"""What keeps a system within its bounds, as code names it."""


def is_inert(file: PurePosixPath) -> bool:
    """Whether a file does not run in production."""
    if is_manifest(file):
        return False
    styled = file.suffix.lower() in STYLES or bool(INERT_PARTS & {p.lower() for p in file.parts[:-1]})
    return styled or kind_of(str(file)) in INERT_KINDS


def is_manifest(file: PurePosixPath) -> bool:
    """Whether a file names the versions of dependencies."""
    return file.name.lower() in MANIFESTS


def changed_lines(diff: str) -> tuple[list[str], list[str]]:
    """The lines that a unified diff removes and adds, without comments and those of files that do not run; which
    version of something is named is left out."""
    removed, added = list[str](), list[str]()
    inert = False
    for line in diff.splitlines():
        if HUNK.match(line) or line.startswith(("--- a/", "--- /dev/null")):
            continue
        if named := HEADER.match(line):
            file = PurePosixPath(named[1].strip())
            inert = is_inert(file) or is_manifest(file)
        elif line[:1] in ("-", "+") and not inert and not is_silent(line[1:]):
            (removed if line[0] == "-" else added).append(VERSION.sub("VERSION", line[1:]))
    return removed, added


def is_silent(line: str) -> bool:
    """Whether a line is blank, a comment, an import, or only writes to a log."""
    plain = line.strip()
    silent = not plain or plain.startswith(("//", "#", "*", "/*", "--", '"""'))
    return silent or LOGGING.match(plain) is not None or IMPORT.match(plain) is not None


def tokens(lines: Iterable[str]) -> Counter[str]:
    """The tokens of some lines and how often each stands there."""
    return Counter(t for line in lines for t in TOKEN.findall(line) if t.strip())


def matters(token: str) -> bool:
    """Whether a token says what code does."""
    return bool(re.match(r"[\w\"'`]", token)) and token.lower() not in KEYWORDS and len(token) > 1


def stems(lines: Iterable[str]) -> Counter[str]:
    """The stems of some lines."""
    return stem_counts(tokens(lines))


def stem_counts(found: Counter[str]) -> Counter[str]:
    """The stems of tokens, names split into their words."""
    out: Counter[str] = Counter()
    for token, count in found.items():
        for name in WORD.findall(token):
            for part in (name, *split_identifier(name)):
                if part.lower() not in KEYWORDS and len(part) > 1:
                    out[stem(part.lower())] += count
    return out


def guard_gone(removed: list[str], added: list[str]) -> str:
    """A condition that is gone, not only moved: something that it asks is in no line that was added; else empty."""
    after = tokens(added)
    for line in removed:
        asked = TOKEN.findall(line)
        if GUARD.search(line) and "err" not in asked:
            telling = [t for t in asked if matters(t) or t.lower() in EMPTY]
            if any(not after[t] for t in telling) and not any(guard_like(asked, other) for other in added):
                return line.strip()[:80]
    return ""


def guard_like(asked: list[str], line: str) -> bool:
    """Whether a line asks nearly the same."""
    there = {t for t in TOKEN.findall(line) if matters(t)}
    return GUARD.search(line) is not None and overlap({t for t in asked if matters(t)}, there) >= MOVED


EMPTY = frozenset("nil null none undefined".split())
MOVED = 0.7
"""A condition that has so many of its words in another one was reworded."""


def calls(lines: list[str]) -> Counter[str]:
    """The functions that some lines call."""
    return Counter(name for line in lines for name in CALL.findall(line) if name.lower() not in KEYWORDS)


def loop_calls(lines: list[str]) -> Counter[str]:
    """The functions that are called inside a loop."""
    found: Counter[str] = Counter()
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if depth is not None and indent <= depth and line.strip() not in {"}", "{"}:
            depth = None
        if LOOP.search(line):
            depth = indent if depth is None else min(depth, indent)
        elif depth is not None:
            found.update(calls([line]))
    return found


def scaled(removed: list[str], added: list[str]) -> tuple[str, str]:
    """The line whose quantity changed most, before and after; empty where none is `LEAST_SCALE` times another.

    Lines are paired by what else they say; ``15 * time.Second`` is a quantity as ``15s`` is.
    """
    most, told = LEAST_SCALE, ("", "")
    for old in filter(NUMBER.search, removed):
        others = plain_words(old)
        like = [line for line in added if NUMBER.search(line) and overlap(others, plain_words(line)) >= ALIKE]
        for new in like[:1]:
            pairs = zip(quantities(old), quantities(new), strict=False)
            scale = max((max(a, b) / min(a, b) for a, b in pairs if a > 0 and b > 0), default=1.0)
            if scale >= most:
                most, told = scale, (old.strip()[:60], new.strip()[:60])
    return told


def switched(removed: Iterable[str], added: Iterable[str]) -> tuple[str, str]:
    """The first line of which only a switch is another (``on: true``, ``on: false``), before and after; else empty."""
    new = {SWITCH.sub("", line).strip(): line.strip()[:60] for line in added if SWITCH.search(line)}
    for line in filter(SWITCH.search, removed):
        told = new.get(SWITCH.sub("", line).strip(), "")
        if told and told != line.strip()[:60]:
            return line.strip()[:60], told
    return "", ""


def plain_words(line: str) -> set[str]:
    """The names of a line, units of time left out."""
    return {w for w in WORD.findall(line) if matters(w) and not UNIT.fullmatch(w)}


def overlap(a: set[str], b: set[str]) -> float:
    """The share of two sets that both have."""
    return len(a & b) / len(a | b) if a | b else 0.0


def quantities(line: str) -> list[float]:
    """The numbers of a line, times in seconds."""
    named = UNIT.search(line)
    factor = UNITS_S.get(named.group(1).lower(), 1.0) if named else 1.0
    return [float(n) * UNITS_S.get(unit.lower(), factor) for n, unit in NUMBER.findall(line)]
