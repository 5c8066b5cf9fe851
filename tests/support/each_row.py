"""A table of one behaviour is one test: all its rows are tried, and each that fails is told."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]
FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""All of them are told; a row that skips itself would hide the others."""


def each_row(names: str, rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Try a test with each row of a table, as ``pytest.mark.parametrize`` would, in one test.

    For tests that leave nothing behind: all rows are given the same fixtures.

    Args:
        names: of the arguments that a row gives, with commas between them.
        rows: a value each, or a tuple of as many as there are names.
    """
    given = [name.strip() for name in names.split(",")]
    table = [row if len(given) > 1 else (row,) for row in rows]
    assert table, "a table without rows tests nothing"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def whole(**others: Any) -> None:
            failed: list[str] = []
            for row in table:
                values = dict(zip(given, row, strict=True))
                try:
                    test(**others, **values)
                except FAILURES as error:
                    failed.append(f"{values!r}\n{''.join(traceback.format_exception(error))}")
            if failed:
                raise AssertionError("\n".join([f"{len(failed)} of {len(table)} rows fail", *failed]))

        others = [p for name, p in signature.parameters.items() if name not in given]
        whole.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return whole

    return decorate
