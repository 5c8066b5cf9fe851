"""What `oracle status` says of the hooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.cli.source_status import hook_data, hook_line
from workers.store.hook_events import HookEvents

NOW = datetime.now(UTC)


def test_a_hook_that_ignored_something_says_why() -> None:
    hook = HookEvents("deploys", 3, 2, 0, NOW, "till: phase 'Running'", NOW - timedelta(hours=2))
    line = hook_line(hook)
    assert line.startswith("hook deploys: 3 taken, 2 ignored, the last ")
    assert line.endswith("2 h ago: till: phase 'Running'")
    assert hook_data(hook)["ignored"] == 2
    assert hook_data(hook)["reason"] == "till: phase 'Running'"


def test_a_hook_that_took_all_says_no_more() -> None:
    hook = HookEvents("alerts", 1_200, 0, 0, NOW)
    assert hook_line(hook).startswith("hook alerts: 1,200 taken, the last ")
    assert "ignored" not in hook_line(hook)
    assert (hook_data(hook)["reason"], hook_data(hook)["reason_at"]) == (None, None)
