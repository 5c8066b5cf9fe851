"""Builds the demo team: repository, documents, metrics, alert rules and deploys, all relative to "now"."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from examples.repository import Commit as GitCommit
from examples.repository import write_repository
from examples.shop.fault import Fault, draw_fault
from examples.shop.history import SERVICE, TREE, Commit, History, load_history
from examples.shop.metrics import alerts, continue_family, make_families
from examples.shop.openmetrics import write_openmetrics
from examples.shop.signals import make_signals, minutes_after, minutes_until
from workers.contracts import Deploy

DEPLOYS_KNOWN = timedelta(days=30)
ALERT_FOLDER = "alerts"
PAST, AHEAD = "metrics.txt", "ahead.txt"


@dataclass(frozen=True)
class Demo:
    """Where the demo lies, and what is wrong in it.

    ``openmetrics`` holds 48 hours up to ``built_at``, ``ahead`` the 24 hours after it, ``rules`` all alert rules in one
    file. The truth about the fault: its kind (``fault``), the ``endpoint`` it slows down, the full hash of the
    ``commit``, the ``files`` that it changed, ``onset`` (the first minute whose sample shows it at the endpoint), and
    the ``runbook`` section that describes it, as ``path#heading`` with the path from the repository's root.
    """

    repo: Path
    docs: Path
    openmetrics: Path
    ahead: Path
    rules: Path
    deploys: tuple[Deploy, ...]
    fault: str
    endpoint: str
    commit: str
    onset: datetime
    files: tuple[str, ...]
    runbook: str
    built_at: datetime


def build_demo(folder: Path, now: datetime, seed: int = 0) -> Demo:
    """Build the demo team in ``folder``, replacing what is there once everything is ready.

    Args:
        folder: made if it does not exist; its parent must be writable.
        now: aware. The fault was deployed on the day before it (UTC) and lasts until now.
        seed: chooses the fault; 0 is a cache that never hits behind ``/api/search``. The same ``now`` and ``seed``
            give the same files and commit hashes.

    Raises:
        ValueError: ``now`` has no time zone.
        ToolUnavailable: git is missing or refused.
        OSError: the folder cannot be written.
    """
    if now.tzinfo is None:
        raise ValueError("now must have a time zone")
    now, fault = now.astimezone(UTC), draw_fault(seed)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    deployed_at = midnight - timedelta(days=1) + timedelta(minutes=fault.deploy_minute)
    onset = deployed_at + timedelta(minutes=fault.onset_minutes)
    history = load_history(fault, deployed_at)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        new = Path(scratch) / "new"
        hashes = write_repository(new / SERVICE, [as_written(c) for c in history.commits])
        write_rules(new / "rules.yml")
        write_metrics(new, now, fault, onset, seed)
        replace_folder(new, folder, Path(scratch) / "old")
    repo = folder / SERVICE
    return Demo(
        repo=repo,
        docs=repo / "docs",
        openmetrics=folder / PAST,
        ahead=folder / AHEAD,
        rules=folder / "rules.yml",
        deploys=list_deploys(history, hashes, now),
        fault=fault.kind,
        endpoint=fault.endpoint,
        commit=hashes[history.fault_index],
        onset=onset,
        files=fault.files,
        runbook=fault.runbook,
        built_at=now,
    )


def as_written(commit: Commit) -> GitCommit:
    """A commit as the repository gets it."""
    return GitCommit(
        message=f"{commit.subject}\n\n{commit.body}",
        author=commit.author,
        email=commit.email,
        at=commit.at,
        files=commit.files,
        tag=commit.tag,
        tagged_at=commit.deployed_at,
    )


def list_deploys(history: History, hashes: tuple[str, ...], now: datetime) -> tuple[Deploy, ...]:
    """The deploys of the last 30 days, oldest first: every tagged commit, and the neighbours'."""
    own = (
        Deploy(service=SERVICE, version=commit.tag, commit=commit_hash, at=commit.deployed_at)
        for commit, commit_hash in zip(history.commits, hashes, strict=True)
        if commit.tag and commit.deployed_at > now - DEPLOYS_KNOWN
    )
    return tuple(sorted((*own, *history.neighbours), key=lambda deploy: deploy.at))


def read_rules() -> list[dict[str, Any]]:
    """The rule groups of all files under ``alerts/`` of the tree."""
    files = sorted((TREE / ALERT_FOLDER).glob("*.yml"))
    return [group for file in files for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]]


def write_rules(path: Path) -> None:
    """All alert rules in one file that Prometheus loads."""
    path.write_text(yaml.safe_dump({"groups": read_rules()}, sort_keys=False, allow_unicode=True), encoding="utf-8")


def write_metrics(folder: Path, now: datetime, fault: Fault, onset: datetime, seed: int) -> None:
    """48 hours of OpenMetrics text with the fault in it, and a second file with what comes after them."""
    rules = {rule["alert"]: rule for group in read_rules() for rule in group["rules"]}
    firing = {}
    for alert in fault.alerts:
        rule = rules[alert.name]
        labels = {"alertname": alert.name, **dict(alert.labels), **rule["labels"]}
        active = onset + timedelta(minutes=alert.after_minutes)
        firing[tuple(labels.items())] = (active, active + timedelta(minutes=int(rule["for"].removesuffix("m"))))
    rng, later = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    past = make_signals(minutes_until(now), fault, onset, rng)
    families = tuple(make_families(past, rng))
    write_openmetrics(folder / PAST, past.times.tolist(), (*families, *alerts(past.times, firing)))
    ahead = make_signals(minutes_after(now), fault, onset, later)
    more = map(continue_family, families, make_families(ahead, later))
    write_openmetrics(folder / AHEAD, ahead.times.tolist(), (*more, *alerts(ahead.times, firing)))


def replace_folder(new: Path, folder: Path, old: Path) -> None:
    """Put ``new`` in the place of ``folder``; if that fails, what was there is put back."""
    if not folder.exists():
        new.rename(folder)
        return
    folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old)
