"""Stack traces that people paste -> frames and messages, whatever stands before them on their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

MAX_CHARS = 60_000
MAX_LINE = 1_000
MOST_FRAMES = 200
SCRIPTS = r"[cm]?[jt]sx?|vue|svelte"
# How a frame is written: its path, line and, where it says so, the name of its function.
FORMS = {
    "python": re.compile(r"File \"(?P<path>[^\"]+)\", line (?P<line>\d+)(?:, in (?P<name>\S+))?"),
    "java": re.compile(
        r"\bat (?:[\w.$@-]+/{1,2})*(?P<name>[\w$.<>-]+)"
        r"\((?P<path>[\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>\d+)\)"
    ),
    "node": re.compile(
        r"\bat (?:(?:async |new )*(?P<name>[^\s(]+)[^(]{0,80}\()?(?:file://|webpack(?:-internal)?:/{2,3}(?:\([\w-]+\)/)?)?"
        rf"(?P<path>(?:[A-Za-z]:)?[^\s():?]+\.(?:{SCRIPTS}))(?:\?\w*)?:(?P<line>\d+)(?::\d+)?"
    ),
    "dotnet": re.compile(
        r"\bat (?P<name>[\w.<>`+\[\]]+)\([^()]{0,400}\) in (?P<path>.{1,400}?\.(?:cs|fs|vb)):line (?P<line>\d+)"
    ),
    "php": re.compile(
        r"#\d+ (?P<path>[^\s(]+\.php)\((?P<line>\d+)\)(?:: (?P<name>[^\s(]+))?"
        r"|\bin (?P<path2>/\S+?\.php)(?::| on line )(?P<line2>\d+)"
    ),
    "ruby": re.compile(
        r"(?P<path>(?:[\w.@+~-]*/)*[\w.@+-]+\.(?:rb|rake|erb|ru)):(?P<line>\d+):in [`'](?:[\w ]+ in )?(?P<name>[^']+)'"
    ),
    "elixir": re.compile(r"(?P<path>(?:[\w.-]+/)*[\w.-]+\.exs?):(?P<line>\d+): (?P<name>[\w.!?]+)/\d"),
    "rust": re.compile(
        r"\bat (?P<path>[\w./@+-]+\.rs):(?P<line>\d+)|panicked at (?:'.*', )?(?P<path2>[\w./-]+\.rs):(?P<line2>\d+)"
    ),
    "go": re.compile(r"(?:^|[\s|])(?P<path>/?(?:[\w.@+~!-]+/)*[\w.@+-]+\.go):(?P<line>\d+)\b"),
}
INNERMOST_LAST = frozenset({"python"})
ABOVE = {
    "go": re.compile(r"(?:^|[\s|])(?:created by )?(?P<name>[\w./*()\[\]-]+?)\((?:0x|\{|\.\.\.|\)|[\w, ]*\))"),
    "rust": re.compile(r"\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>[\w:<>{}# ]+)$"),
}
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
CAUSE = re.compile(r"\bCaused by:? |---> ")
ENDED = re.compile(r"direct cause of the following|During handling of the above exception")
ERROR = re.compile(
    r"(?:^|[\s:(\]|>])(?P<type>(?:[A-Za-z_$][\w$]*(?:\.|::|\\))*[A-Za-z_$][\w$]*(?:Error|Exception|Failure|Fault|Panic"
    r"|Timeout|NotFound|Exit|Iteration|Interrupt))(?: \[[\w-]+\])?(?::\s*(?P<said>\S.*))?$"
)
RAISED = re.compile(r"(?:^|[\s\]])(?:[a-z_]\w*\.)*[A-Z]\w+: (?P<said>\S.*)$")
PANIC = re.compile(r"\b(?:panic|fatal error): (?P<said>.+?)(?: \[recovered\])?$")
RUST = re.compile(r"panicked at (?:'(?P<said>.*)', \S+|\S+:\d+:\d+:)$")
RUBY = re.compile(r":in [`'][^']{1,300}': (?P<said>.+?)(?: \((?P<type>[\w:]+)\))?$")
PHP = re.compile(r"Uncaught (?P<type>[\w\\]+): (?P<said>.+?) in /\S+\.php")


@dataclass(frozen=True)
class Frame:
    """One call: where it was, and the function's name as far as it is said. ``path`` has slashes alone."""

    path: str
    line: int
    name: str = ""
    language: str = ""

    @property
    def function(self) -> str:
        """The name of the function alone: ``com.shop.Cart.add`` -> ``add``."""
        bare = re.sub(r"\(\*?(\w+)\)", r"\1", self.name.replace("$", "."))  # a method's receiver in Go
        bare = re.sub(r"<[^>]*>$|\(.*|\[.*|\{.*", "", bare)
        parts = [p for p in re.split(r"\.|::|#|->|/|\\", bare) if p and not p.isdigit()]
        return parts[-1] if parts else ""


