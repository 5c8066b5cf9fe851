"""``bench causes FOLDER --connected``: the incidents of root-cause-bench asked of connected sources, without a model.

Each incident becomes what a team has: a git repository of its commits up to the question, a Prometheus with its
metrics, the deploys that hooks told of, its flags, its log lines and spans as files. What the set knows beyond that
(patterns that were counted, feeds of providers) has no source to be read from, and is left out. The alert's own words
are asked, "What caused it?", as of the last sample. Judged as the bundles are: by the commit that the answer names
as the cause, or that it names none.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.support.real_servers import run_prometheus
from workers.bootstrap import build_engine
from workers.contracts import Deploy, Evidence, FlagChange, Question, RequestLog
from workers.grounding.health import text_of
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.deploys import record_deploys
from workers.store.flag_changes import record_flag_changes
from workers.store.migrate import migrate
from workers.toolkit.clock import SystemClock

PATH = re.compile(r"\+\+\+ (?:b/)?(?P<path>\S+)$")
APART = ["", "// ----", ""]
"""What stands between the parts of a file that commits change."""
BEFORE_ALL = timedelta(days=2)
"""So long before its first sample every service was deployed at the commit that comes before all others."""
PATIENT = {"agents.research.tool_timeout_ms": 60_000, "agents.research.tools_total_ms": 120_000}
"""A busy machine must not be taken for a wrong answer."""


@dataclass(frozen=True)
class Connected:
    """An incident's sources. ``shas``: the set's name of each commit of the repository."""

    question: str
    now: datetime
    settings: dict[str, Any]
    shas: dict[str, str]


@dataclass(frozen=True)
class Told:
    """What an answer says. ``commit``: the cause as the set names it, ``none``; empty: it weighed nothing, or did not
    tell what it weighed."""

    commit: str
    headline: str
    candidates: tuple[str, ...]
    seconds: float


def ask_connected(folders: Sequence[Path], truths: dict[Path, dict[str, Any]]) -> dict[Path, Told]:
    """Ask each incident, and print what was told of it."""
    told: dict[Path, Told] = {}
    for folder in folders:
        truth = truths[folder]["root_cause_commit"]
        found = told[folder] = ask_one(folder / "environment" / "data")
        verdict = "right" if found.commit == truth else "WRONG"
        said = found.commit[:8] or "nothing"
        print(f"{verdict}  {folder.name}: {said}, true {truth[:8]} ({found.seconds:.1f} s). {found.headline[:160]}")
        if found.commit != truth:
            print(*(f"       {line}" for line in found.candidates), sep="\n")
        sys.stdout.flush()
    return told


def ask_one(data: Path) -> Told:
    """Build an incident's sources, ask, and take them down."""
    with tempfile.TemporaryDirectory(prefix="oracle-causes-") as made:
        work = Path(made)
        samples = work / "samples.txt"
        end = write_openmetrics(data / "metrics.csv", samples)
        with run_prometheus(work / "prometheus", samples) as address:
            return ask(connect(data, work, address, end), work / "home")


def ask(incident: Connected, home: Path) -> Told:
    """The question, asked of a new engine."""
    settings = load_settings(incident.settings, home=home)
    oracle = build_engine(settings, clock=SystemClock(incident.now))
    try:
        began = perf_counter()
        question = Question(request_id="causes", text=incident.question, received_at=incident.now)
        log = oracle.engine.ask(question)
        return read_told(log, incident.shas, perf_counter() - began)
    finally:
        oracle.close()


def read_told(log: RequestLog, shas: dict[str, str], seconds: float) -> Told:
    """What an answer names as the cause; only what a claim of it cites counts."""
    answer = log.answer
    cited = {i for claim in answer.claims for i in claim.evidence} if answer else set[str]()
    weighed = next((e for e in log.evidence if "cause_kind" in e.facts), None)
    cause = next((e for e in log.evidence if "role" in e.facts and text_of(e, "role") == "cause"), None)
    commit = ""
    if cause is not None and cause.id in cited:
        commit = shas.get(text_of(cause, "commit"), "unknown") if cause.kind == "change" else "none"
    elif cause is None and weighed is not None and weighed.id in cited:
        commit = "none"
    lines = tuple(described(e, shas) for e in log.evidence if "role" in e.facts and "short" in e.facts)
    steps = tuple(f"{c.name} {c.status}: {c.summary}"[:220] for c in log.tool_calls)
    return Told(commit, answer.headline.text if answer else "", (*lines, *steps), seconds)


