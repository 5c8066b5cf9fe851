"""A message -> its parts: what its author asks, what they paste, and what they quote. Only own words ask."""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(r"```[^\n`]*\n?(.*?)(?:```|\Z)", re.DOTALL)
QUOTED_LINE = re.compile(r"(?:>|&gt;)\s?(.*)")
PASTED_LINE = re.compile(
    r"\s*(?:at [\w$.<>/]+[\w$<>]\s?\(|File \"[^\"]+\", line \d|Traceback \(most recent|Caused by: |\.\.\. \d+ more|"
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


@dataclass(frozen=True)
class Frame:
    """One place that a stack trace names. ``path``: as it is written there."""

    path: str
    line: int


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


def read_parts(text: str) -> Parts:
    """Split a message. One that is pasted or quoted as a whole asks with what it holds."""
    pasted = [match[1] for match in FENCE.finditer(text)]
    own: list[str] = []
    quoted: list[str] = []
    inside = False
    for line in FENCE.sub("\n", text).splitlines():
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
    return Parts(said or others or error or text.strip(), paste, others if said else "", frames_in(paste), error)


def frames_in(text: str) -> tuple[Frame, ...]:
    """The places in code that a trace names, each once, in its order."""
    found = (
        Frame(match["py"] or match["path"], int(match["py_line"] or match["line"])) for match in FRAME.finditer(text)
    )
    return tuple(dict.fromkeys(found))