@dataclass(frozen=True)
class Trace:
    """Frames, the innermost of the first cause first, and what the errors said in the same order."""

    frames: tuple[Frame, ...]
    messages: tuple[str, ...] = ()


@dataclass
class Block:
    """One error with its frames as they stand."""

    frames: list[Frame]
    messages: list[str]

    def ordered(self) -> list[Frame]:
        """Its frames, the innermost first."""
        last = bool(self.frames) and self.frames[0].language in INNERMOST_LAST
        return self.frames[::-1] if last else self.frames


def read_trace(text: str) -> Trace | None:
    """Read a stack trace out of a text; None when there is none."""
    blocks = [b for b in split_blocks(lines_in(text)) if b.frames or b.messages]
    if not any(b.frames for b in blocks):
        return None
    first_cause_first = any(f.language in INNERMOST_LAST for b in blocks for f in b.frames)
    ordered = blocks if first_cause_first else blocks[::-1]
    frames = dict.fromkeys(f for b in ordered for f in b.ordered())
    messages = dict.fromkeys(m for b in ordered for m in b.messages)
    return Trace(tuple(frames)[:MOST_FRAMES], tuple(messages))


def lines_in(text: str) -> list[str]:
    """Lines without colours; those of a trace that stands inside a JSON string too."""
    text = ESCAPES.sub("", text[:MAX_CHARS])
    if "\\n" in text:
        text = text.replace("\\r", "").replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    return [line.rstrip()[:MAX_LINE] for line in text.splitlines()]


def split_blocks(lines: Sequence[str]) -> list[Block]:
    """Errors that follow one another, each with its frames."""
    blocks = [Block([], [])]
    for i, line in enumerate(lines):
        if CAUSE.search(line) or ENDED.search(line):
            blocks.append(Block([], []))
        message = message_in(lines, i) or raised(line, blocks[-1])
        if message:
            blocks[-1].messages.append(message)
        frame = frame_in(line)
        if frame and not frame.name and frame.language in ABOVE and i:
            above = ABOVE[frame.language].search(lines[i - 1])
            frame = replace(frame, name=above["name"].strip()) if above else frame
        if frame:
            blocks[-1].frames.append(frame)
    return blocks


def raised(line: str, block: Block) -> str:
    """What an error of any name says below the frames of Python."""
    if block.messages or not block.frames or block.frames[-1].language != "python" or line.startswith("    "):
        return ""
    match = RAISED.search(line)
    return match["said"].strip() if match else ""


def frame_in(line: str) -> Frame | None:
    """The frame on a line, if any."""
    for language, form in FORMS.items():
        match = form.search(line)
        if match:
            found = match.groupdict()
            path = found["path"] or found["path2"] or ""
            name = found.get("name") or ""
            number = int((found["line"] or found["line2"] or "0")[:9])
            if language == "java":
                package = name.rpartition(".")[0].split("$")[0].split(".")[:-1]
                path = "/".join([*package, path])
            return Frame(path.replace("\\", "/").removeprefix("file://"), max(number, 1), name, language)
    return None


def message_in(lines: Sequence[str], i: int) -> str:
    """What an error says on a line, without its type; the type where it says nothing."""
    line = lines[i]
    for form in (PHP, RUBY, PANIC):
        match = form.search(line)
        if match:
            return match["said"].strip()
    match = RUST.search(line)
    if match:
        return (match["said"] or (lines[i + 1] if i + 1 < len(lines) else "")).strip()
    match = ERROR.search(line)
    if match and not frame_in(line):
        said = (match["said"] or "").strip().rstrip('"}')
        kind = re.split(r"\.|::|\\", match["type"])[-1]
        return said if len(said.split()) > 1 else f"{kind} {said}".strip()
    return ""


def words_of(trace: Trace) -> Iterator[str]:
    """What to search for beside the frames: what the first cause says, then the functions of the innermost frames."""
    yield from trace.messages[:1]
    yield from dict.fromkeys(f.function for f in trace.frames[:3] if len(f.function) > 2)