def described(item: Evidence, shas: dict[str, str]) -> str:
    """A candidate in a line."""
    sha = shas.get(text_of(item, "commit"), "")[:8] if item.kind == "change" else item.kind
    why = f"+ {text_of(item, 'for')}" + (f" - {text_of(item, 'against')}" if "against" in item.facts else "")
    return f"{text_of(item, 'role')} {sha} {item.title[:60]} {why[:420]}"


# --- sources ----------------------------------------------------------------------------------------------------


def connect(data: Path, work: Path, prometheus: str, now: datetime) -> Connected:
    """Write an incident's sources below a folder."""
    alert = json.loads((data / "alert.json").read_text())
    context = data / "context"
    commits = sorted(json.loads((context / "commits.json").read_text()), key=lambda c: c["timestamp"])
    made = [c for c in commits if moment(c["timestamp"]) <= now]
    first = make_repository(work / "platform", made)
    names = {theirs: ours for ours, theirs in first.items()}
    base = next(ours for ours, theirs in first.items() if not theirs)
    home = work / "home"
    (work / "telemetry").mkdir()
    for name in ("logs.ndjson", "traces.json"):
        (work / "telemetry" / name).write_bytes((data / name).read_bytes())
    settings: dict[str, Any] = {
        "oracle.repositories": [{"path": str(work / "platform"), "name": "platform"}],
        "oracle.prometheus.url": prometheus,
        "oracle.prometheus.timeout_ms": 30_000,
        "oracle.logs.paths": str(work / "telemetry" / "logs.ndjson"),
        "oracle.traces.files": [str(work / "telemetry" / "traces.json")],
        "oracle.hooks.token": "bench-of-causes-token-0123456789",
        "oracle.timezone": "UTC",
        **PATIENT,
    }
    address = load_settings(settings, home=home).database_url
    database = open_database(address)
    try:
        migrate(database)
        record_deploys(database, deploys_of(json.loads((context / "deploys.json").read_text()), names, base, now))
        record_flag_changes(database, flags_of(json.loads((context / "flags.json").read_text()), now))
    finally:
        database.close()
    return Connected(f"{alert['summary']}. What caused it?", now, settings, {o: t for o, t in first.items() if t})


def deploys_of(rows: Sequence[dict[str, Any]], names: dict[str, str], base: str, now: datetime) -> Iterator[Deploy]:
    """The deploys that hooks told of by now, and one of each service before them all."""
    first = min((moment(r["timestamp"]) for r in rows), default=now) - BEFORE_ALL
    for service in sorted({r["service"] for r in rows}):
        yield Deploy(service=service, version="v0", commit=base, at=first, source="webhook")
    for row in rows:
        if (at := moment(row["timestamp"])) <= now:
            commit = names.get(row["commit_sha"], "")
            yield Deploy(service=row["service"], version=row["version"], commit=commit, at=at, source="webhook")


def flags_of(rows: Sequence[dict[str, Any]], now: datetime) -> Iterator[FlagChange]:
    """The changes of flags that were told by now."""
    for row in rows:
        before, _, after = row["change"].partition("->")
        if (at := moment(row["timestamp"])) <= now:
            yield FlagChange(
                flag=row["flag"], service=row["service"], before=before, after=after, who=row["actor"], at=at
            )


