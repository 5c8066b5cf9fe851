"""What a case is asked of: a world or the demo team built into a folder once, or sources that exist anyway."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import examples.shop
from examples import repository
from examples.repository import Commit, write_repository
from examples.shop.build import build_demo
from workers.contracts import Deploy
from workers.evals import relative_times, world_signals
from workers.evals import world as world_module
from workers.evals.relative_times import moment_of
from workers.evals.world import World
from workers.evals.world_signals import make_series
from workers.evals.yaml_models import fingerprint
from workers.settings.load import Settings
from workers.sources.metrics.catalogue import normal, raw_metric
from workers.sources.metrics.openmetrics import load_openmetrics
from workers.sources.metrics.sample_store import write_store

DEPLOYS = TypeAdapter(tuple[Deploy, ...])
METRICS = "tools.metrics_query.options.metrics"
UNUSED_S = 7 * 86_400
EMPTY: dict[str, Any] = {
    "oracle.repositories": [],
    "oracle.documents": [],
    "oracle.samples": "",
    "oracle.prometheus.url": "",
    "oracle.context.url": "",
    "oracle.calendars": [],
    "oracle.home_assistant.url": "",
    "oracle.suricata.eve": [],
    "oracle.netbox.url": "",
}
"""The sources of a configuration, none of which a case is asked of."""


@dataclass(frozen=True)
class Site:
    """Sources to ask. ``overrides``: dotted keys of the configuration; ``deploys`` are put into the deploys table."""

    key: str
    overrides: dict[str, Any] = field(default_factory=dict)
    deploys: tuple[Deploy, ...] = ()


def nothing_connected() -> Site:
    """No source at all: for recorded results."""
    return Site("recorded", dict(EMPTY))


def build_once(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder if it is not there; whoever is first wins, and nobody sees half of it."""
    if folder.is_dir():
        os.utime(folder)  # in use
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        make(new)
        try:
            new.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise


# --- worlds ---------------------------------------------------------------------------------------------------


def build_world(world: World, cache: Path, settings: Settings) -> Site:
    """A world's site, built if it is not in the cache.

    Args:
        world: as its file has it.
        cache: holds one folder a world and content.
        settings: whose catalogue of metrics the world's own words join.

    Raises:
        ToolUnavailable: git is missing or refused.
        OSError: the cache cannot be written.
    """
    makers = [Path(str(m.__file__)).read_bytes() for m in (world_module, world_signals, repository, relative_times)]
    key = f"{world.name}-{fingerprint(world.model_dump_json().encode(), Path(__file__).read_bytes(), *makers)}"
    folder = cache / key
    build_once(folder, lambda new: write_world(world, new))
    overrides = {**EMPTY, "oracle.environment": world.environment, **catalogue_overrides(world, settings)}
    if world.repository:
        made = world.repository
        path = str(folder / "repositories" / made.name)
        overrides["oracle.repositories"] = [{"path": path, "name": made.name, "permalink": made.permalink}]
    if world.documents:
        overrides["oracle.documents"] = [
            {"path": str(folder / "documents"), "name": world.name, "url": world.documents.url}
        ]
    if world.metrics or world.alerts:
        overrides["oracle.samples"] = str(folder / "samples")
    return Site(key, overrides, DEPLOYS.validate_json((folder / "deploys.json").read_bytes()))


def write_world(world: World, folder: Path) -> None:
    """Repository, documents, samples and deploys."""
    hashes: dict[str, str] = {}
    if world.repository:
        commits = [write_commit(world, commit) for commit in world.commits()]
        made = write_repository(folder / "repositories" / world.repository.name, commits)
        hashes = {commit.tag: commit_hash for commit, commit_hash in zip(commits, made, strict=True) if commit.tag}
    for path, text in (world.documents.files if world.documents else {}).items():
        place = folder / "documents" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    write_store(folder / "samples", make_series(world))
    deploys = tuple(
        Deploy(service=d.service, version=d.version, commit=hashes.get(d.tag, ""), at=moment_of(d.at, world.now))
        for d in world.deploys
    )
    (folder / "deploys.json").write_bytes(DEPLOYS.dump_json(deploys))


