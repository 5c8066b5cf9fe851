"""PromQL's binary operators on vectors and scalars over a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Floats
from workers.sources.metrics.promql_vector import Bools, Key, Labels, Vector, key_of, nameless, pick

Value = Vector | Floats
ARITHMETIC: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.power,
}
COMPARISON: dict[str, Callable[[Floats, Floats], Bools]] = {
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}
SETS = ("and", "or", "unless")


@dataclass(frozen=True)
class Matching:
    """``on (…)`` or ``ignoring (…)``; plain operators ignore nothing."""

    labels: tuple[str, ...] = ()
    on: bool = False

    def key(self, labels: Labels) -> Key:
        """What must be equal on both sides."""
        return key_of(pick(labels, self.labels, without=not self.on))

    def result(self, labels: Labels, *, keep_name: bool) -> Labels:
        """The labels of a matched pair, from its left side."""
        kept = labels if keep_name else nameless(labels)
        if self.on:
            return {k: v for k, v in kept.items() if k in self.labels}
        return {k: v for k, v in kept.items() if k not in self.labels}


def apply(op: str, left: Value, right: Value, matching: Matching, *, as_bool: bool) -> Value:
    """Evaluate ``left op right``.

    Raises:
        ToolUnavailable: several series on one side match the same one.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if isinstance(left, Vector) and isinstance(right, Vector):
            if op in SETS:
                return set_operation(op, left, right, matching)
            return pairwise(op, left, right, matching, as_bool=as_bool)
        if isinstance(left, Vector):
            return with_scalar(op, left, right, vector_first=True, as_bool=as_bool)
        if isinstance(right, Vector):
            return with_scalar(op, right, left, vector_first=False, as_bool=as_bool)
        if op in ARITHMETIC:
            return ARITHMETIC[op](left, right)
        return COMPARISON[op](left, right).astype(np.float64)


def with_scalar(op: str, vector: Vector, scalar: Value, *, vector_first: bool, as_bool: bool) -> Vector:
    """A vector and a scalar; a comparison filters the vector."""
    assert not isinstance(scalar, Vector)  # noqa: S101 - narrows the type
    numbers = np.broadcast_to(scalar, vector.values.shape)
    a, b = (vector.values, numbers) if vector_first else (numbers, vector.values)
    if op in ARITHMETIC:
        return vector.mapped(lambda _: ARITHMETIC[op](a, b))
    return compared(vector, COMPARISON[op](a, b), vector.labels, vector.present, as_bool=as_bool)


def compared(kept: Vector, truth: Bools, labels: tuple[Labels, ...], present: Bools, *, as_bool: bool) -> Vector:
    """The result of a comparison: the left values where it holds, or 0 and 1."""
    if as_bool:
        return Vector(tuple(map(nameless, labels)), np.where(present, truth, np.nan), present)
    shown = present & truth
    return Vector(labels, np.where(shown, kept.values, np.nan), shown)


def pairwise(op: str, left: Vector, right: Vector, matching: Matching, *, as_bool: bool) -> Vector:
    """One series of each side for every key."""
    ours, theirs = unique_rows(left, matching), unique_rows(right, matching)
    keys = [k for k in ours if k in theirs]
    a, b = left.rows([ours[k] for k in keys]), right.rows([theirs[k] for k in keys])
    present = a.present & b.present
    name = op in COMPARISON and not as_bool
    labels = tuple(matching.result(x, keep_name=name) for x in a.labels)
    if op in ARITHMETIC:
        return Vector(labels, np.where(present, ARITHMETIC[op](a.values, b.values), np.nan), present)
    return compared(a, COMPARISON[op](a.values, b.values), labels, present, as_bool=as_bool)


def unique_rows(vector: Vector, matching: Matching) -> dict[Key, int]:
    """Key -> row; a key that two series share cannot be matched one to one."""
    rows: dict[Key, int] = {}
    for i, labels in enumerate(vector.labels):
        key = matching.key(labels)
        if key in rows and (vector.present[rows[key]] & vector.present[i]).any():
            shown = ", ".join(f"{k}={v}" for k, v in key) or "no labels"
            raise ToolUnavailable(f"the embedded store cannot match several series to one ({shown}) in an operation")
        rows.setdefault(key, i)
    return rows


def set_operation(op: str, left: Vector, right: Vector, matching: Matching) -> Vector:
    """``and``, ``or``, ``unless``, moment by moment."""
    kept, other = (right, left) if op == "or" else (left, right)
    there: dict[Key, Bools] = {}
    for i, labels in enumerate(other.labels):
        key = matching.key(labels)
        there[key] = there[key] | other.present[i] if key in there else other.present[i]
    absent = np.zeros(left.values.shape[1], dtype=bool)
    mask = np.array([there.get(matching.key(x), absent) for x in kept.labels], dtype=bool).reshape(kept.present.shape)
    present = kept.present & (mask if op == "and" else ~mask)
    part = Vector(kept.labels, np.where(present, kept.values, np.nan), present)
    return united(Vector.joined([left, part], left.values.shape[1])) if op == "or" else part


def united(vector: Vector) -> Vector:
    """Rows with equal labels, which are never present at the same moment, as one row."""
    rows: dict[Key, list[int]] = {}
    for i, labels in enumerate(vector.labels):
        rows.setdefault(key_of(labels), []).append(i)
    if len(rows) == len(vector.labels):
        return vector
    firsts = [members[0] for members in rows.values()]
    values = np.stack([np.fmax.reduce(vector.values[members], axis=0) for members in rows.values()])
    present = np.stack([vector.present[members].any(axis=0) for members in rows.values()])
    return Vector(tuple(vector.labels[i] for i in firsts), values, present)
