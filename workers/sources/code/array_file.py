"""One file that holds named arrays, written at once or not at all, opened by mapping it into memory."""

from __future__ import annotations

import fcntl
import hashlib
import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, overload

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[1]
TOKENS = ("../language/stems", "../language/tokens")
"""What decides which terms a text has."""
REDACTION = tuple(
    f"../{name}"
    for name in ("language/secret_names.npz", "toolkit/key_values", "toolkit/secret_values", "toolkit/secret_patterns")
)
"""What takes secrets out of what is read."""
MAGIC = b"ORACLEIX"
FORMAT = 2
ALIGN = 64
UNFINISHED = ".part"
LARGEST_HEADER = 100_000_000  # the names of all files of a folder of documents
BLOCK = 1_000_000


@dataclass(frozen=True)
class Container:
    """What a file held: a JSON object and named arrays, which stay mapped to the file.

    ``identity`` tells it from every other file of other content.
    """

    meta: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    identity: str = ""

    def text(self, name: str) -> list[str]:
        """The strings that `lines` packed."""
        return texts(self.arrays, name)


def fingerprint(*files: str) -> str:
    """A hash of named files of `workers.sources`, modules without suffix: what others made is out of date."""
    content = ((FOLDER / (name if "." in name.rpartition("/")[2] else f"{name}.py")).read_bytes() for name in files)
    return hashlib.sha256(b"\0".join(content)).hexdigest()[:16]


def lines(texts: list[str]) -> NDArray[Any]:
    """Pack strings without line feeds into one array."""
    return np.frombuffer("".join(f"{t}\n" for t in texts).encode("utf-8", "replace"), np.uint8)


class Texts(Sequence[str]):
    """The strings that `lines` packed, each decoded when it is asked for: as objects they would take several times
    their place.
    """

    def __init__(self, packed: NDArray[Any]) -> None:
        self.packed = packed
        self.ends = np.flatnonzero(packed == ord("\n")).astype(np.int64)

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> list[str]: ...

    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[n] for n in range(*i.indices(len(self)))]
        start = int(self.ends[i - 1]) + 1 if i else 0
        return self.packed[start : self.ends[i]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed.tobytes().decode().split("\n")[:-1])


def texts(arrays: Mapping[str, NDArray[Any]], name: str) -> list[str]:
    """The strings that `lines` packed."""
    return arrays[name].tobytes().decode().split("\n")[:-1]


def write_container(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file under a temporary name, flush it to disk, then rename it into place.

    Raises:
        OSError: the folder cannot be written.
    """
    sections, at, data = {}, 0, []
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array)
        view = memoryview(raw.reshape(-1).view(np.uint8))  # type: ignore[arg-type]
        sections[name] = [raw.dtype.str, list(raw.shape), at, zlib.crc32(view)]
        data.append((at, view))
        at += -(-len(view) // ALIGN) * ALIGN
    header = json.dumps({"format": FORMAT, "meta": meta, "sections": sections, "bytes": at}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    handle, temporary = locked_temporary(path)
    try:
        with os.fdopen(handle, "wb") as file:
            start = front(file.write(MAGIC), header)
            file.write(len(header).to_bytes(8, "little") + zlib.crc32(header).to_bytes(4, "little") + header)
            for offset, view in data:
                file.seek(start + offset)
                file.write(view)
            file.truncate(start + at)
            file.flush()
            os.fsync(file.fileno())
            Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def locked_temporary(path: Path) -> tuple[int, str]:
    """A new file beside one, locked: see `sweep`."""
    while True:
        handle, name = tempfile.mkstemp(UNFINISHED, f".{path.name}.", path.parent)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if Path(name).exists():  # not swept before it was locked
            return handle, name
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what writers to a folder that were killed have left; those at work hold a lock."""
    for left in folder.glob(f".*{UNFINISHED}"):
        try:
            with left.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink(missing_ok=True)
        except OSError:  # in use, or already gone
            continue


def front(magic: int, header: bytes) -> int:
    """Where the arrays begin."""
    return -(-(magic + 12 + len(header)) // ALIGN) * ALIGN


def read_meta(path: Path) -> dict[str, Any] | None:
    """What a file says of itself, its arrays unread; None as `read_container`."""
    try:
        with path.open("rb") as file:
            found = header_of(file.read(20), file.read)
    except OSError:
        return None
    meta: dict[str, Any] | None = found[0]["meta"] if found else None
    return meta


def header_of(begin: bytes, rest: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The header of a file, decoded and as it stands; None when it is damaged or of another format."""
    if begin[:8] != MAGIC or len(begin) < 20:
        return None
    size = int.from_bytes(begin[8:16], "little")
    header = rest(size) if size <= LARGEST_HEADER else b""
    if len(header) != size or zlib.crc32(header) != int.from_bytes(begin[16:20], "little"):
        return None
    content: dict[str, Any] = json.loads(header)
    return (content, header) if content["format"] == FORMAT else None


def read_container(path: Path) -> Container | None:
    """Map a file; None when it is missing, cut short, damaged or of another format."""
    try:
        with path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            found = header_of(whole[:20], lambda size: whole[20 : 20 + size])
            if found is None:
                return None
            content, header = found
            start = front(8, header)
            if len(whole) != start + content["bytes"]:
                return None
            arrays: dict[str, NDArray[Any]] = {}
            for name, (dtype, shape, offset, checksum) in content["sections"].items():
                kind = np.dtype(dtype)
                count = int(np.prod(shape, dtype=np.int64))
                if crc_of(file, start + offset, count * kind.itemsize) != checksum:
                    return None
                arrays[name] = np.frombuffer(whole, kind, count, start + offset).reshape(shape)
    except (OSError, ValueError):  # ValueError: an empty file
        return None
    return Container(content["meta"], arrays, hashlib.sha256(header).hexdigest()[:16])


def crc_of(file: BinaryIO, at: int, size: int) -> int:
    """The checksum of a part of a file; read, and not by its map, whose pages would all become this process's own."""
    file.seek(at)
    crc = 0
    while size > 0 and (block := file.read(min(size, BLOCK))):
        crc = zlib.crc32(block, crc)
        size -= len(block)
    return crc
