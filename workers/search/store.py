"""One file that holds named arrays, written at once or not at all, opened by mapping it into memory."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
MAGIC = b"ORACLEIX"
FORMAT = 1
ALIGN = 64


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
        return self.arrays[name].tobytes().decode().split("\n")[:-1]


def fingerprint(*modules: str) -> str:
    """A hash of the named modules of this package: an index made by other code than now is of another version."""
    return hashlib.sha256(b"\0".join((FOLDER / f"{m}.py").read_bytes() for m in modules)).hexdigest()[:16]


def lines(texts: list[str]) -> NDArray[Any]:
    """Pack strings without line feeds into one array."""
    return np.frombuffer("".join(f"{t}\n" for t in texts).encode("utf-8", "replace"), np.uint8)


def write_container(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file under a temporary name, flush it to disk, then rename it into place.

    Raises:
        OSError: the folder cannot be written.
    """
    sections, at, data = {}, 0, []
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array)
        view = raw.tobytes()
        sections[name] = [raw.dtype.str, list(raw.shape), at, zlib.crc32(view)]
        data.append((at, view))
        at += -(-len(view) // ALIGN) * ALIGN
    header = json.dumps({"format": FORMAT, "meta": meta, "sections": sections, "bytes": at}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
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


def front(magic: int, header: bytes) -> int:
    """Where the arrays begin."""
    return -(-(magic + 12 + len(header)) // ALIGN) * ALIGN


def read_container(path: Path) -> Container | None:
    """Map a file; None when it is missing, cut short, damaged or of another format."""
    try:
        with path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # ValueError: an empty file
        return None
    if whole[:8] != MAGIC or len(whole) < 20:
        return None
    size = int.from_bytes(whole[8:16], "little")
    header = whole[20 : 20 + size]
    if len(header) != size or zlib.crc32(header) != int.from_bytes(whole[16:20], "little"):
        return None
    content = json.loads(header)
    start = front(8, header)
    if content["format"] != FORMAT or len(whole) != start + content["bytes"]:
        return None
    arrays: dict[str, NDArray[Any]] = {}
    for name, (dtype, shape, offset, checksum) in content["sections"].items():
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        if zlib.crc32(memoryview(whole)[start + offset : start + offset + count * kind.itemsize]) != checksum:
            return None
        arrays[name] = np.frombuffer(whole, kind, count, start + offset).reshape(shape)
    return Container(content["meta"], arrays, hashlib.sha256(header).hexdigest()[:16])
