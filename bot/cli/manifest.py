"""``oracle manifest``: what the Slack app is created from."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.shared_options import print_json
from bot.transport.manifest import build_manifest
from workers.settings.load import load_settings

Url = Annotated[str, typer.Option("--url", help="Where Slack reaches the bot (slack.public_url); none: Socket Mode.")]


def manifest(url: Url = "") -> None:
    """Print the Slack app's manifest as JSON, to create the app from; it follows the configuration."""
    print_json(build_manifest(load_settings(), url))
