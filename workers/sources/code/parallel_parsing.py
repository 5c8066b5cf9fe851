"""Files parsed on all processors, a batch at a time."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from workers.sources.code.file_kinds import MAX_BYTES
from workers.sources.code.file_parsing import parse_files
from workers.sources.code.posting_lists import Array
from workers.sources.git import Blob, Repository, environment, pipe
from workers.sources.index_progress import tell

BATCH_BYTES = 6_000_000
MOST = 4
TELL_S = 0.5
Batches = deque[tuple[int, list[Blob]]]
Tables = dict[int, dict[str, Array]]


def parse_all(repo: Repository, blobs: Sequence[Blob]) -> list[dict[str, Array]]:
    """Tables of files, in order.

    Much is parsed by processes beside this one, whose memory goes with them.
    """
    batches = list(batches_of(blobs))
    left: Batches = deque(enumerate(batches))
    done: Tables = {}
    others = min(os.cpu_count() or 1, MOST, len(batches)) if len(batches) > 1 else 0
    with ThreadPoolExecutor(MOST) as pool:
        beside = [pool.submit(parse_beside, repo, left, done) for _ in range(others)]
        while wait(beside, TELL_S).not_done:
            tell(sum(len(batches[i]) for i in list(done)), len(blobs))
        for one in beside:
            one.result()
    while left:  # little, or what a process that was killed has left
        number, batch = left.popleft()
        done[number] = parse_files(repo, batch)
        tell(sum(len(batches[i]) for i in done), len(blobs))
    return [done[i] for i in range(len(batches))]


def batches_of(blobs: Sequence[Blob]) -> Iterator[list[Blob]]:
    """Runs of files of about `BATCH_BYTES`; those too large to be parsed count nothing."""
    read = 0

    def number(blob: Blob) -> int:
        nonlocal read
        read += blob.size if blob.size <= MAX_BYTES else 0
        return read // BATCH_BYTES

    for _, run in groupby(blobs, key=number):
        yield list(run)


def parse_beside(repo: Repository, left: Batches, done: Tables) -> None:
    """Have batches parsed by a process of its own until none is left, or it ends."""
    with suppress(BrokenPipeError), start() as process:  # what was left to be said to one that was killed
        stdin, stdout = pipe(process.stdin), pipe(process.stdout)
        while left:
            try:
                batch = left.popleft()
            except IndexError:
                break
            try:
                pickle.dump((repo, batch[1]), stdin)
                stdin.flush()
                done[batch[0]] = pickle.load(stdout)  # noqa: S301 - written by our own module, started above
            except (OSError, EOFError, pickle.UnpicklingError):
                left.append(batch)
                break
        process.kill()


def start() -> subprocess.Popen[bytes]:
    """Start a process that parses."""
    folder = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from workers.sources.code.file_parsing import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment() | {"PYTHONPATH": paths},
    )
