"""Precision and recall of definitions and uses, and the size and time of maps."""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.code_symbols.language_server import LanguageServer
from workers.language.token_count import count_tokens
from workers.sources.code.definition_lookup import find_definitions
from workers.sources.code.file_kinds import kind_of
from workers.sources.code.index import CodeIndex
from workers.sources.code.reference_graph import FILE, open_graph
from workers.sources.code.reference_search import find_references
from workers.sources.code.repo_map import map_repository
from workers.sources.terms.programming_languages import language_of

Place = tuple[str, int]
SEED = 21
KINDS = frozenset(
    "function class method member func struct interface type const constant enum alias typedef methodSpec".split()
)
LANGUAGES = frozenset({"python", "typescript", "tsx", "go"})
SERVERS = {
    "python": ("pyright-langserver", "--stdio"),
    "typescript": ("typescript-language-server", "--stdio"),
}
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)


@dataclass(frozen=True)
class Tag:
    """What ctags found."""

    name: str
    path: str
    line: int
    scope: str
    kind: str


@dataclass
class Tally:
    """Counted places: found rightly, found, to be found."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    def add(self, found: set[Place], wanted: set[Place]) -> None:
        """Count one symbol."""
        self.right += len(found & wanted)
        self.found += len(found)
        self.wanted += len(wanted)

    def __str__(self) -> str:
        return f"{self.right / max(self.found, 1):.3f} | {self.right / max(self.wanted, 1):.3f}"


def main(args: list[str]) -> None:
    """Measure each repository, and print the tables of bench/README.md."""
    parser = argparse.ArgumentParser(prog="python -m bench code_symbols")
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=120)
    parser.add_argument("--servers", type=Path)
    options = parser.parse_args(args)
    for root in options.repositories:
        with tempfile.TemporaryDirectory() as folder:
            measure(root.resolve(), Path(folder), options.sample, options.servers)


def measure(root: Path, index_dir: Path, sample: int, servers: Path | None) -> None:
    """Everything of one repository."""
    index = CodeIndex.build(root, index_dir)
    tags = [tag for tag in read_tags(root) if tag.path in index.numbers]
    spoken = [language_of(tag.path) for tag in tags]
    main_language = max(sorted(set(spoken)), key=spoken.count)
    print(f"\n{root.name} at {index.commit[:9]}: {len(index.numbers)} files, {len(tags)} tags, mostly {main_language}")
    measure_definitions(index, tags, sample)
    own = [tag for tag in tags if kind_of(tag.path) == "code" and language_of(tag.path) == main_language]
    chosen = random.Random(SEED).sample(own, min(sample, len(own)))
    if servers and main_language in SERVERS:
        command = SERVERS[main_language]
        server = LanguageServer([str(servers / "node_modules" / ".bin" / command[0]), *command[1:]], root)
        try:
            server.open_all(sorted(p for p in index.numbers if Path(p).suffix in {".ts", ".tsx"}))
            measure_uses(index, root, chosen, command[0], lambda tag: server_truth(server, root, tag))
        finally:
            server.close()
    measure_maps(index, index_dir)


def read_tags(root: Path) -> Iterator[Tag]:
    """What ctags finds in the committed files of three languages."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    paths = "\n".join(p for p in listed.split("\n") if language_of(p) in LANGUAGES and (root / p).is_file())
    command = [
        "ctags",
        "--output-format=json",
        "--fields=+nKsZ",
        "--langmap=TypeScript:+.tsx.mts.cts",
        "-f",
        "-",
        "-L",
        "-",
    ]
    out = subprocess.run(command, cwd=root, input=paths, capture_output=True, text=True, check=True).stdout
    for row in map(json.loads, out.splitlines()):
        if row.get("kind") in KINDS and not row["name"].startswith("__anon") and is_reached(row, root):
            yield Tag(row["name"], row["path"], row["line"], row.get("scope", ""), row["kind"])


