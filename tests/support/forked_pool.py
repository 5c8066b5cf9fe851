"""The processes that a pool would spawn, forked from a server that has imported the program once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tests.support.forked_programs import FORKS


class ForkedContext:
    """Stands in for ``multiprocessing.get_context("spawn")``: nothing but the environment is inherited."""

    def __getattr__(self, name: str) -> Any:
        return getattr(FORKS, name)

    def Process(self, target: Callable[..., Any], args: tuple[Any, ...]) -> Any:  # noqa: N802 - its name there
        """A process that is not started yet."""
        return FORKS.Process(target=run_in_environment, args=(dict(os.environ), target, args))


def run_in_environment(environment: dict[str, str], target: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the forked process: the server's own environment is of when it started."""
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)
