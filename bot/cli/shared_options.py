"""What the commands share: options, settings from them, output, exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.demo_services import DEMO, demo_services
from bot.cli.garbage import kept_for_good
from workers.delivery.console import make_console
from workers.errors import ConfigError
from workers.language.payload_values import encodable
from workers.language.typed_times import read_zoned_time
from workers.settings.load import Settings, is_zone, load_settings
from workers.sources.index_progress import heard_by
from workers.toolkit.clock import SystemClock

if TYPE_CHECKING:  # a search and a line of help need no engine
    from workers.bootstrap import Oracle
    from workers.engine.engine import Progress
    from workers.toolkit.toolbox import WrappedToolbox

READING = "reading sources …"

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Repos = Annotated[list[str] | None, typer.Option("--repo", help="A git repository; may be given several times.")]
Docs = Annotated[list[str] | None, typer.Option("--docs", help="A folder of documents; may be given several times.")]
Prometheus = Annotated[str, typer.Option("--prometheus", help="Address of a Prometheus-compatible server.")]
Now = Annotated[str, typer.Option("--now", help="Answer as of this moment (RFC 3339); its offset is the asker's zone.")]
AgentName = Annotated[str, typer.Option("--agent", help="The agent to ask, by its name in config/agents.yaml.")]


def print_json(value: Any) -> None:
    """One JSON value, readable."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def settings_from(
    repos: Sequence[str] | None = None,
    docs: Sequence[str] | None = None,
    prometheus: str = "",
    more: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings with the sources of the command line in place of the configured ones of their kind.

    Naming one's own code or documents leaves the demo altogether: they are not answered from its metrics.

    Args:
        repos: git repositories.
        docs: folders of documents.
        prometheus: address of a server.
        more: other keys, dotted, and their values.
    """
    overrides: dict[str, Any] = dict(more or {})
    code, papers = folders("--repo", repos), folders("--docs", docs)
    if (code or papers) and load_settings().core.environment == DEMO:
        papers = papers or [d for r in code if (d := r / "docs").is_dir()]
        overrides |= {"oracle.repositories": [], "oracle.documents": [], "oracle.samples": ""}
        overrides |= {"oracle.environment": "production", "oracle.context.url": ""}
    if code:
        overrides["oracle.repositories"] = [{"path": str(r)} for r in code]
    if papers:
        overrides["oracle.documents"] = [{"path": str(d)} for d in papers]
    if prometheus:
        if not prometheus.startswith(("http://", "https://")):
            raise ConfigError("--prometheus: it must be an http:// or https:// address")
        overrides["oracle.prometheus.url"] = prometheus
    return load_settings(overrides)


def folders(option: str, values: Sequence[str] | None) -> list[Path]:
    """Folders that exist. Raises: ConfigError."""
    found = [Path(v).expanduser().resolve() for v in values or ()]
    for path, value in zip(found, values or (), strict=True):
        if not path.is_dir():
            raise ConfigError(f"{option}: {value} is not a folder")
    return found


@contextmanager
def open_oracle(settings: Settings, now: str = "", progress: Progress | None = None) -> Iterator[Oracle]:
    """Build, and close at the end."""
    with kept_for_good():
        from workers.bootstrap import build_engine
        from workers.engine.engine import no_progress

    with demo_services(settings):
        with kept_for_good():
            oracle = build_engine(settings, clock=SystemClock(read_now(now)[0]), progress=progress or no_progress)
        try:
            yield oracle
        finally:
            oracle.close()


@contextmanager
def open_toolbox(settings: Settings) -> Iterator[WrappedToolbox]:
    """Build the tools alone, and close at the end."""
    with kept_for_good():
        from workers.open_tools import open_log, open_tools
        from workers.toolkit.redaction import build_redactor

    redactor = build_redactor(settings)
    with demo_services(settings), ExitStack() as stack:
        stack.callback(open_log(settings, redactor))
        with kept_for_good():
            tools = open_tools(settings, redactor)
        stack.callback(tools.store.database.close)
        yield tools.toolbox


def read_now(text: str) -> tuple[datetime | None, str]:
    """``--now`` as a moment, and the zone of its offset. Raises: ConfigError."""
    if not text:
        return None, ""
    moment = read_zoned_time(text, "--now")
    offset = f"{moment:%z}"
    return moment, "UTC" if offset in {"+0000", ""} else f"{offset[:3]}:{offset[3:5]}"


def asker_zone(settings: Settings, now: str) -> str:
    """The zone questions are read in: of ``--now``, of the configuration, of this machine."""
    named = read_now(now)[1] or settings.core.timezone
    return named if named != "auto" else machine_zone()


def machine_zone() -> str:
    """This machine's zone by its IANA name, else by its offset now."""
    link = Path("/etc/localtime")
    name = str(link.resolve()).partition("zoneinfo/")[2] if link.is_symlink() else ""
    if name and is_zone(name):
        return "UTC" if name in {"Etc/UTC", "UTC"} else name
    offset = f"{datetime.now().astimezone():%z}"
    return "UTC" if offset == "+0000" else f"{offset[:3]}:{offset[3:5]}"


def check_question(text: str, settings: Settings) -> str:
    """A question of a length that can be read. Raises: ConfigError."""
    clean = encodable(text).strip()
    if not clean:
        raise ConfigError("question: it is empty")
    most = settings.core.limits.question_chars
    if len(clean) > most:
        raise ConfigError(f"question: {len(clean):,} characters; at most {most:,} are read (limits.question_chars)")
    return clean


def refresh(oracle: Oracle) -> Iterator[tuple[str, str, bool]]:
    """Bring every index up to date while a person is told so. Yields: as `WrappedToolbox.refresh`."""
    with (
        make_console(error=True).status(READING) as shown,
        heard_by(lambda done, total: shown.update(f"{READING} {done:,} of {total:,} files")),
    ):
        yield from oracle.toolbox.refresh()


def is_terminal() -> bool:
    """Whether a person watches."""
    return make_console(error=True).is_terminal
