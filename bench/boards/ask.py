"""Asks the cases of a sheet in this process, and keeps what the answers were written from."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bench.boards.cases import Case
from tests.support.real_servers import run_prometheus
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Deploy, Draft, Question, RequestLog
from workers.ports import Brief
from workers.settings.load import load_settings
from workers.store.deploys import record_deploys
from workers.toolkit.clock import SystemClock


@dataclass(frozen=True)
class Asked:
    """A case, its log, and what the rules wrote the answer from; None where they wrote none."""

    case: Case
    log: RequestLog
    brief: Brief | None


class Watched:
    """A reasoner that keeps the brief of its last answer."""

    def __init__(self, reasoner: Any, kept: list[Brief]) -> None:
        self.reasoner, self.kept = reasoner, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reasoner, name)

    def write_answer(self, brief: Brief) -> Draft:
        """The reasoner's own; the brief is kept."""
        self.kept[:] = [brief]
        draft: Draft = self.reasoner.write_answer(brief)
        return draft


def ask_all(oracle: Oracle, cases: list[Case], now: datetime, agent: str = "", asker: str = "") -> Iterator[Asked]:
    """Each case once, as of a moment.

    ``agent``: who is asked by name; empty for whoever is chosen. ``asker``: who asks; empty for nobody in particular.
    """
    kept: list[Brief] = []
    engine = replace(
        oracle.engine,
        clock=SystemClock(now),
        reasoners=lambda thinking: Watched(oracle.engine.reasoners(thinking), kept),
    )
    for case in cases:
        kept.clear()
        question = Question(
            request_id=uuid.uuid4().hex[:12],
            text=case.ask,
            context=case.thread,
            received_at=now,
            agent=agent,
            asker=asker,
        )
        log = engine.ask(question)
        yield Asked(case, log, kept[0] if kept else None)


@contextmanager
def open_system(source: Path, home: Path) -> Iterator[Oracle]:
    """This project with a system connected: a home of the demo, a folder of a generated system, or a checkout."""
    with ExitStack() as stack:
        if (source / "config" / "oracle.yaml").exists():
            settings = load_settings(home=source)
        else:
            write_config(source, home, stack)
            settings = load_settings(home=home)
        oracle = build_engine(settings)
        stack.callback(oracle.close)
        if (source / "deploys.json").exists():
            record_deploys(oracle.engine.store.database, read_deploys(source / "deploys.json"))  # type: ignore[attr-defined]
        yield oracle


def write_config(source: Path, home: Path, stack: ExitStack) -> None:
    """What is connected: the repository, its documents where it has a folder of them, a Prometheus with its past."""
    repo = source / "repo" if (source / "repo").exists() else source
    name = source.parent.name if repo != source else source.name.partition("+")[2]
    config: dict[str, Any] = {"repositories": [{"path": str(repo), "name": name}]}
    docs = [folder for part in ("docs", "doc", "guide") if (folder := repo / part).is_dir()]
    if docs:
        config["documents"] = [{"path": str(docs[0]), "name": name}]
    if (source / "metrics.txt").exists():
        run = run_prometheus(home / "prometheus", source / "metrics.txt", source / "rules.yml")
        config["prometheus"] = {"url": stack.enter_context(run)}
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def read_deploys(path: Path) -> list[Deploy]:
    """``[{service, version, commit, at}]``."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Deploy(**{**row, "at": datetime.fromisoformat(row["at"]).astimezone(UTC)}) for row in rows]


def fresh(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
