"""Every way to what Oracle holds is named here with what guards it; a new one fails until somebody says what does.

`ASKS` and the names below it say that the policy is asked, and where; a sentence says why it need not be.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from bot.cli.commands import COMMANDS, CONTRIBUTED
from bot.listeners import actions, commands, home, modals, proposals, shortcuts, subcommands, timeline
from bot.parse import FAMILY_SUBCOMMANDS
from bot.transport.api import add_api
from bot.transport.ask_stream import add_ask
from bot.transport.hooks import add_hooks
from bot.transport.oauth import add_install_routes, oauth_flow
from bot.transport.web import add_events, build_web
from tests.support.two_repositories import two_repositories
from workers.access import sources
from workers.access.doors import Doors
from workers.access.sources import MCP, OWN, source_kinds
from workers.access.views import access_of
from workers.bootstrap import build_engine
from workers.delivery import action_ids
from workers.entrypoints.celery_app import (
    ADVANCE,
    BACKGROUND,
    FETCH,
    FOLLOW_CHANNEL,
    FORGET,
    REFRESH,
    SHOW_ALERTS,
    SWEEP,
)
from workers.entrypoints.mcp.server import Handlers
from workers.requests.ledger import open_ledger
from workers.settings.contributions import find_contributions
from workers.settings.load import ROOT, load_settings
from workers.settings.schema import Core
from workers.settings.slices import own_sections
from workers.store.all_tables import load_all_tables
from workers.telemetry.service_metrics import ServiceMetrics
from workers.toolkit.serving import Serving

ENGINE = "asks: it becomes a request, whose engine holds only what its asker and its audience may see"
LOG_READ = "asks: the log of a request is shown to whom all that it rests on is given"
VIEW = "asks: read by the tools and names of an engine that is narrowed to the sources it is of"
OWN_ROWS = "a person's own rows, read by the name of whoever asks"
SLACK_ITSELF = "what a channel said itself, for those whom Slack lets read that channel"
WORK = "how the work stands: leases, marks, pace; nothing of a source is in it"
SIGNED = "takes things in, by a secret of its sender, and shows nothing of a source"
WINDOW = "opens a window to ask in, or to word something; it shows nothing of a source"

TABLES = {
    "requests": LOG_READ,
    "jobs": "asks: questions and logs of requests; read through the engine, or shown as the asker's own",
    "request_events": "asks: the stream of one's own request, which is closed once it may not be seen",
    "kept_answers": "asks: given again to the same asker and place, unless it rests on what may not be seen now",
    "sources": "asks: lines on sources, each shown to whom its source is given",
    "deploys": VIEW,
    "alerts": VIEW,
    "flag_changes": VIEW,
    "alert_groups": "the thread of an alert in the channel that the configuration names for it",
    "hook_events": "asks: when a sender was last heard; shown with the deploys",
    "feedback": "what people thought of answers, counted; nobody's words are shown",
    "threads": OWN_ROWS,
    "thread_entries": OWN_ROWS,
    "thread_sequences": OWN_ROWS,
    "thread_sync_status": OWN_ROWS,
    "memories": OWN_ROWS,
    "oracle_contexts": OWN_ROWS,
    "api_tokens": "hashes; listed at the command line alone",
    "slack_bots": "tokens of workspaces, which nobody is shown",
    "slack_installations": "tokens of workspaces, which nobody is shown",
    "slack_oauth_states": WORK,
    "channel_settings": "how a channel is answered; administrators alone read and change it",
    "followed_channels": SLACK_ITSELF,
    "incident_channels": SLACK_ITSELF,
    "channel_messages": SLACK_ITSELF,
    "channel_reactions": SLACK_ITSELF,
    "incident_corrections": SLACK_ITSELF,
    "channel_looks": SLACK_ITSELF,
    "slack_names": SLACK_ITSELF,
    "channel_inbox": "asks: what a followed channel's people wrote, until its worker has read it; nobody is shown it",
    "channel_inboxes": WORK,
    "absences": "when Slack was heard and was not; nobody is shown it",
    "refusals": "counts of requests that were refused, by door and reason; no words of them",
    "write_probes": WORK,
    "unasked": WORK,
    "events": WORK,
    "pacing": WORK,
    "hearing": WORK,
    "spending": WORK,
    "ids_logs": VIEW,
    "ids_sensors": VIEW,
    "ids_alerts": VIEW,
    "ids_connections": VIEW,
    "ids_first_seen": VIEW,
}
ENDPOINTS = {
    "GET /healthz": "counts of open questions; no name of anything",
    "GET /readyz": "which parts answer; no name of a source",
    "GET /metrics": "counts for the operator's own Prometheus; no question and no answer",
    "POST /slack/events": "signed by Slack; what it brings is guarded by its kind, below",
    "POST /hooks/deploy": SIGNED,
    "POST /hooks/push": SIGNED,
    "POST /hooks/alertmanager": SIGNED,
    "POST /hooks/flags": SIGNED,
    "GET /slack/install": "leads to Slack's own page",
    "GET /slack/oauth_redirect": "takes a workspace's token in; shows nothing of a source",
    "GET /api/openapi.json": "the form of the API, the same for all",
    "POST /api/ask": ENGINE,
    "GET /api/ask/{request_id}/events": LOG_READ,
    "POST /api/threads/sync": OWN_ROWS,
    "GET /api/threads": OWN_ROWS,
    "POST /api/threads": OWN_ROWS,
    "GET /api/threads/seek": OWN_ROWS,
    "GET /api/threads/{thread_id}": OWN_ROWS,
    "POST /api/threads/{thread_id}/summarize": OWN_ROWS,
    "POST /api/threads/{thread_id}/entries": OWN_ROWS,
    "GET /api/memories": OWN_ROWS,
    "DELETE /api/memories/{memory_id}": OWN_ROWS,
}
ACTIONS = {
    "PROOF": LOG_READ,
    "PROOF_PAGE": LOG_READ,
    "PROOF_VIEW": "the window that a guarded press opened",
    "EVERYTHING": LOG_READ,
    "SHARE": LOG_READ,
    "HOME_PROOF": LOG_READ,
    "RERUN": ENGINE,
    "ALSO": ENGINE,
    "NARROW": ENGINE,
    "NARROW_BLOCK": ENGINE,
    "SAVE": f"{ENGINE}; the proposal says who will read the note, and is refused where they may not see what it tells",
    "CONFIRM": f"{ENGINE}; asked again who reads what is written, when it is carried out",
    "DECLINE": "nothing is done",
    "CLARIFY_BLOCK": ENGINE,
    "CLARIFY_MENU": ENGINE,
    "FEEDBACK": "keeps an opinion; shows nothing",
    "FEEDBACK_VIEW": "keeps an opinion; shows nothing",
    "FORGET": OWN_ROWS,
    "INCIDENT_UPDATE": SLACK_ITSELF,
    "INCIDENT_CATCHUP": SLACK_ITSELF,
    "INCIDENT_EDIT": SLACK_ITSELF,
    "INCIDENT_PAUSE": SLACK_ITSELF,
    "TIMELINE_VIEW": SLACK_ITSELF,
    "TIMELINE_PICK": SLACK_ITSELF,
    "ASK_VIEW": ENGINE,
    "ASK_WORDS": ENGINE,
    "ASK_WHERE": ENGINE,
    "ASK_ABOUT": WINDOW,
    "ASK_ANYTHING": WINDOW,
    "HOME_ASK": WINDOW,
    "HOME_REFRESH": "asks: the tab shows each line on a source to whom it is given, and the policy to administrators",
    "HOME_SETTINGS": "for administrators alone",
    "SETTINGS_VIEW": "for administrators alone",
}
SUBCOMMANDS = {
    "status": "asks: lines on sources are shown to whom those are given",
    "sources": "asks: lines on sources are shown to whom those are given",
    "why": LOG_READ,
    "catchup": SLACK_ITSELF,
    "pause": SLACK_ITSELF,
    "resume": SLACK_ITSELF,
    "incident": SLACK_ITSELF,
    "resolve": SLACK_ITSELF,
    "feedback": "keeps an opinion; shows nothing",
    "cancel": OWN_ROWS,
    "remember": OWN_ROWS,
    "memories": OWN_ROWS,
    "forget": OWN_ROWS,
}
OPERATORS = frozenset(
    "ask confirm plan chat show ground summarize teach search metrics tool task index status check demo token manifest "
    "eval who-may deals vault load".split()
)
"""Commands of whoever runs them at the command line, who has the files, the database and the policy in hand."""
SERVED_COMMANDS = {
    "up": "serves others: what they do is guarded by its kind, above",
    "bot": "serves others: what they do is guarded by its kind, above",
    "worker": ENGINE,
    "beat": "rings the clock; shows nothing",
    "mcp": "asks: every caller but who sits at this machine has a token, whose engine and texts are narrowed",
}
MCP_METHODS = {
    "list_tools": "asks: the tools of the caller's own engine",
    "call_tool": "asks: the tools of the caller's own engine",
    "list_resources": "asks: texts of sources that are given to the caller, and the caller's own",
    "read_resource": "asks: texts of sources that are given to the caller, and the caller's own",
    "list_templates": "how addresses are written; the same for all",
    "list_prompts": "files of the project; the same for all",
    "get_prompt": "files of the project; the same for all",
}
TASKS = {
    ADVANCE: ENGINE,
    SWEEP: WORK,
    FOLLOW_CHANNEL: "asks: what is measured for a channel is measured by an engine of what everyone there may see",
    SHOW_ALERTS: SLACK_ITSELF,
    FORGET: WORK,
    REFRESH: "indexes of all sources; shown to nobody by itself",
    BACKGROUND: "copies of sources; shown to nobody by itself",
    FETCH: "copies of sources; shown to nobody by itself",
}
SETTINGS_OF_SOURCES = {
    "repositories": "repository",
    "documents": "documents",
    "prometheus": "metrics",
    "samples": "metrics",
    "saved_pages": "pages",
    "logs": "logs",
    "traces": "traces",
    "flags": "flags",
    "cluster": "cluster",
    "calendars": "calendar",
    "bundle": "incident",
    "home_assistant": "home",
    "vault": "notes",
    "suricata": "network",
    "netbox": "network",
    "context": "operations",
    "hooks": "deploys",
}
NO_SOURCE = frozenset(
    "timezone default_agent fallback_agent environment log_user_text log_file database_url redis_url slack web worker "
    "incidents fetch secrets limits keep_days".split()
)
"""Keys of ``oracle.yaml`` that connect nothing to read."""
RESOURCES = {"thread": OWN, "note": "notes:vault"}


def missing(found: Collection[str], told: Collection[str]) -> set[str]:
    """What is there and not told, and what is told and not there."""
    return set(found) ^ set(told)


def test_every_table_has_its_guard() -> None:
    assert missing(load_all_tables().tables, TABLES) == set()


def test_every_endpoint_has_its_guard(tmp_path: Path) -> None:
    assert missing(endpoints(tmp_path), ENDPOINTS) == set()


def endpoints(folder: Path) -> set[str]:
    """``METHOD PATH`` of all that the web server can have."""
    settings = two_repositories(folder)
    several = {"client_id": "1.2", "client_secret": "s", "signing_secret": "s", "public_url": "https://o.example.com/"}
    slack = settings.core.slack.model_copy(update={**several, "teams": ("any",)})
    hooks = settings.core.hooks.model_copy(update={"token": "t", "github_secret": "g", "launchdarkly_secret": "l"})
    settings = sources.with_core(settings, slack=slack, hooks=hooks)
    oracle = build_engine(settings)
    try:
        database = oracle.store.database
        ledger = open_ledger(settings, database, str)
        metrics = ServiceMetrics(oracle.metrics)
        web = build_web(settings, ledger, None, ready=dict, metrics=metrics)
        add_events(web, None, None, metrics)  # type: ignore[arg-type]
        add_hooks(web, settings, database)
        add_api(web, Serving(settings, database))
        doors = Doors(access_of(settings), lambda _: pytest.fail("Slack was asked"))
        add_ask(web, settings, ledger, oracle.store, lambda _: None, str, doors)
        flow = oauth_flow(settings, database)
        assert flow
        add_install_routes(web, flow)
        return set(routes_of(web))
    finally:
        oracle.close()


def routes_of(web: FastAPI) -> list[str]:
    """``METHOD PATH`` of each route, those of routers too."""
    found, waiting = [], list(web.routes)
    while waiting:
        route: Any = waiting.pop()
        inner = getattr(route, "original_router", None) or getattr(route, "router", None)
        if inner is not None:
            waiting += inner.routes
        methods = (getattr(route, "methods", None) or set()) - {"HEAD", "OPTIONS"}
        found += [f"{method} {route.path}" for method in methods]
    return found


def test_every_tool_says_what_it_reads() -> None:
    kinds = source_kinds()
    for name, entry in load_settings().tree.tools.items():
        if entry.module == MCP:
            continue
        assert entry.reads, f"{name} does not say in config/tools.yaml what it reads"
        for reads in entry.reads:
            kind = reads.partition(":")[0]
            assert kind in kinds or reads == OWN, f"{name} reads {reads}, which is no kind of sources"


def test_every_button_window_and_menu_has_its_guard() -> None:
    found = {name for name, value in vars(action_ids).items() if name.isupper() and isinstance(value, str)}
    assert missing(found, ACTIONS) == set()


def test_every_subcommand_has_its_guard() -> None:
    assert missing({*commands.SUBCOMMANDS, *FAMILY_SUBCOMMANDS}, SUBCOMMANDS) == set()


def test_every_command_is_the_operators_or_serves_others() -> None:
    assert missing({*COMMANDS, *CONTRIBUTED}, {*SERVED_COMMANDS, *OPERATORS}) == set()


def test_every_method_over_mcp_has_its_guard() -> None:
    found = {name for name, one in vars(Handlers).items() if inspect.iscoroutinefunction(one) and name != "within"}
    assert missing(found, MCP_METHODS) == set()


def test_every_text_over_mcp_says_of_what_it_is() -> None:
    found = {one.name: one.load().source for one in find_contributions("resources")}
    assert found == RESOURCES


def test_every_task_has_its_guard() -> None:
    module = ast.parse((ROOT / "workers/entrypoints/tasks.py").read_text())
    named = {
        keyword.value.id
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "task"
        for keyword in node.keywords
        if keyword.arg == "name" and isinstance(keyword.value, ast.Name)
    }
    from workers.entrypoints import tasks

    assert missing({getattr(tasks, name) for name in named}, TASKS) == set()


def test_every_key_that_connects_a_source_is_of_a_kind() -> None:
    keys = {*Core.model_fields, *own_sections()}
    assert missing(keys, {*SETTINGS_OF_SOURCES, *NO_SOURCE}) == set()
    assert set(SETTINGS_OF_SOURCES.values()) <= set(source_kinds())


def test_the_page_on_access_names_every_kind() -> None:
    told = (ROOT / "docs/access.md").read_text()
    assert [kind for kind in source_kinds() if f"`{kind}:" not in told] == []


SHOWN_LOGS = {
    actions: {"show_proof", "share_answer", "post_everything"},
    home: {"proof", "seen_recent"},
    subcommands: {"why"},
}
"""Which functions of the listeners show what a request found."""
READS = ("load_for", "load_pressed")


@pytest.mark.parametrize("module", [actions, commands, home, modals, proposals, shortcuts, subcommands, timeline])
def test_who_shows_what_a_request_found_asks_first(module: Any) -> None:
    tree = ast.parse(inspect.getsource(module))
    told: Mapping[Any, set[str]] = SHOWN_LOGS
    silent = {"take_verdict"}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        called = {name_of(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
        if called & set(READS):
            assert function.name in told.get(module, set()) | silent
            assert function.name in silent or called & {"may_read", "may_read_alone"}, (
                f"{function.name} shows a log unasked"
            )


def name_of(node: ast.expr) -> str:
    """What a call calls."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
