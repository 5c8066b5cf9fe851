"""The tests that a change touches, nearest first, in about a minute: ``make quick``.

A change is what differs from the last commit. A test file is as far from a changed file as there are imports between
them; a file of no package counts as changed wherever its name is written. Test files that were changed themselves are
run in any case, and others in that order as long as their times, as the last whole run noted them, fit into
`BUDGET_S`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

import grimp

from tests.support.file_seconds import read_file_seconds

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "workers", "slack_sandbox", "bench", "examples", "tests")
PROCESSES = 2
BUDGET_S = 80.0
"""Of all processes together; what collecting costs is added."""
MOST_TOLD = 10
UNKNOWN_S = 2.0
"""What a file that was never run is thought to take."""


def main() -> int:
    """Choose, say what was left out, run."""
    changed = changed_paths()
    near = test_files_by_distance(changed)
    chosen = within_budget(near, set(changed), read_file_seconds())
    left_out = [file for file in near if file not in chosen]
    print(
        f"{len(changed)} changed files touch {len(near)} test files; {len(chosen)} of the nearest are run.", flush=True
    )
    print("".join(f"left out: {file}\n" for file in left_out[:MOST_TOLD]), end="", flush=True)
    if not chosen:
        return 0
    command = [sys.executable, "-m", "pytest", "-n", str(PROCESSES), "--dist", "worksteal", *chosen]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def changed_paths() -> list[str]:
    """Files that differ from the last commit, new ones too."""
    commands = (["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"])
    out = (subprocess.run(["git", *c], cwd=ROOT, check=True, capture_output=True, text=True).stdout for c in commands)
    return sorted({line for text in out for line in text.splitlines()})


def test_files_by_distance(changed: Iterable[str]) -> list[str]:
    """Test files that a change reaches by imports, the nearest first."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=str(ROOT / ".import_linter_cache"))
    for module in sorted(graph.modules):
        if module.endswith(".conftest"):  # pytest loads it for every test below its folder
            below = module.removesuffix("conftest")
            for test in [m for m in graph.modules if m.startswith(below) and is_test(m)]:
                graph.add_import(importer=test, imported=module)
    level = {module for path in changed for module in modules_of(path, graph)}
    seen = set(level)
    ordered: list[str] = []
    while level:
        ordered += sorted(path_of(module) for module in level if is_test(module))
        level = {m for one in level for m in graph.find_modules_that_directly_import(one)} - seen
        seen |= level
    return ordered


def modules_of(path: str, graph: grimp.ImportGraph) -> Iterator[str]:
    """The module of a changed file; of one that is in no package, those that write its name."""
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    if path.endswith(".py") and module in graph.modules:
        yield module
        return
    name = Path(path).name.removesuffix(".py")
    for module in graph.modules:
        file = ROOT / path_of(module)
        if file.is_file() and name in file.read_text(encoding="utf-8"):
            yield module


def is_test(module: str) -> bool:
    """Whether pytest collects it."""
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def path_of(module: str) -> str:
    """Its file, seen from the root."""
    place = module.replace(".", "/")
    return f"{place}/__init__.py" if (ROOT / place).is_dir() else f"{place}.py"


def within_budget(files: Iterable[str], changed: Set[str], seconds: Mapping[str, float]) -> list[str]:
    """The changed files, and of the others the first that fit into the budget; one that is too long is passed over."""
    left_s, out = BUDGET_S, []
    for file in files:
        needed_s = seconds.get(file, UNKNOWN_S)
        if file in changed or needed_s <= left_s:
            left_s -= needed_s
            out.append(file)
    return out


if __name__ == "__main__":
    sys.exit(main())
