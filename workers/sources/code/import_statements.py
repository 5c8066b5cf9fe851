"""What the import statements of a file bring: which name stands for which module, or for what of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from workers.sources.code.definition_lookup import module_parts

NAMED = frozenset(
    {"python", "javascript", "typescript", "tsx", "go", "rust", "java", "kotlin", "scala", "csharp", "php"}
)
"""Languages in which what another module defines is seen through an import, or in the same package."""
SAME_PACKAGE = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift", "php"})
"""Languages in which files of a folder see each other without one."""
BY_FOLDER = frozenset({"go"})
"""Languages in which a module is a folder."""
FAMILIES = (
    frozenset({"javascript", "typescript", "tsx"}),
    frozenset({"c", "cpp", "objc"}),
    frozenset({"java", "kotlin", "scala"}),
)
"""Languages whose files use each other's definitions."""
VERSION = re.compile(r"v\d+|go|golang")
ECMA_NAMES = re.compile(r"(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?")


@dataclass(frozen=True)
class Module:
    """A module as an import names it. ``rooted``: its parts are a path from the root of the repository.

    ``member``: what is taken from it; empty for all of it.
    """

    parts: tuple[str, ...]
    rooted: bool = False
    member: str = ""


@dataclass
class Imports:
    """Local name -> module; ``wild``: modules of which everything is imported."""

    names: dict[str, Module] = field(default_factory=dict)
    wild: list[Module] = field(default_factory=list)


def read_imports(texts: Sequence[str], path: str, language: str) -> Imports:
    """The imports of a file.

    Args:
        texts: its import statements, as written.
        path: of the file, from the root of the repository.
        language: a name of `language_of`.
    """
    reader = READERS.get(language)
    out = Imports()
    for text in texts if reader else ():
        for name, module in reader(re.sub(r"\s+", " ", text)[:5_000], path):  # type: ignore[misc]
            if name == "*":
                out.wild.append(module)
            else:
                out.names[name] = module
    return out


Bound = Iterator[tuple[str, Module]]


def python_imports(text: str, path: str) -> Bound:
    """``from ..a import b as c``, ``import a.b as c``."""
    if match := re.match(r"from (\.*) ?([\w.]*) import \(?(.*)", text):
        folders = PurePosixPath(path).parts[: -len(match[1])] if match[1] else ()
        parts = (*folders, *filter(None, match[2].split(".")))
        for one in re.sub(r"#[^,)]*", "", match[3]).strip(" );").split(","):
            name, _, alias = one.strip().partition(" as ")
            if name:
                yield alias.strip() or name, Module(parts, bool(match[1]), "" if name == "*" else name)
    elif text.startswith("import "):
        for one in text[7:].split(","):
            name, _, alias = one.strip().partition(" as ")
            yield alias.strip() or name, Module(tuple(name.split(".")))


def ecma_imports(text: str, path: str) -> Bound:
    """``import D, {a as b} from "./x"``, ``import * as n from "x"``, ``export {a} from "./x"``."""
    source = re.search(r"[\"']([^\"']{1,300})[\"'] ?(?:with|assert)? ?[^\"']{0,80};?$", text)
    if source is None:
        return
    rooted = source[1].startswith(".")
    parts = ecma_parts(source[1], path) if rooted else tuple(p for p in source[1].split("/") if p not in {"@", "~"})
    head = text[: source.start()]
    if match := re.search(r"\* as ([\w$]+)", head):
        yield match[1], Module(parts, rooted)
    elif text.startswith("export *"):
        yield "*", Module(parts, rooted)
    braces = re.search(r"\{([^}]*)\}", head)
    for name, alias in ECMA_NAMES.findall(braces[1]) if braces else ():
        yield alias or name, Module(parts, rooted, name)
    if match := re.match(r"import (?:type )?([\w$]+)(?: ?,| from)", text):
        yield match[1], Module(parts, rooted, "default")


def ecma_parts(source: str, path: str) -> tuple[str, ...]:
    """A relative path from the root of the repository, without suffix and ``index``."""
    parts = list(PurePosixPath(path).parts[:-1])
    for part in source.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {".", ""}:
            parts.append(part)
    if parts and re.search(r"\.[cm]?[jt]sx?$", parts[-1]):
        parts[-1] = parts[-1].rpartition(".")[0]
    return tuple(parts[:-1] if parts and parts[-1] == "index" else parts)


