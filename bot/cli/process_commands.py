"""The commands that keep running. Each loads what it needs itself: asking on a terminal does not wait for servers."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.shared_options import Docs, Prometheus, Repos

Port = Annotated[int, typer.Option("--port", help="Port of the local Slack's page; a free one when it is taken.")]
Queues = Annotated[str, typer.Option("--queues", help="Queues to work on, separated by commas: ask, events, index.")]
Processes = Annotated[int, typer.Option("--concurrency", help="Processes; 0 = as configured (worker.concurrency).")]


def up(repo: Repos = None, docs: Docs = None, prometheus: Prometheus = "", port: Port = 8400) -> None:
    """Open a local Slack in the browser with Oracle in it; with SLACK_BOT_TOKEN set, connect to Slack itself."""
    from bot.cli.up import run_up

    run_up(repo, docs, prometheus, port)


def bot() -> None:
    """Receive Slack's events (Socket Mode with an app token, else HTTP); serve health and metrics."""
    from bot.cli.processes import run_bot

    run_bot()


def worker(queues: Queues = "ask,events,index", concurrency: Processes = 0) -> None:
    """Answer questions and refresh indexes, in several processes."""
    from bot.cli.processes import run_worker

    run_worker(queues, concurrency)


def beat() -> None:
    """Ring what is due: the sweeper, the refresh of indexes."""
    from bot.cli.processes import run_beat

    run_beat()


COMMANDS = (up, bot, worker, beat)
