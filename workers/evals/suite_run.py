"""Runs a suite: every case through an ordinary engine with its own store, side by side in several processes."""

from __future__ import annotations

import signal
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

from workers.agents.registry import load_modules, question_types
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Landscape, Question, RequestLog
from workers.errors import ConfigError, ModelFailed, OracleError, ToolUnavailable
from workers.evals.case_score import CaseResult, failed_case, score_case, shorten
from workers.evals.case_sources import EMPTY, Site, build_demo_site, build_world, forget_old, nothing_connected
from workers.evals.cases import Case, LiveSource, Suite, SuiteCase
from workers.evals.recorded_toolbox import RecordedToolbox
from workers.evals.run_budget import Spending, open_spending
from workers.evals.yaml_models import fingerprint
from workers.grounding.value_format import Voice
from workers.settings.load import Settings, load_settings, shown_path
from workers.store.deploys import record_deploys
from workers.toolkit.clock import SystemClock

ReasonerName = Literal["rules", "auto", "claude"]


@dataclass(frozen=True)
class Task:
    """One case with what it is asked of; ``now`` None is the real time."""

    case: Case
    file: str
    site: Site
    now: datetime | None


@dataclass(frozen=True)
class Deployment:
    """Whose configuration answers, and where a run may write. ``home`` is only read.

    ``database_url``: where the deployment keeps what a language model was paid.
    """

    home: Path
    scratch: Path
    reasoner: ReasonerName
    database_url: str


def run_suite(
    suite: Suite,
    settings: Settings,
    reasoner: ReasonerName,
    jobs: int,
    done: Callable[[CaseResult], None] = lambda _: None,
) -> tuple[CaseResult, ...]:
    """Ask every case. Nothing is written to ORACLE_HOME but worlds, below ``evals/worlds``, and what a model was paid.

    Args:
        suite: the cases.
        settings: whose agents, patterns, catalogue and models answer; the sources are each case's own.
        reasoner: ``rules``; ``claude``; ``auto``: as the configuration says.
        jobs: processes; with 1 everything runs in this one.
        done: told of each case as it ends.

    Returns: results in the suite's order.

    Raises:
        ModelFailed: the day's budget of the language model was used up; ``done`` was told of the cases before.
        OracleError: a world cannot be built, a source cannot be read, or the configuration is wrong.
    """
    check_types(suite, settings)
    tasks = make_tasks(suite, settings)
    results: dict[str, CaseResult] = {}
    with tempfile.TemporaryDirectory(prefix="oracle-eval-", ignore_cleanup_errors=True) as scratch:
        where = Deployment(settings.home, Path(scratch), reasoner, settings.database_url)
        with open_pool(where, jobs) as pool:
            with deaf():
                waiting = {pool.submit(run_task, task): task for task in tasks}
            try:
                for future in as_completed(waiting):
                    result = result_of(future, waiting[future])
                    results[result.id] = result
                    done(result)
            except ModelFailed:
                pool.shutdown(wait=True, cancel_futures=True)
                for result in whole(waiting):
                    if result.id not in results:
                        done(result)
                raise
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
                if jobs == 1:
                    BENCH.leave()
    return tuple(results[entry.case.id] for entry in suite.cases)


def check_types(suite: Suite, settings: Settings) -> None:
    """Raises: ConfigError: a case expects a type of question that no agent has."""
    known = question_types(load_modules(settings).values())
    odd = [
        f"{entry.place}: expect.question_type: no agent has {kind!r}; there are {', '.join(sorted(known))}"
        for entry in suite.cases
        for kind in entry.case.expect.question_type
        if kind not in known
    ]
    if odd:
        raise ConfigError(*odd)


def whole(waiting: Iterable[Future[CaseResult]]) -> Iterator[CaseResult]:
    """What came of those that ended well: it was paid for."""
    return (f.result() for f in waiting if f.done() and not f.cancelled() and f.exception() is None)


def result_of(future: Future[CaseResult], task: Task) -> CaseResult:
    """A case's result; a crash is a failed case, a source that cannot be read ends the run. Raises: OracleError."""
    error = future.exception()
    if isinstance(error, OracleError):
        raise error
    if error is not None:
        return failed_case(task.case, f"crashed: {type(error).__name__}: {shorten(str(error), 200)}", task.file)
    return future.result()


def make_tasks(suite: Suite, settings: Settings) -> list[Task]:
    """Every case with its site, those of one site together. Raises: OracleError: a world cannot be built."""
    cache = settings.home / "evals" / "worlds"
    try:
        worlds = {path: build_world(world, cache, settings) for path, world in suite.worlds.items()}
        tasks = [make_task(suite, entry, worlds, cache) for entry in suite.cases]
    except OSError as error:
        raise ToolUnavailable(f"a world cannot be built below {cache}: {error}") from error
    forget_old(cache, time.time())
    return sorted(tasks, key=lambda task: task.site.key)


