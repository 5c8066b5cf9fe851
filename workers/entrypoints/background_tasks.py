"""What families do by the clock: found, timed and run here, whoever brings it.

A task that cannot be used is told of in the log; all others go on.
"""

from __future__ import annotations

import logging
from functools import lru_cache

from workers.errors import OracleError
from workers.ports import BackgroundTask, TaskStep
from workers.settings.contributions import Contribution, find_contributions, load_usable
from workers.settings.load import Settings
from workers.store.database import Database

logger = logging.getLogger(__name__)


def find_tasks() -> dict[str, BackgroundTask]:
    """Those of slices and of installed packages, by name."""
    return load_tasks(find_contributions("tasks"))


@lru_cache(maxsize=8)
def load_tasks(contributed: tuple[Contribution, ...]) -> dict[str, BackgroundTask]:
    """Them by name; one that cannot be used is left out."""
    found: dict[str, BackgroundTask] = {}
    for one, task in load_usable(contributed):
        if isinstance(task, BackgroundTask):
            found[one.name] = task
        else:
            logger.warning("the task %s of %s is no workers.ports.BackgroundTask", one.name, one.family)
    return found


def task_periods(settings: Settings) -> dict[str, float]:
    """Name -> seconds between two runs, of tasks that have something to do here."""
    found: dict[str, float] = {}
    for name, task in find_tasks().items():
        try:
            every_s = float(task.every_s(settings) or 0)
        except Exception as error:  # noqa: BLE001 - as code of a package, or that it is left out with its section
            logger.warning("the task %s is not run: %s", name, error)
            continue
        if every_s > 0:
            found[name] = every_s
    return found


def run_task(name: str, database: Database, settings: Settings) -> None:
    """One run of a task; of one that is no longer there, none."""
    if task := find_tasks().get(name):
        run_step(name, task.run, database, settings)


def forget_old_rows(database: Database, settings: Settings) -> None:
    """Let the tasks that run here remove what is too old."""
    for name in task_periods(settings):
        run_step(name, find_tasks()[name].forget, database, settings)


def reset_tasks(database: Database, settings: Settings) -> None:
    """Let all tasks begin anew, as after their sources were exchanged."""
    for name, task in find_tasks().items():
        run_step(name, task.reset, database, settings)


def run_step(name: str, step: TaskStep, database: Database, settings: Settings) -> None:
    """Do it, and log what it says."""
    try:
        for line, ok in step(database, settings):
            logger.log(logging.INFO if ok else logging.WARNING, "%s: %s", name, line)
    except OracleError as error:
        logger.warning("%s: %s", name, error)
    except Exception:  # one family's mistake must not keep the others from their turn
        logger.exception("%s failed", name)