@cache
def lines_of(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8", errors="replace").split("\n")


def is_reached(row: dict[str, Any], root: Path) -> bool:
    """Whether a name is meant to be used elsewhere: constants of functions, fields, words of the language are not."""
    line = lines_of(root / row["path"])[row["line"] - 1]
    local = row["kind"] in {"constant", "const"} and line[:1].isspace() and not row["path"].endswith(".go")
    field = row["kind"] == "member" and row["path"].endswith(".go")
    return not local and not field and row["name"] not in {"const", "function", "type", "interface"}


def measure_definitions(index: CodeIndex, tags: Sequence[Tag], sample: int) -> None:
    """find_definition for sampled names, against all tags of the name."""
    by_name: dict[str, set[Place]] = {}
    for tag in tags:
        by_name.setdefault(tag.name, set()).add((tag.path, tag.line))
    names = random.Random(SEED).sample(sorted(by_name), min(2 * sample, len(by_name)))
    tally, took, fewer, more = Tally(), [], [], []
    for name in names:
        begun = time.perf_counter()
        places = [p for p in find_definitions(index, name) if language_of(p.path) in LANGUAGES]
        took.append((time.perf_counter() - begun) * 1_000)
        found = {(p.path, p.line) for p in places}
        tally.add(found, by_name[name])
        fewer += sorted(by_name[name] - found)
        more += sorted(found - by_name[name])
    print(f"| find_definition, ctags as truth | {len(names)} | {tally} | {middle(took):.1f} |")
    print(f"  not found: {fewer[:6]}\n  not of ctags: {more[:6]}")


Truth = Callable[[Tag], set[Place] | None]


def measure_uses(index: CodeIndex, root: Path, tags: Sequence[Tag], name: str, truth: Truth) -> None:
    """find_references and grep against what a language server says."""
    sure, every, grep = Tally(), Tally(), Tally()
    took, asked, examples = [], [], list[str]()
    for tag in tags:
        begun = time.perf_counter()
        wanted = truth(tag)
        asked.append((time.perf_counter() - begun) * 1_000)
        if wanted is None:
            continue
        wanted = {(p, line) for p, line in wanted if p in index.numbers} - {(tag.path, tag.line)}
        begun = time.perf_counter()
        symbol = f"{tag.scope.rpartition('.')[2]}.{tag.name}" if tag.scope else tag.name
        found = find_references(index, symbol, tag.path)
        took.append((time.perf_counter() - begun) * 1_000)
        likely = {(u.path, u.line) for u in found.uses if u.certainty > 1}
        sure.add(likely, wanted)
        every.add({(u.path, u.line) for u in found.uses}, wanted)
        grep.add({(p, n) for p, n in grep_lines(root, tag) if p in index.numbers}, wanted)
        if likely - wanted:
            examples.append(f"  {symbol} in {tag.path}: too many {len(likely - wanted)}, {min(likely - wanted)}")
        if wanted - likely:
            examples.append(f"  {symbol} in {tag.path}: missed {len(wanted - likely)}, {min(wanted - likely)}")
    print(f"| find_references, sure and likely; {name} as truth | {len(took)} | {sure} | {middle(took):.1f} |")
    print(f"| find_references, possible too | {len(took)} | {every} | |")
    print(f"| git grep -w | {len(took)} | {grep} | |")
    print(f"| {name} itself, ms | {len(asked)} | | | {middle(asked):.1f} |")
    print("\n".join(examples[:40]))


def server_truth(server: LanguageServer, root: Path, tag: Tag) -> set[Place] | None:
    """The uses that a language server names."""
    lines = (root / tag.path).read_text(encoding="utf-8", errors="replace").split("\n")
    match = re.search(rf"(?<![\w$]){re.escape(tag.name)}(?![\w$])", lines[tag.line - 1])
    return server.references(tag.path, tag.line, match.start()) if match else None


def grep_lines(root: Path, tag: Tag) -> set[Place]:
    """Lines that hold the word, those of its definition left out."""
    command = ["git", "grep", "-n", "-w", "-F", "-e", tag.name]
    out = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace", check=False).stdout
    rows = (row.split(":", 2) for row in out.splitlines() if row.count(":") >= 2)
    family = {"typescript", "tsx", "javascript"} if tag.path.endswith((".ts", ".tsx")) else {language_of(tag.path)}
    found = {(path, int(line)) for path, line, _ in rows if line.isdecimal() and language_of(path) in family}
    return found - {(tag.path, tag.line)}


def measure_maps(index: CodeIndex, index_dir: Path) -> None:
    """A first map, a second one, and how near each comes to its tokens."""
    begun = time.perf_counter()
    graph = open_graph(index, index_dir)
    map_repository(index, graph, 2_000)
    first = time.perf_counter() - begun
    begun = time.perf_counter()
    map_repository(index, open_graph(index, index_dir), 2_000)
    second = time.perf_counter() - begun
    sizes = [count_tokens(map_repository(index, graph, tokens).text) for tokens in BUDGETS]
    shares = ", ".join(f"{size} of {tokens}" for size, tokens in zip(sizes, BUDGETS, strict=True))
    kept = (index_dir / FILE).stat().st_size / 1_000
    print(f"| get_repo_map | {first * 1_000:.0f} ms | {second * 1_000:.0f} ms | {shares} | {kept:.0f} kB |")


def middle(values: Sequence[float]) -> float:
    """The median."""
    return sorted(values)[len(values) // 2] if values else 0.0
