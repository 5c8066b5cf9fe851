"""Writers of an index that are killed, at chosen moments and at any, while readers go on asking.

`run` starts real processes and kills them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.search.questions import WHO, git
from workers.errors import ToolUnavailable
from workers.search import CodeIndex
from workers.sources.code import array_file, index_build, parallel_parsing

FILES = 40
WORDS = ("invoice", "refund", "courier", "parcel", "voucher", "ledger")
MOMENTS = ("parsed", "begun", "flushed", "renamed", "between the layers", "any", "any, beside another writer")
LONGEST_S = 1.5
DEADLINE_S = 120


def content(number: int, version: int) -> str:
    """A small module."""
    word = WORDS[number % len(WORDS)]
    return f"VERSION = {version}\n\n\ndef send_{word}_{number}(order):\n    return pay({word!r}, order, {version})\n"


def commit(folder: Path, numbers: range | list[int], version: int) -> None:
    """Change some files."""
    for number in numbers:
        (folder / f"m{number}.py").write_text(content(number, version))
    git(folder, "add", "-A")
    git(folder, *WHO, "commit", "-q", "-m", f"Version {version}")


def die(*_: object) -> None:
    """End this process as a kill from outside does."""
    os.kill(os.getpid(), signal.SIGKILL)


def set_trap(moment: str) -> None:
    """Be killed at a moment; ``any`` is left to whoever started this process."""
    replace, unlink = Path.replace, Path.unlink

    def renamed(self: Path, target: Path) -> None:
        replace(self, target)
        die()

    def removed(self: Path, missing_ok: bool = False) -> None:
        if self.name == index_build.CHANGES:
            die()
        unlink(self, missing_ok)

    if moment == "parsed":
        index_build.join = die
    elif moment == "begun":
        array_file.front = die
    elif moment == "flushed":
        array_file.os.fsync = die
    elif moment == "renamed":
        Path.replace = renamed
    elif moment == "between the layers":
        Path.unlink = removed


def write(repo: str, place: str, moment: str, whole: str) -> None:
    """Bring an index up to date, in one layer or two."""
    parallel_parsing.BATCH_BYTES = 2_000
    if whole == "whole":
        index_build.FEW_FILES = 0
        index_build.FEW = 0
    set_trap(moment)
    CodeIndex.ensure(repo, place)


def read(repo: str, place: str, stop: str) -> None:
    """Ask until told to stop; print what was asked and what failed."""
    said: Counter[str] = Counter()
    number = 0
    while not Path(stop).exists():
        number += 1
        try:
            index = CodeIndex.open(place)
            hits = index.search(f"where do we send the {WORDS[number % len(WORDS)]}", 5)
        except (ToolUnavailable, ValueError, KeyError, IndexError, OSError) as error:
            said[f"failed: {error!r}"] += 1
            continue
        said["asked"] += 1
        said["empty"] += not hits
        if number % 20 == 0 and hits:
            shown = git(Path(repo), "show", f"{hits[0].commit}:{hits[0].path}").split("\n")
            said["compared"] += 1
            said["unequal"] += hits[0].excerpt != "\n".join(shown[hits[0].start_line - 1 : hits[0].end_line])
    print(json.dumps(said))


def start(*args: str) -> subprocess.Popen[bytes]:
    """Start this module in a process of its own."""
    command = [sys.executable, "-c", "from bench.index.kills import main; main()", *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def run(folder: Path, kills: int, seed: int = 1, readers: int = 2) -> Counter[str]:
    """Kill writers; after each kill a writer that is left alone must complete.

    Returns:
        How often each moment was hit, and what readers and the next runs said.
    """
    repo, place, stop = folder / "repo", folder / "index", folder / "stop"
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main")
    commit(repo, range(FILES), 0)
    CodeIndex.build(repo, place)
    reading = [start("read", str(repo), str(place), str(stop)) for _ in range(readers)]
    out: Counter[str] = Counter()
    try:
        for version in range(1, kills + 1):
            one_kill(repo, place, version, random.Random(seed * 1_000 + version), out)
    finally:
        stop.touch()
        for each in reading:
            out.update(json.loads(each.communicate(timeout=DEADLINE_S)[0]))
    return out


def one_kill(repo: Path, place: Path, version: int, chance: random.Random, out: Counter[str]) -> None:
    """Commit, kill a writer, see that the index opens, and let the next run complete."""
    moment = MOMENTS[version % len(MOMENTS)]
    layers = "whole" if moment == "between the layers" else chance.choice(["whole", "changes"])
    changed = chance.sample(range(FILES), chance.randint(1, 10))
    if moment == "between the layers":  # so that there are changes to be left over
        commit(repo, changed, -version)
        CodeIndex.ensure(repo, place)
    commit(repo, changed, version)
    second = start("write", str(repo), str(place), "none", "whole") if "another" in moment else None
    with start("write", str(repo), str(place), moment, layers) as writer:
        try:
            writer.wait(chance.uniform(0, LONGEST_S) if "any" in moment else DEADLINE_S)
        except subprocess.TimeoutExpired:
            writer.kill()
    out["runs that had ended before"] += writer.returncode == 0
    out[f"killed: {moment}"] += writer.returncode == -signal.SIGKILL
    out["kills"] += writer.returncode == -signal.SIGKILL
    CodeIndex.open(place).search("parcel")
    if second:
        second.communicate(timeout=DEADLINE_S)
        out["other writers that failed"] += second.returncode != 0
    index = CodeIndex.ensure(repo, place)
    head = git(repo, "rev-parse", "HEAD").strip()
    found = {i.excerpt.split("\n")[0] for n in changed for i in index.definitions(f"send_{WORDS[n % len(WORDS)]}_{n}")}
    out["next runs that completed"] += index.commit == head and len(found) == len(changed)
    index_build.write_index(index_build.open_repository(repo), head, "", place)
    out["files left behind"] += len(list(place.glob(".code*")))


def main() -> None:
    """One writer or reader, as `start` was told."""
    {"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