def write_commit(world: World, commit: world_module.Commit) -> Commit:
    """A commit with its moments; its tag was made when it was first deployed."""
    deployed = [moment_of(d.at, world.now) for d in world.deploys if d.tag == commit.tag]
    name = ".".join(commit.author.lower().split())
    return Commit(
        message=commit.message,
        author=commit.author.strip(),
        email=f"{name}@example.com",
        at=moment_of(commit.at, world.now),
        files=commit.files,
        delete=commit.delete,
        tag=commit.tag,
        tagged_at=min(deployed, default=None) if commit.tag else None,
    )


def catalogue_overrides(world: World, settings: Settings) -> dict[str, Any]:
    """The world's words among those of the configuration.

    An alias that the configuration has for something else is the world's. One that is the name of a configured metric
    says how that metric is read here.
    """
    entry = settings.tree.tools.get("metrics_query")
    known: dict[str, Any] = entry.options.get("metrics", {}) if entry else {}
    names = {normal(name): name for name in known if name not in world.catalogue}
    own = {normal(w) for name, word in world.catalogue.items() for w in (name, *word.aliases)}
    out: dict[str, Any] = {}
    for name, word in world.catalogue.items():
        made = catalogue_entry(name, word, world)
        meant = [names[normal(alias)] for alias in word.aliases if normal(alias) in names]
        aliases = [alias for alias in word.aliases if normal(alias) not in names]
        out[f"{METRICS}.{name}"] = {**made, "aliases": aliases}
        out |= {f"{METRICS}.{base}.promql": [*made["promql"], *known[base].get("promql", [])] for base in meant}
    for name in names.values():
        aliases = known[name].get("aliases", [])
        kept = [alias for alias in aliases if normal(alias) not in own]
        if len(kept) < len(aliases):
            out[f"{METRICS}.{name}.aliases"] = kept
    return out


def catalogue_entry(name: str, word: world_module.Word, world: World) -> dict[str, Any]:
    """An entry of the catalogue; a series is read as it would be by its own name."""
    raw = raw_metric(word.of or name, world.series_names())
    promql = list(word.promql) or [t.text for t in (raw.templates if raw else ())]
    fields = word.model_dump(exclude={"of", "promql"}, exclude_defaults=True, mode="json")
    return {**fields, "title": word.title or name.replace("_", " "), "unit": word.unit, "promql": promql}


# --- the demo team, and what exists anyway --------------------------------------------------------------------


def build_demo_site(seed: int, now: datetime, cache: Path) -> Site:
    """The demo team with the fault of a seed, as of a moment. Raises: OSError."""
    key = f"demo-{seed}-{now:%Y%m%dT%H%M%S}-{fingerprint(*read_all(Path(str(examples.shop.__file__)).parent))}"
    folder = cache / key

    def make(new: Path) -> None:
        built = build_demo(new / "team", now, seed)
        load_openmetrics(built.openmetrics, new / "samples")
        built.openmetrics.unlink()
        built.ahead.unlink()
        (new / "deploys.json").write_bytes(DEPLOYS.dump_json(built.deploys))
        repo = built.repo.relative_to(new)
        places = {"repo": str(repo), "docs": str(built.docs.relative_to(new)), "name": repo.name}
        (new / "places.json").write_text(json.dumps(places), encoding="utf-8")

    build_once(folder, make)
    places = json.loads((folder / "places.json").read_text(encoding="utf-8"))
    overrides = {
        **EMPTY,
        "oracle.environment": "production",
        "oracle.repositories": [{"path": str(folder / places["repo"]), "name": places["name"]}],
        "oracle.documents": [{"path": str(folder / places["docs"]), "name": places["name"]}],
        "oracle.samples": str(folder / "samples"),
    }
    return Site(key, overrides, DEPLOYS.validate_json((folder / "deploys.json").read_bytes()))


def read_all(folder: Path) -> Iterable[bytes]:
    """The contents of all files that a build reads, in a fixed order."""
    kept = (p for p in sorted(folder.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)
    return (str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() for path in kept)


def forget_old(cache: Path, now_s: float) -> None:
    """Remove what no run has used for a week: older contents of worlds, demos as of other moments."""
    for folder in cache.iterdir() if cache.is_dir() else ():
        if now_s - folder.stat().st_mtime > UNUSED_S:
            shutil.rmtree(folder, ignore_errors=True)
