"""A message -> its parts: what its author asks, what they paste, and what they quote. Only own words ask.

The only reader of parts, for every door: whoever weighs, routes or looks up the words of a question takes ``own``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(r"```(?:[\w+-]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
LINES_OF_CODE = re.compile(r"(?<!`)`([^`\n]*\n[^`]*)`(?!`)")
"""Several lines between single marks."""
ADDRESS = re.compile(
    r"(?:<@[A-Za-z0-9]+(?:\|[^<>]*)?>|(?<!\w)@[UWB](?=[A-Z0-9]*\d)[A-Z0-9]{6,}\b|\A\s*@[\w.-]+(?=[\s,:]))[,:]?"
)
"""Whom a message is said to: an account by its id, or the name that it begins with."""
QUOTED_LINE = re.compile(r"(?:>|&gt;)\s?(.*)")
PASTED_LINE = re.compile(
    r"\s*`?(?:at [\w$.<>/]+[\w$<>]\s?\(|File \"[^\"]+\", line \d|Traceback \(most recent|Caused by: |\.\.\. \d+ more|"
    r"panic: |goroutine \d|#\d+\s+\S+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\],. ]|"
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b\s*(?::|$)|\*\* \(\w+(?:\.\w+)*\)|"
    r"(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[ :\]])"
)
"""A line of a stack trace or of a log, by its form."""
FRAME = re.compile(
    r"File \"(?P<py>[^\"]+)\", line (?P<py_line>\d+)|"
    r"(?<![\w./-])(?P<path>(?:[\w@.-]+/)*[\w-]+\.(?!com\b|org\b|io\b)[A-Za-z]\w{0,5}):(?P<line>\d+)"
)
ERROR = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b[^\n]*|panic: [^\n]*|\*\* \([\w.]+\)[^\n]*")
POINTS = re.compile(r"\b(?:this|that|these|those|it|here)\b", re.IGNORECASE)
MOST_POINTING, SHORT_CHARS = 6, 120
"""A question of so few words that names nothing is about what is pasted; a paste of so few letters is a part of it."""


@dataclass(frozen=True)
class Frame:
    """One place that a stack trace names. ``path``: as it is written there."""

    path: str
    line: int

    @property
    def known_as(self) -> str:
        """The path within a repository as far as it can be told: of one from the root of a machine, the file's name."""
        return self.path.rpartition("/")[2] if self.path.startswith(("/", "<")) or ":" in self.path else self.path


@dataclass(frozen=True)
class Parts:
    """``own``: the words of the author. ``pasted``: traces, logs and code; ``quoted``: lines of somebody else.

    ``frames``: the places of a trace, in its order. ``error``: the line that says what went wrong.
    """

    own: str
    pasted: str = ""
    quoted: str = ""
    frames: tuple[Frame, ...] = ()
    error: str = ""

    def points_to_paste(self, *, names: bool) -> bool:
        """Whether the author's words are about what they paste. ``names``: they name something themselves."""
        few = len(self.own.split()) <= MOST_POINTING and not names
        return bool(self.pasted) and (few or POINTS.search(self.own) is not None)

    def asked(self, *, names: bool) -> str:
        """The author's words; with the error and the innermost place of the paste, where they are about it."""
        if not self.points_to_paste(names=names):
            return self.own
        short = self.pasted if len(self.pasted) <= SHORT_CHARS and not (self.error or self.frames) else ""
        inner = self.frames[-1:] if "Traceback" in self.pasted else self.frames[:1]
        return " ".join(dict.fromkeys((self.own, self.error or short, *(frame.known_as for frame in inner)))).strip()


def read_parts(text: str) -> Parts:
    """Split a message. One that is pasted or quoted as a whole asks with what it holds."""
    spoken = without_address(text)
    pasted = [match[1] for pattern in (FENCE, LINES_OF_CODE) for match in pattern.finditer(spoken)]
    own: list[str] = []
    quoted: list[str] = []
    inside = False
    for line in LINES_OF_CODE.sub("\n", FENCE.sub("\n", spoken)).splitlines():
        if match := QUOTED_LINE.fullmatch(line.strip()):
            quoted.append(match[1])
        elif PASTED_LINE.match(line) or (inside and line[:1].isspace() and line.strip()):
            pasted.append(line)
            inside = True
        else:
            inside = False
            own.append(line)
    paste = "\n".join(part.strip("\n") for part in pasted if part.strip())
    said, others = "\n".join(own).strip(), "\n".join(quoted).strip()
    error = next((m.group().strip() for m in reversed(list(ERROR.finditer(paste)))), "")
    return Parts(said or others or error or spoken.strip(), paste, others if said else "", frames_in(paste), error)


def without_address(text: str) -> str:
    """A message without whom it is said to; one that says nothing else stays."""
    return ADDRESS.sub(" ", text).strip() or text.strip()


def frames_in(text: str) -> tuple[Frame, ...]:
    """The places in code that a trace names, each once, in its order."""
    found = (
        Frame(match["py"] or match["path"], int(match["py_line"] or match["line"])) for match in FRAME.finditer(text)
    )
    return tuple(dict.fromkeys(found))