def write_openmetrics(table: Path, out: Path) -> datetime:
    """Samples as ``promtool`` reads them. Returns: the moment of the last."""
    families: defaultdict[str, list[tuple[str, float, str]]] = defaultdict(list)
    with table.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            name = re.sub(r"\W", "_", row["metric"])
            families[name].append((row["service"], moment(row["timestamp"]).timestamp(), row["value"]))
    with out.open("w", encoding="utf-8") as file:
        for name, samples in families.items():
            file.writelines(f'{name}{{service="{s}"}} {value} {at:.3f}\n' for s, at, value in sorted(samples))
        file.write("# EOF\n")
    return datetime.fromtimestamp(max(at for samples in families.values() for _, at, _ in samples), UTC)


# --- a repository of commits that are known by their diffs alone -------------------------------------------------

Block = tuple[list[str], list[str]]
"""Lines before and after a commit."""


def make_repository(folder: Path, commits: Sequence[dict[str, Any]]) -> dict[str, str]:
    """A repository whose commits change what their diffs say, in their order.

    Each part of a file that a commit changes stands in it from the first commit on, as it was before; a file that only
    gains lines begins with its commit. Of a commit without a diff nothing is known: a line of each of its files is
    written otherwise.

    Returns: the set's sha of each commit; an empty one of the commit before all others.
    """
    blocks = [blocks_of(commit) for commit in commits]
    files: dict[str, list[list[str] | None]] = {}
    for number, found in enumerate(blocks):
        for path, (before, _) in found.items():
            files.setdefault(path, [None] * len(blocks))[number] = before
    stream = [fast_commit("the tree before", "base", moment(commits[0]["timestamp"]) - BEFORE_ALL * 2)]
    stream += [written(path, parts) for path, parts in files.items() if any(parts)]
    for number, (commit, found) in enumerate(zip(commits, blocks, strict=True)):
        stream.append(fast_commit(commit["message"], commit["author"], moment(commit["timestamp"])))
        for path, (_, after) in found.items():
            files[path][number] = after
            stream.append(written(path, files[path]))
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)
    source = "".join(stream).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=source, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["git", "reset", "--quiet", "--hard", "main"], cwd=folder, check=True)
    listed = subprocess.run(["git", "rev-list", "--reverse", "main"], cwd=folder, check=True, capture_output=True)
    return dict(zip(listed.stdout.decode().split(), ["", *(c["sha"] for c in commits)], strict=True))


def blocks_of(commit: dict[str, Any]) -> dict[str, Block]:
    """What a commit did to each of its files.

    Its diff is a unified one, or parts below ``@@ FILE @@``, ``@@ FILE: LINE`` or ``@@ LINE``, which is of the file
    before, else of its first one.
    """
    files = commit["files_changed"]
    found: dict[str, Block] = {}
    current = files[0] if files else ""
    for line in (commit.get("diff") or "").splitlines():
        if named := PATH.match(line):
            current = named["path"]
        elif line.startswith("@@"):
            said = line.strip("@ ")
            current = next((f for f in sorted(files, key=len, reverse=True) if said.startswith(f)), current)
            if said.endswith(("{", "(")):
                add(found, current, f" {said.removeprefix(current).lstrip(': ')}")
        elif not line.startswith(("--- ", "diff ")):
            add(found, current, line)
    for path in files:
        found.setdefault(path, (["// as it was"], ["// as it is"]))
    return found


def add(blocks: dict[str, Block], path: str, line: str) -> None:
    """Put a line of a diff where it stands: before, after, or in both."""
    before, after = blocks.setdefault(path, ([], []))
    before += [line[1:]] * (not line.startswith("+"))
    after += [line[1:]] * (not line.startswith("-"))


def written(path: str, parts: Sequence[list[str] | None]) -> str:
    """A file's content as a command of ``git fast-import``."""
    text = "\n".join(line for part in parts if part for line in (*part, *APART)) + "\n"
    return f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"


def fast_commit(message: str, author: str, at: datetime) -> str:
    """The head of a commit as a command of ``git fast-import``."""
    who = f"{author} <{author}@example.com> {int(at.timestamp())} +0000"
    return f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata {len(message.encode())}\n{message}\n"


def moment(text: str) -> datetime:
    """A time of the set."""
    return datetime.fromisoformat(text)
