"""What opens the hooks, and which are open. No web framework is loaded for that."""

from __future__ import annotations

from workers.settings.schema import Core

TOKEN_OPENS, SECRET_OPENS = "HOOKS_TOKEN (hooks.token)", "GITHUB_WEBHOOK_SECRET (hooks.github_secret)"
SENTRY_OPENS = "SENTRY_WEBHOOK_SECRET (hooks.sentry_secret)"
LAUNCHDARKLY_OPENS = "LAUNCHDARKLY_WEBHOOK_SECRET (hooks.launchdarkly_secret)"


def describe_hooks(core: Core) -> str:
    """One line on what is open."""
    ways = (
        ("deploys, alerts, pushes and flags", core.hooks.token, TOKEN_OPENS),
        ("GitHub's webhooks", core.hooks.github_secret, SECRET_OPENS),
        ("Sentry's webhooks", core.hooks.sentry_secret, SENTRY_OPENS),
        ("LaunchDarkly's webhooks", core.hooks.launchdarkly_secret, LAUNCHDARKLY_OPENS),
    )
    return "; ".join(f"{who}: {'open' if secret else f'closed, {opens} opens it'}" for who, secret, opens in ways)
