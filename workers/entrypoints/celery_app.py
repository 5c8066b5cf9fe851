"""Celery as Oracle uses it: it rings, the ledger knows. A message that is lost, doubled or late does no harm."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from celery import Celery
from celery.schedules import schedstate
from celery.schedules import schedule as Every  # noqa: N812 - a class
from kombu.entity import Queue

from workers.entrypoints.background_tasks import task_periods
from workers.entrypoints.file_queue import SCHEME
from workers.errors import ConfigError
from workers.settings.load import Settings
from workers.settings.remote_addresses import offset_s
from workers.sources.connections.local_copies import LocalCopy
from workers.sources.connections.open_sources import local_copies

Broker = Literal["memory", "files", "redis"]
INDEX = "index"
QUEUES = ("ask", "events", INDEX)
ADVANCE, SWEEP, REFRESH, FORGET = "oracle.advance", "oracle.sweep", "oracle.refresh", "oracle.forget"
FETCH, FOLLOW_CHANNEL, SHOW_ALERTS = "oracle.fetch", "oracle.tend", "oracle.show_alerts"
BACKGROUND = "oracle.background"
"""One for all tasks of families; its argument is the name of one."""
HARD_LIMIT_S = 360
MOST_MEMORY_KIB = 500_000
"""A worker's process that holds more is replaced when its request is done."""
REFRESH_S, FORGET_S = 300.0, 3_600.0
EMBEDDED = {"pool": "threads", "without_heartbeat": True, "without_mingle": True, "without_gossip": True}


def choose_broker(settings: Settings, *, one_process: bool) -> Broker:
    """Redis where it is configured; else memory inside one process, and files between several."""
    if settings.core.redis_url:
        return "redis"
    return "memory" if one_process else "files"


def make_app(settings: Settings, broker: Broker) -> Celery:
    """The Celery app without its tasks; see `workers.entrypoints.tasks.add_tasks`.

    Raises:
        ConfigError: the address of the broker is wrong.
    """
    app = Celery("oracle", set_as_current=False)
    app.conf.update(
        **transport(settings, broker),
        task_queues=[Queue(name) for name in QUEUES],  # type: ignore[no-untyped-call]
        task_default_queue="ask",
        task_routes={
            ADVANCE: {"queue": "ask"},
            SWEEP: {"queue": "events"},
            REFRESH: {"queue": INDEX},
            FETCH: {"queue": INDEX},
            BACKGROUND: {"queue": INDEX},
            FORGET: {"queue": "events"},
            FOLLOW_CHANNEL: {"queue": "events"},
            SHOW_ALERTS: {"queue": "events"},
        },
        task_ignore_result=True,
        task_publish_retry=False,
        task_acks_late=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_max_memory_per_child=MOST_MEMORY_KIB,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_soft_shutdown_timeout=5.0,
        worker_proc_alive_timeout=60.0,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=2,
        beat_schedule=schedule(settings),
        beat_scheduler="celery.beat:Scheduler",
        timezone="UTC",
    )
    return app


def transport(settings: Settings, broker: Broker) -> dict[str, Any]:
    """Where messages travel."""
    if broker == "memory":
        return {"broker_url": "memory://", "broker_transport_options": {"polling_interval": 0.02}}
    if broker == "files":
        return {"broker_url": f"{SCHEME}://", "broker_transport_options": file_options(settings.home / "queue")}
    url = settings.core.redis_url
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise ConfigError(f"{settings.where('oracle.redis_url')}: redis_url: it must begin with redis:// or rediss://")
    timeouts = {"socket_timeout": 5, "socket_connect_timeout": 1}
    return {"broker_url": url, "broker_transport_options": {**timeouts, "retry_on_timeout": False}}


def file_options(folder: Path) -> dict[str, Any]:
    """Where the messages of `workers.entrypoints.file_queue` lie."""
    folder.mkdir(parents=True, exist_ok=True)
    return {"folder": str(folder), "polling_interval": 0.05}


class Staggered(Every):  # type: ignore[misc]
    """Once every period, at a moment of it that follows from a name: a hundred repositories are not fetched at once."""

    def __init__(self, every_s: float, name: str, **more: Any) -> None:
        super().__init__(every_s, **more)
        self.name = name

    def is_due(self, last_run_at: datetime) -> Any:
        """Whether a period of this name began since, and the seconds until the next one does."""
        every_s, offset = self.seconds, offset_s(self.name, self.seconds)
        now = self.maybe_make_aware(self.now()).timestamp() - offset
        before = self.maybe_make_aware(last_run_at).timestamp() - offset
        return schedstate(is_due=now // every_s > before // every_s, next=every_s - now % every_s)

    def __reduce__(self) -> tuple[type, tuple[float, str]]:
        return type(self), (self.seconds, self.name)


def fetches(kept: LocalCopy) -> dict[str, Any]:
    """How often something elsewhere is looked at."""
    options = {"expires": kept.every_s}
    every = Staggered(kept.every_s, kept.key)
    return {"task": FETCH, "args": [kept.key], "schedule": every, "options": options}


def schedule(settings: Settings) -> dict[str, Any]:
    """What happens by the clock; a tick that waited too long is dropped."""
    sweep_s = settings.core.worker.sweep_s
    fetched = {f"fetch {key}": fetches(kept) for key, kept in local_copies(settings).items()}
    of_families = {
        f"background {name}": {"task": BACKGROUND, "args": [name], "schedule": s, "options": {"expires": 2 * s}}
        for name, s in task_periods(settings).items()
    }
    return {
        **fetched,
        **of_families,
        "sweep": {"task": SWEEP, "schedule": sweep_s, "options": {"expires": 2 * sweep_s}},
        "forget": {"task": FORGET, "schedule": FORGET_S, "options": {"expires": FORGET_S}},
        "refresh": {"task": REFRESH, "schedule": REFRESH_S, "options": {"expires": REFRESH_S}},
    }
