"""Every compiled pattern of the product, on long texts made of its own pieces.

``python -m tests.support.pattern_costs`` prints them as JSON, each with what its time grows faster on than the text:
four times the text, nine times the time or more.
"""

from __future__ import annotations

import importlib
import json
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import bot
import slack_sandbox
import workers

LONG, MIDDLE, SHORT = 20_000, 5_000, 2_000
LIMIT_S, LONG_S = 4.0, 0.15
"""What takes so long for `LONG` characters is not waited for; what takes less than the latter does no harm."""
SUSPICIOUS_S = {size: LONG_S / (LONG / size) ** 2 * 0.8 for size in (SHORT, MIDDLE)}
"""What takes less for so many characters takes less than `LONG_S` for `LONG` ones, be it quadratic."""
GROWTH = 9.0
LINEAR = 2.9
"""What grows no more from `SHORT` to `MIDDLE` (2.5 times the text) grows less than `GROWTH` from there to `LONG`."""
TRIES = 3
MOST_PIECES = 12
PACKAGES = (workers, bot, slack_sandbox)
LEFT_OUT = ("workers.store.migrations.", "workers.language.train_", "slack_sandbox.__main__")
MAKER = re.compile(r"^def (\w+)\([^)]*\) -> (?:re\.)?Pattern\b", re.MULTILINE)
"""A function that makes a pattern."""
ANCHORED = {"match", "fullmatch"}


class TooSlow(Exception):
    """The limit of time has passed."""


