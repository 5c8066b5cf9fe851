"""Writers of an index that are killed, at chosen moments and at any, while readers go on asking.

`run` starts real processes and kills them.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Event
from pathlib import Path

from bench.search.questions import WHO, git
from workers.errors import ToolUnavailable
from workers.search import CodeIndex
from workers.sources.code import array_file, index_build, parallel_parsing

FILES = 40
WORDS = ("invoice", "refund", "courier", "parcel", "voucher", "ledger")
MOMENTS = ("parsed", "begun", "flushed", "renamed", "between the layers", "any", "any, beside another writer")
LONGEST_S = 0.3
"""So long after a writer began it is killed at any moment."""
DEADLINE_S = 120
PAUSE_S = 0.01
"""Between two questions of a reader."""
FORKS = multiprocessing.get_context("forkserver")


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


def write(repo: str, place: str, moment: str, whole: str, begun: Event) -> None:
    """Bring an index up to date, in one layer or two. ``begun`` is set first."""
    begun.set()
    parallel_parsing.BATCH_BYTES = 2_000
    if whole == "whole":
        index_build.FEW_FILES = 0
        index_build.FEW = 0
    set_trap(moment)
    CodeIndex.ensure(repo, place)


def read(repo: str, place: str, stop: str, told: str) -> None:
    """Ask until told to stop; write down what was asked and what failed."""
    said: Counter[str] = Counter()
    number = 0
    while not Path(stop).exists():
        number += 1
        time.sleep(PAUSE_S)
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
    Path(told).write_text(json.dumps(said))


def start(work: Callable[..., None], *args: str | Event) -> ForkServerProcess:
    """Start a writer or reader in a process of its own."""
    process = FORKS.Process(target=work, args=args)
    process.start()
    return process


def wait_for(process: ForkServerProcess, within_s: float = DEADLINE_S) -> int:
    """Its exit code; killed when it has not ended by then."""
    process.join(within_s)
    if process.exitcode is None:
        process.kill()
        process.join(DEADLINE_S)
    assert process.exitcode is not None
    return process.exitcode


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
    told = [folder / f"reader-{number}.json" for number in range(readers)]
    reading = [start(read, str(repo), str(place), str(stop), str(where)) for where in told]
    out: Counter[str] = Counter()
    try:
        for version in range(1, kills + 1):
            one_kill(repo, place, version, random.Random(seed * 1_000 + version), out)
    finally:
        stop.touch()
        for each, where in zip(reading, told, strict=True):
            assert wait_for(each) == 0
            out.update(json.loads(where.read_text()))
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
    begun, other_begun = FORKS.Event(), FORKS.Event()
    second = start(write, str(repo), str(place), "none", "whole", other_begun) if "another" in moment else None
    writer = start(write, str(repo), str(place), moment, layers, begun)
    begun.wait(DEADLINE_S)
    code = wait_for(writer, chance.uniform(0, LONGEST_S) if "any" in moment else DEADLINE_S)
    out["runs that had ended before"] += code == 0
    out[f"killed: {moment}"] += code == -signal.SIGKILL
    out["kills"] += code == -signal.SIGKILL
    CodeIndex.open(place).search("parcel")
    if second:
        out["other writers that failed"] += wait_for(second) != 0
    index = CodeIndex.ensure(repo, place)
    head = git(repo, "rev-parse", "HEAD").strip()
    found = {i.excerpt.split("\n")[0] for n in changed for i in index.definitions(f"send_{WORDS[n % len(WORDS)]}_{n}")}
    out["next runs that completed"] += index.commit == head and len(found) == len(changed)
    index_build.write_index(index_build.open_repository(repo), head, "", place)
    out["files left behind"] += len(list(place.glob(".code*")))
