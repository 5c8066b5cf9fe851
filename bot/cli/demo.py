"""Builds the demo team under ORACLE_HOME, so that every command works on it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bot.cli.demo_services import DEMO
from bot.cli.ports import LOOPBACK, free_port
from examples.calendars.build import build_calendars
from examples.network.eve import build_network
from examples.network.netbox import DEMO_TOKEN as NETBOX_TOKEN
from examples.operations.build import build_operations
from examples.shop.build import Demo, build_demo
from workers.entrypoints.background_tasks import reset_tasks
from workers.errors import ConfigError
from workers.settings.contributions import find_contributions
from workers.settings.load import load_settings
from workers.sources.metrics.openmetrics import load_openmetrics
from workers.store.database import open_database
from workers.store.deploys import forget_deploys, record_deploys
from workers.store.migrate import migrate

MARK = "# Written by `oracle demo`; delete this file to leave the demo.\n"


def build(home: Path, now: datetime, seed: int) -> str:
    """Repository, documents, sample store, deploys, operations data and the configuration that points at them.

    Returns: one line that says what was built.

    Raises:
        ConfigError: ORACLE_HOME/config/oracle.yaml is the user's own.
    """
    overlay = home / "config" / "oracle.yaml"
    if overlay.is_file() and not overlay.read_text(encoding="utf-8").startswith(MARK):
        raise ConfigError(f"{overlay}: is your own configuration; move it away, or set ORACLE_HOME to another folder")
    made = build_demo(home / "demo", now, seed)
    samples = home / "demo" / "samples"
    load_openmetrics(made.openmetrics, samples, made.ahead)
    made.ahead.unlink()
    context = f"sqlite:///{home / 'demo' / 'context.db'}"
    build_operations(context, now, seed)
    overlay.parent.mkdir(parents=True, exist_ok=True)
    config = configuration(made, samples, context) | building(home / "demo", now)
    parts = find_contributions("demo")
    for part in parts:
        config |= part.load()(home, now, seed)
    overlay.write_text(MARK + yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    settings = load_settings(home=home)
    notes: Any = settings.tree.sections["vault"]
    write_notes(Path(notes.path).expanduser() if notes.path else home / "vault", now)
    database = open_database(settings.database_url)
    migrate(database)
    forget_deploys(database, DEMO)
    reset_tasks(database, settings)
    record_deploys(database, made.deploys, DEMO)
    database.close()
    return (
        f"The demo team stands in {home / 'demo'}: repository {made.repo.name}, its documents, 48 h of metrics, "
        f"{len(made.deploys)} deploys, operations data of 21 model deployments. {' '.join(p.summary for p in parts)}"
    )


def write_notes(vault: Path, now: datetime) -> None:
    """A few notes of the demo team, in a vault that has none."""
    if vault.exists():
        return
    day = now - timedelta(days=8)
    for path, text in NOTES.items():
        place = vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.format(day=f"{day:%Y-%m-%d}"), encoding="utf-8")


NOTES = {
    "notes/search.md": (
        "---\ntags: [search]\n---\n# Search\n\nOwned by the search team. What we agreed on: [[retries]].\n"
        "The result cache came with v1.42.0; see [[on-call#Who to ask|who to ask]].\n"
    ),
    "notes/retries.md": (
        "# Retries\n\n## Decision of {day}\n\n"
        "Three attempts against the payment gateway, never on a 4xx, with jitter. Production may use five.\n"
    ),
    "notes/on-call.md": "# On call\n\n## Who to ask\n\nSearch: Priya Raman. Payments: Mara Lindqvist.\n",
}
"""The demo team's notes by path; ``day``: of a decision, a week ago."""


def building(folder: Path, now: datetime) -> dict[str, Any]:
    """The team's home, calendars and network, and how they are connected."""
    people = build_calendars(folder / "calendars", now)
    people[0]["users"] = ["local", YOU]
    return {
        "home_assistant": {"url": address(8123), "token": HOME_TOKEN, "change_domains": CHANGED, "routines": ROUTINES},
        "calendars": people,
        **build_network(folder / "network", now),
        "netbox": {"url": address(8124), "token": NETBOX_TOKEN},
    }


def address(port: int) -> str:
    """Of a server on this machine, at the wanted port when that is free."""
    return f"http://{LOOPBACK}:{free_port(port)}"


HOME_TOKEN = "demo-home"  # noqa: S105 - of the demo's own home, on this machine
ROUTINES = {
    "good night": {"entity": "scene.good_night", "phrases": ["lights out"]},
    "leaving": {"entity": "scene.leaving"},
}
CHANGED = ["light", "switch", "fan", "climate", "media_player", "scene", "cover"]
YOU = "U0SANDBOX1"
"""Who sits at the local Slack."""


def configuration(made: Demo, samples: Path, context: str) -> dict[str, Any]:
    """``config/oracle.yaml`` of the demo."""
    return {
        "environment": DEMO,
        "repositories": [{"path": str(made.repo), "name": made.repo.name}],
        "documents": [{"path": str(made.docs), "name": made.repo.name}],
        "samples": str(samples),
        "context": {"url": context},
    }