def modules() -> list[Any]:
    """Every module of the packages that makes patterns, and all that these load; the others only load libraries."""
    sources = {}
    for package in PACKAGES:
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            sources[".".join(parts).removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    makers = "|".join({name for text in sources.values() for name in MAKER.findall(text)})
    makes_patterns = re.compile(rf"^\s*(?:import re\b|from re import)|\b(?:{makers})\(", re.MULTILINE)
    for name, text in sources.items():
        if makes_patterns.search(text) and not name.startswith(LEFT_OUT):
            importlib.import_module(name)
    names = tuple(package.__name__ for package in PACKAGES)
    return [module for name, module in sorted(sys.modules.items()) if name.partition(".")[0] in names]


def patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """Patterns in a value, also within tuples, lists, sets, mappings and records."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 6:
        inner: list[Any] = []
        if isinstance(value, dict):
            inner = [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            inner = list(value)
        elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            inner = [getattr(value, name, None) for name in value.__dataclass_fields__]
        for one in inner:
            yield from patterns_in(one, depth + 1)


def all_patterns() -> dict[tuple[str, int], tuple[str, str, re.Pattern[str]]]:
    """Each pattern once, with its module and its name there."""
    found: dict[tuple[str, int], tuple[str, str, re.Pattern[str]]] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            for pattern in patterns_in(value):
                if isinstance(pattern.pattern, str):
                    found.setdefault((pattern.pattern, pattern.flags), (module.__name__, name, pattern))
    return found


def uses() -> dict[str, set[str]]:
    """The methods that are called on each name of a pattern, anywhere."""
    out: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in Path(package.__path__[0]).rglob("*.py"):
            for name, method in re.findall(r"\b([A-Z][A-Z0-9_]*)\.([a-z]+)\b", path.read_text(encoding="utf-8")):
                out.setdefault(name, set()).add(method)
    return out


def pieces(pattern: re.Pattern[str]) -> list[str]:
    """The literal parts of a pattern, the longest first."""
    out: list[str] = []
    collect(parser.parse(pattern.pattern, pattern.flags), out)
    return sorted(dict.fromkeys(piece for piece in out if piece.strip()), key=len, reverse=True)[:MOST_PIECES]


def collect(tree: Any, out: list[str]) -> None:
    """Add the literal parts of a parsed pattern."""
    run = ""
    for kind, argument in tree:
        name = str(kind)
        letter = chr(argument) if name == "LITERAL" else first_of(argument) if name == "IN" else ""
        if letter:
            run += letter
            continue
        out.append(run)
        run = ""
        if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            collect(argument[2], out)
        elif name == "SUBPATTERN":
            collect(argument[3], out)
        elif name == "BRANCH":
            for branch in argument[1]:
                collect(branch, out)
        elif name in {"ASSERT", "ASSERT_NOT"}:
            collect(argument[1], out)
        elif name == "ATOMIC_GROUP":
            collect(argument, out)
    out.append(run)


def first_of(letters: Any) -> str:
    """A letter of a class; empty for one by its kind."""
    for kind, argument in letters:
        if str(kind) == "LITERAL":
            return chr(argument)
        if str(kind) == "RANGE":
            return chr(argument[0])
    return ""


def texts(pattern: re.Pattern[str]) -> Iterator[str]:
    """What is repeated: its pieces, alone and together, blanks, marks and words."""
    own = pieces(pattern)
    yield from (" ", "\n", "!", "a ", "0 ")
    yield from dict.fromkeys(f"{piece.strip()} " for piece in own)
    yield from ("".join(own), " ".join(own) + " ") if own else ()


def spent_s(pattern: re.Pattern[str], method: str, text: str) -> float:
    """Seconds of this process's own time, which no other one lengthens; the limit when that passes.

    Some machines count it by hundredths: less is not told apart, and does no harm.
    """
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        getattr(pattern, method)(text)
    except TooSlow:
        return LIMIT_S
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - start


def grows(pattern: re.Pattern[str], method: str, piece: str) -> bool:
    """Whether a long text takes long, and many times what a quarter of it takes, each time that this is tried."""
    return all(grew_once(pattern, method, piece) for _ in range(TRIES))


def grew_once(pattern: re.Pattern[str], method: str, piece: str) -> bool:
    """The same, tried once; the least of several measures of the quarter counts."""
    long_s = repeated_s(pattern, method, piece, LONG)
    if long_s < LONG_S or long_s >= 0.9 * LIMIT_S:
        return long_s >= LONG_S
    return all(long_s > GROWTH * repeated_s(pattern, method, piece, MIDDLE) for _ in range(3))


def repeated_s(pattern: re.Pattern[str], method: str, piece: str, size: int) -> float:
    """Seconds for a piece repeated to so many characters."""
    return spent_s(pattern, method, piece * (size // len(piece)))


def is_suspicious(pattern: re.Pattern[str], method: str, piece: str) -> bool:
    """Whether short texts leave it open that a long one takes long."""
    short_s = repeated_s(pattern, method, piece, SHORT)
    if short_s < SUSPICIOUS_S[SHORT]:
        return False
    middle_s = repeated_s(pattern, method, piece, MIDDLE)
    if middle_s < SUSPICIOUS_S[MIDDLE]:
        return False
    return middle_s > LINEAR * min(short_s, repeated_s(pattern, method, piece, SHORT))


def is_slow(pattern: re.Pattern[str], methods: set[str]) -> str:
    """What it is slow on; empty when it is not."""
    for piece in texts(pattern):
        for method in methods:
            if is_suspicious(pattern, method, piece) and grows(pattern, method, piece):
                return f"{method} {piece[:40]!r}"
    return ""


def too_slow(*_: Any) -> None:
    """The timer's signal."""
    raise TooSlow


def main() -> None:
    """Prints each pattern: its module, name and length, and what it is slow on, if anything."""
    signal.signal(signal.SIGPROF, too_slow)
    used = uses()
    rows = []
    for module, name, pattern in all_patterns().values():
        methods = used.get(name, set()) & {"search", "match", "fullmatch", "finditer", "findall", "sub", "split"}
        slow = is_slow(pattern, methods if methods and methods <= ANCHORED else {"search"})
        rows.append((module, name, len(pattern.pattern), slow))
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
