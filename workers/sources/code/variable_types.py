"""What the lines of a file say of the type of a variable: where it is declared, or made by a constructor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

BUILTIN = frozenset(
    "str bytes dict list set tuple int float bool bytearray string number boolean Map Set Array Promise URL String "
    "object Dict List Mapping Iterable Sequence Path map error rune byte Vec HashMap Integer Long Hash".split()
)
"""Types of languages themselves."""
NAME = re.compile(r"[A-Za-z_]\w*")
LONGEST_LINE = 500


class VariableTypes:
    """The types that variables of one file are said to have.

    Args:
        lines: of the file.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.found: dict[tuple[str, int, int], frozenset[str]] = {}

    def of(self, name: str, scope: tuple[int, int]) -> frozenset[str]:
        """The type names that are said of a variable between two lines; where there are none, in the whole file."""
        key = (name, *scope)
        if key not in self.found:
            own = frozenset(self.read(name, *scope))
            self.found[key] = own or (self.of(name, (1, len(self.lines))) if scope != (1, len(self.lines)) else own)
        return self.found[key]

    def read(self, name: str, first: int, last: int) -> Iterator[str]:
        """All names that stand where a type would."""
        if not name.isidentifier():
            return
        pattern = None
        for line in self.lines[first - 1 : last]:
            if name in line and len(line) <= LONGEST_LINE:
                pattern = pattern or declaration(name)
                for match in pattern.finditer(line):
                    yield from names_of(match)


def declaration(name: str) -> re.Pattern[str]:
    """``name: A | B``, ``name = A(``, ``name := pkg.NewA(``, ``A<B> name``, ``name *pkg.A``."""
    n = re.escape(name)
    return re.compile(
        rf"(?<!\w){n}[?!]?\s{{0,3}}(?::=|=(?!=)|:(?!:))\s{{0,3}}(?P<after>[^=(,;{{)]{{1,80}})"
        rf"|(?<![\w.])(?P<before>[A-Za-z_]\w{{0,60}})(?:<[^<>]{{0,60}}>|\[\])?[ \t]{{1,3}}(?=[*&]?{n}(?!\w))"
        rf"|(?<!\w){n}[ \t]{{1,3}}[\[\]*&]{{0,4}}(?:\w{{1,60}}\.)?(?P<behind>[A-Za-z_]\w{{0,60}})"
    )


def names_of(match: re.Match[str]) -> Iterator[str]:
    """The names of one declaration; ``NewA`` stands for ``A`` too."""
    for name in NAME.findall(match["after"] or match["before"] or match["behind"] or ""):
        yield name
        if name.startswith(("New", "new")) and len(name) > 3:
            yield name[3:].lstrip("_")
