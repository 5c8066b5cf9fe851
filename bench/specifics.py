"""The specifics of a text: links, mentions, paths, names, commits, dates, times, numbers.

Written apart from the grounding code, which `bench.model` judges by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

URL = re.compile(r"https?://[^\s<>|)\]`\"'“”]+|\bwww\.[^\s<>|)\]`]+", re.IGNORECASE)
MENTION = re.compile(r"<[@!#][^>]*>|(?<![\w/])@(?:channel|here|everyone)\b", re.IGNORECASE)
DOMAIN = re.compile(
    r"(?<![\w./@-])(?:[\w-]+\.)+(?:com|net|org|io|dev|app|example|internal|local|co|ai|sh)\b(?:/[\w./-]*)?"
)
FILE_ENDS = (
    "py|go|js|ts|tsx|java|rb|rs|c|h|cpp|sh|sql|md|txt|ya?ml|json|toml|ini|cfg|conf|env|html|css|lock|proto|csv|log"
)
PATH = re.compile(
    rf"(?<![\w./-])(?:/?[\w.<>*-]+(?:/[\w.<>*-]+)+/?|/[\w.-]+|[\w-]+(?:\.[\w-]+)*\.(?:{FILE_ENDS})(?!\w))(?::\d+(?:[-–]\d+)?)?"
)
COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s*([ap])\.?m\b)?", re.IGNORECASE)
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
MONTH = "(" + "|".join(MONTHS) + r")[a-z]*\.?"
DATE = re.compile(rf"\b(\d{{4}})-(\d\d)-(\d\d)\b|\b{MONTH} +(\d{{1,2}})\b|\b(\d{{1,2}})\.? +{MONTH}")
NAME = re.compile(
    r"\{[A-Za-z][^{}\s]*\}|`[^`\n]+`|\b[A-Za-z]\w*_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b\w+\(\)"
)
RATE = re.compile(r"[\d.,]+/[a-z]+")
OWN_WORDS = re.compile(r"Not shown: \d+ more lines|· [\d.]+ m?s · by ")
THIN = "\u00a0\u2009\u202f"
NUMBER = re.compile(rf"(?<![\w.:/#-])([+−×-]?)(\d[\d,{THIN}]*\d|\d)(\.\d+)?[ {THIN}]?(%|[A-Za-zµ×/]+)?")
SCALES: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns",), ("s", 1e-9)),
    **dict.fromkeys(("µs", "us"), ("s", 1e-6)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("s", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3_600.0)),
    **dict.fromkeys(("d", "day", "days"), ("s", 86_400.0)),
    **dict.fromkeys(("w", "week", "weeks"), ("s", 604_800.0)),
    **dict.fromkeys(("%", "percent"), ("ratio", 0.01)),
    **dict.fromkeys(("/s", "rps", "qps", "req/s", "requests/s"), ("/s", 1.0)),
    **dict.fromkeys(("B", "byte", "bytes"), ("bytes", 1.0)),
    **{u: ("bytes", 1024.0 ** (n + 1)) for n, u in enumerate(("KiB", "MiB", "GiB", "TiB"))},
    **{u: ("bytes", 1000.0 ** (n + 1)) for n, u in enumerate(("KB", "MB", "GB", "TB"))},
    **dict.fromkeys(("×", "x", "times"), ("factor", 1.0)),
}
ORDINAL = re.compile(r"^\s*(?:\d{1,2}[.)]\s|[•·-]\s)", re.MULTILINE)
CITATION = re.compile(r"\[(?:E\d+(?:,\s*)?)+\]")


@dataclass(frozen=True)
class Specific:
    """One specific of a text. ``value`` and ``dimension`` of a number, in base units; ``slack``: its rounding."""

    kind: str
    text: str
    value: float = 0.0
    dimension: str = ""
    slack: float = 0.0


def find_specifics(text: str) -> list[Specific]:
    """Every specific, each stretch of the text once: links before paths before commits before times before numbers."""
    found: list[Specific] = []
    rest = OWN_WORDS.sub(" ", CITATION.sub(" ", ORDINAL.sub(" ", text)))
    for kind, pattern in (
        ("link", URL),
        ("mention", MENTION),
        ("link", DOMAIN),
        ("path", PATH),
        ("commit", COMMIT),
        ("date", DATE),
        ("time", CLOCK),
        ("name", NAME),
    ):
        found += [
            Specific(kind, match[0].rstrip(".,;:!?…")) for match in pattern.finditer(rest) if wanted(kind, match[0])
        ]
        rest = pattern.sub(lambda match, kind=kind: " " if wanted(kind, match[0]) else match[0], rest)
    return found + list(numbers_of(rest))


def wanted(kind: str, text: str) -> bool:
    """Not everything with a slash is a path: and/or, 12/24, p50/p95."""
    if kind != "path":
        return True
    bare = text.partition(":")[0].rstrip(".,")
    if RATE.fullmatch(bare):
        return False
    parts = [p for p in bare.split("/") if p]
    if bare.startswith("/") or re.search(rf"\.(?:{FILE_ENDS})$", bare):
        return bool(parts)
    return len(parts) > 2 or any("_" in p or "." in p for p in parts)


def numbers_of(text: str) -> Iterator[Specific]:
    """Numbers with a unit, with decimals, or of two digits and more."""
    for match in NUMBER.finditer(text):
        sign, whole, decimals, unit = match[1], re.sub(rf"[,{THIN}]", "", match[2]), match[3] or "", match[4] or ""
        dimension, scale = SCALES.get(unit) or SCALES.get(unit.lower()) or ("", 1.0)
        if sign == "×":
            dimension, scale = "factor", 1.0
        if not dimension and len(whole) < 2 and not decimals:
            continue
        value = float(whole + decimals) * (-1 if sign in {"-", "−"} else 1)
        zeros = len(whole) - len(whole.rstrip("0")) if not decimals and len(whole) > 2 else 0
        slack = 0.5 * 10 ** (-(len(decimals) - 1) if decimals else zeros)
        yield Specific("number", match[0].strip(), value * scale, dimension, slack * scale)


PROSE = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")
LINE_NUMBER = re.compile(r"^ *\d+  ?", re.MULTILINE)
UNSEEN = frozenset(
    "type block_id action_id ts thread_ts user bot_id app_id team metadata value style status id task_id callback_id "
    "parse channel channel_id recipient_user_id recipient_team_id task_display_mode initiator_user_id".split()
)


def texts_of(message: Any) -> Iterator[str]:
    """Every text that a reader sees in a Slack message, or in the arguments of a call that writes one."""
    if isinstance(message, dict):
        if message.get("type") in PROSE:
            text = "".join(run_of(element) for element in message["elements"])
            yield LINE_NUMBER.sub("", text) if message["type"] == "rich_text_preformatted" else text
            return
        for key, inner in message.items():
            if key not in UNSEEN:
                yield from texts_of(inner)
    elif isinstance(message, list):
        for inner in message:
            yield from texts_of(inner)
    elif isinstance(message, str):
        yield message


def run_of(element: dict[str, Any]) -> str:
    """A run of rich text as it reads; a mention as Slack writes it."""
    kind = element["type"]
    if kind in {"user", "usergroup", "channel", "broadcast"}:
        return f"<@{element.get(f'{kind}_id') or element.get('range')}>"
    if kind == "link":
        return f"{element.get('text', '')} {element['url']} "
    return str(element.get("text", ""))
