"""What `oracle status` and the command in Slack say of the hooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.cli.source_status import hook_data
from bot.views.status import Health, hook_line, status_post
from workers.store.hook_events import HookEvents

NOW = datetime.now(UTC)


def test_a_hook_that_ignored_something_says_why() -> None:
    hook = HookEvents("deploys", 3, 2, 0, NOW, "till: phase 'Running'", NOW - timedelta(hours=2))
    line = hook_line(hook, NOW)
    assert line.startswith("hook deploys: 3 taken, 2 ignored, the last ")
    assert line.endswith("2 h ago: till: phase 'Running'")
    assert hook_data(hook)["ignored"] == 2
    assert hook_data(hook)["reason"] == "till: phase 'Running'"


def test_a_hook_that_took_all_says_no_more() -> None:
    hook = HookEvents("alerts", 1_200, 0, 0, NOW)
    assert hook_line(hook, NOW).startswith("hook alerts: 1,200 taken, the last ")
    assert "ignored" not in hook_line(hook, NOW)
    assert (hook_data(hook)["reason"], hook_data(hook)["reason_at"]) == (None, None)


def test_slack_says_the_same() -> None:
    hooks = (HookEvents("alerts", 1, 0, 0, NOW), HookEvents("deploys", 3, 2, 1, NOW, "till: phase 'Running'", NOW))
    said = str(status_post(Health((), hooks=hooks), NOW).blocks)
    assert all(hook_line(hook, NOW).split(": till")[0] in said for hook in hooks)
