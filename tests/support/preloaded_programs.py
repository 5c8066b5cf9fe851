"""What the fork server of `tests.support.forked_programs` imports, once a run, for all processes that it forks."""

import gc
import importlib
import os
import pkgutil

os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # as `bot.cli.main` sets it; Celery reads it when it is imported

import celery.apps.beat
import celery.apps.worker
import celery.bin.worker
import celery.concurrency.prefork
import markdown_it
import matplotlib.backends.backend_agg
import matplotlib.patheffects
import semble_grammars

import bot.cli.commands
import bot.cli.processes
import examples.home_assistant.server
import examples.network.netbox
import slack_sandbox.__main__
import workers.agents
import workers.entrypoints.mcp.serve
import workers.tools

__all__ = ["bot", "celery", "examples", "markdown_it", "matplotlib", "semble_grammars", "slack_sandbox"]

for package in (workers.agents, workers.tools):  # an engine imports them when it is built
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

gc.collect()
gc.freeze()  # no forked process walks through them, or copies them for that