def make_task(suite: Suite, entry: SuiteCase, worlds: dict[Path, Site], cache: Path) -> Task:
    """One case with its site."""
    case, now = entry.case, suite.now(entry)
    if entry.world:
        site = worlds[entry.world]
    elif case.source is None:
        site = nothing_connected()
    elif case.source.demo is not None and now is not None:
        site = build_demo_site(case.source.demo, now.astimezone(UTC), cache)
    else:
        site = connect(case.source, entry.file.parent)
    return Task(case, shown_path(entry.file), site, now)


def connect(source: LiveSource, folder: Path) -> Site:
    """Sources that exist anyway; paths are relative to the suite's file."""

    def placed(found: Sequence[Any]) -> list[dict[str, Any]]:
        return [{**s.model_dump(), "path": str((folder / Path(s.path).expanduser()).resolve())} for s in found]

    overrides = {
        **EMPTY,
        "oracle.repositories": placed(source.repositories),
        "oracle.documents": placed(source.documents),
        "oracle.prometheus.url": source.prometheus,
    }
    return Site(f"live-{fingerprint(repr(overrides).encode())}", overrides)


# --- in each process ------------------------------------------------------------------------------------------


class Bench:
    """What one process has open: the engine of the site it is at."""

    def __init__(self) -> None:
        self.where: Deployment | None = None
        self.at = ""
        self.oracle: Oracle | None = None
        self.spending: Spending | None = None

    def start(self, where: Deployment) -> None:
        """Begin with nothing open."""
        self.where = where

    def open(self, site: Site) -> Oracle:
        """The engine of a site, its sources read. Raises: OracleError."""
        if self.where is None:
            raise ValueError("the process was not started for a run")
        if self.oracle is None or self.at != site.key:
            self.leave()
            settings = settings_of(site, self.where)
            self.spending = open_spending(settings, self.where.database_url)
            self.oracle, self.at = open_site(site, settings, self.spending), site.key
        return self.oracle

    def check(self, log: RequestLog) -> None:
        """Raises: ModelFailed: see `workers.evals.run_budget.Spending.check`."""
        if self.spending is not None:
            self.spending.check(log)

    def leave(self) -> None:
        """Close what is open."""
        if self.oracle is not None:
            self.oracle.close()
        if self.spending is not None:
            self.spending.close()
        self.oracle, self.spending, self.at = None, None, ""


BENCH = Bench()


def start_bench(where: Deployment) -> None:
    """The first thing a process does."""
    BENCH.start(where)


@contextmanager
def deaf() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C: it is for the one that waits for them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def open_pool(where: Deployment, jobs: int) -> Executor:
    """So many processes, or this one. Threads would take each other's time: a tool that is late answers nothing."""
    if jobs == 1:
        return ThreadPoolExecutor(1, "eval", start_bench, (where,))
    return ProcessPoolExecutor(jobs, get_context("spawn"), start_bench, (where,))


def settings_of(site: Site, where: Deployment) -> Settings:
    """The configuration of ORACLE_HOME with the site's sources and a store of its own. Raises: ConfigError."""
    home = where.scratch / uuid.uuid4().hex[:12]
    overrides = {
        **site.overrides,
        "models.reasoner": where.reasoner,
        "oracle.database_url": f"sqlite:///{home / 'oracle.db'}",
        "oracle.redis_url": "",
        "oracle.log_file": str(home / "oracle.jsonl"),
    }
    if where.reasoner == "auto":
        del overrides["models.reasoner"]
    return replace(load_settings(overrides, home=where.home), home=home)


def open_site(site: Site, settings: Settings, spending: Spending | None) -> Oracle:
    """The engine of a site. Raises: OracleError: the configuration is wrong, or a source cannot be read."""
    oracle = build_engine(settings, reasoners=spending.reasoners if spending else None)
    record_deploys(oracle.store.database, site.deploys, settings.core.environment)
    for name, line, ok in oracle.toolbox.refresh():
        if not ok:
            oracle.close()
            raise ToolUnavailable(f"{site.key}: {name}: {line}")
    return oracle


def run_task(task: Task) -> CaseResult:
    """Ask one case and score it. Raises: OracleError."""
    oracle = BENCH.open(task.site)
    clock = SystemClock(task.now)
    log = ask(oracle, task.case, clock)
    BENCH.check(log)
    return score_case(task.case, log, Voice(clock.now(), task.case.timezone), task.file)


def ask(oracle: Oracle, case: Case, clock: SystemClock) -> RequestLog:
    """The case's question, as of its moment."""
    engine = replace(oracle.engine, clock=clock)
    if case.tools is not None:
        toolbox = RecordedToolbox(case.tools, case.landscape or Landscape(), oracle.toolbox)
        engine = replace(engine, toolbox=toolbox)
    question = Question(
        request_id=uuid.uuid4().hex[:12],
        text=case.question,
        received_at=clock.now(),
        timezone=case.timezone,
        context=case.context,
    )
    return engine.ask(question)


def chosen(suite: Suite, part: str) -> Iterator[SuiteCase]:
    """The cases whose id holds a text."""
    return (entry for entry in suite.cases if part in entry.case.id)