def go_imports(text: str, path: str) -> Bound:
    """``import alias "host/owner/repo/pkg"``, in brackets too."""
    del path
    for alias, source in re.findall(r"([\w.]+)? ?\"([^\"]{1,300})\"", text):
        parts = tuple(source.split("/"))
        last = parts[-2] if len(parts) > 1 and VERSION.fullmatch(parts[-1]) else parts[-1]
        name = alias if alias not in {"", "import", "_"} else re.sub(r"^go-|[.-]go$|\.v\d+$", "", last)
        yield ("*" if name == "." else name), Module(parts)


def dotted_imports(text: str, path: str) -> Bound:
    """``import static a.b.C;``, ``using A.B;``, ``use A\\B as C;``, ``import a.b.{C, D}``."""
    del path
    match = re.match(
        r"\w+ (?:static |function |const )?([\w.\\]{1,300}?)[.\\]?(?:([*_])|\{([^}]*)\})?(?: as (\w+))? ?;?$", text
    )
    if match is None:
        return
    parts = tuple(filter(None, re.split(r"[.\\]", match[1])))
    if match[2]:
        yield "*", Module(parts)
    elif match[3]:
        for name in re.findall(r"\w+", match[3]):
            yield name, Module(parts, member=name)
    elif parts:
        yield match[4] or parts[-1], Module(parts[:-1], member=parts[-1])
        yield "*", Module(parts)


def rust_imports(text: str, path: str) -> Bound:
    """``use crate::a::{b, c::{self, d as e}};``."""
    del path
    body = re.sub(r"^(?:pub(?:\([^)]*\))? )?use ", "", text).strip(" ;")
    yield from rust_tree(body, (), 0)


def rust_tree(body: str, before: tuple[str, ...], depth: int) -> Bound:
    """One level of braces."""
    if depth > 6:
        return
    for item in split_braces(body):
        head, brace, rest = item.partition("{")
        parts = (*before, *(p.strip() for p in head.split("::") if p.strip() not in {"", "crate", "self", "super"}))
        if brace:
            yield from rust_tree(rest.rpartition("}")[0], parts, depth + 1)
        elif parts and parts[-1] == "*":
            yield "*", Module(parts[:-1])
        elif parts:
            name, _, alias = parts[-1].partition(" as ")
            yield alias.strip() or name, Module(parts[:-1], member=name)


def split_braces(body: str) -> list[str]:
    """The parts between commas that stand in no braces."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(body):
        depth += (c == "{") - (c == "}")
        if c == "," and depth == 0:
            out.append(body[start:i].strip())
            start = i + 1
    return [part for part in [*out, body[start:].strip()] if part]


READERS = {
    "python": python_imports,
    "go": go_imports,
    "rust": rust_imports,
    **dict.fromkeys(("javascript", "typescript", "tsx"), ecma_imports),
    **dict.fromkeys(("java", "kotlin", "scala", "csharp", "php"), dotted_imports),
}


def leads_to(module: Module, path: str, language: str, container: str = "") -> int:
    """How surely a module is the file at a path: 4 it is; 3 the file lies within it, and may be what it exports; 0 not.

    ``container``: what holds the thing looked for; in some languages a module is a class.
    """
    held = tuple(PurePosixPath(path).parts[:-1]) if language in BY_FOLDER else tuple(module_parts(path))
    wanted = module.parts
    if module.rooted:
        return 4 if held == wanted else 3 if held[: len(wanted)] == wanted else 0
    if not wanted:
        return 3
    if language in BY_FOLDER:
        return 4 if held and wanted[-len(held) :] == held else 0
    if held[-len(wanted) :] == wanted or (*held, *filter(None, container.split(".")))[-len(wanted) :] == wanted:
        return 4
    return 3 if any(held[i : i + len(wanted)] == wanted for i in range(len(held) - len(wanted) + 1)) else 0


def same_family(one: str, other: str) -> bool:
    """Whether files of two languages use each other's definitions."""
    return one == other or any(one in family and other in family for family in FAMILIES)
