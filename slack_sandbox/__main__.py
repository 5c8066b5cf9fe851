"""`python -m slack_sandbox`: serves a sandbox until it is told to end."""

import argparse
import asyncio
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Sequence

from slack_sandbox.config import Command, SandboxConfig, Shortcut
from slack_sandbox.server import listen, make_server

_PARENT_LOOK_S = 1.0
_SECRETS = ("signing_secret", "bot_token", "app_token", "client_id", "client_secret")


def main(argv: Sequence[str] | None = None) -> int:
    """Parses the arguments, prints one line of JSON when it listens, serves.

    Returns: the exit status; 1 with a sentence on standard error when the port is taken.
    """
    parent = os.getppid()
    options = _parse(argv)
    try:
        listener = listen(options.host, options.port)
    except OSError as error:
        sys.stderr.write(f"sandbox: cannot listen on {options.host}:{options.port}: {error.strerror}\n")
        return 1
    given = {name: value for name in _SECRETS if (value := getattr(options, name))}
    config = SandboxConfig(
        host=options.host,
        port=listener.getsockname()[1],
        app_name=options.app_name,
        commands=tuple(map(_command, options.command)),
        shortcuts=(
            *(_shortcut(text, of_message=False) for text in options.shortcut),
            *(_shortcut(text, of_message=True) for text in options.message_shortcut),
        ),
        scopes=tuple(options.scope),
        events_url=options.events_url,
        interactivity_url=options.interactivity_url,
        commands_url=options.commands_url,
        **given,
    )
    config = dataclasses.replace(config, ack_timeout_s=options.ack_timeout)
    server = make_server(config)

    def end(*_: object) -> None:
        server.should_exit = True

    # uvicorn raises the signal once more when it has ended; by then there is nothing to do
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)

    async def serve() -> None:
        watch = asyncio.create_task(_watch_parent(parent)) if options.exit_with_parent else None
        await server.serve(sockets=[listener])
        if watch:
            watch.cancel()

    sys.stdout.write(json.dumps(_address(config)) + "\n")
    sys.stdout.flush()
    asyncio.run(serve())
    return 0


def _address(config: SandboxConfig) -> dict[str, str]:
    return {
        "url": f"{config.base_url}/",
        "api_url": f"{config.base_url}/api/",
        **{name: getattr(config, name) for name in _SECRETS},
    }


def _command(text: str) -> Command:
    name, _, rest = text.partition("=")
    description, _, hint = rest.partition("|")
    return Command(name if name.startswith("/") else f"/{name}", description.strip(), hint.strip())


def _shortcut(text: str, *, of_message: bool) -> Shortcut:
    callback_id, _, title = text.partition("=")
    return Shortcut(callback_id.strip(), title.strip() or callback_id.strip(), of_message)


async def _watch_parent(parent: int) -> None:
    """Ends this process like a SIGTERM when its parent is gone."""
    if hasattr(os, "pidfd_open") and os.getppid() == parent:
        gone = asyncio.Event()
        loop = asyncio.get_running_loop()
        handle = os.pidfd_open(parent)
        loop.add_reader(handle, gone.set)
        try:
            if os.getppid() == parent:
                await gone.wait()
        finally:
            loop.remove_reader(handle)
            os.close(handle)
    else:
        while os.getppid() == parent:
            await asyncio.sleep(_PARENT_LOOK_S)
    signal.raise_signal(signal.SIGTERM)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m slack_sandbox", description="A local Slack in one process.")
    parser.add_argument(
        "--host", default="127.0.0.1", help="listens here; requests may name this, localhost or 127.0.0.1 only"
    )
    parser.add_argument("--port", type=int, default=8065, help="0 takes a free one")
    parser.add_argument("--app-name", default="app", help="the app's display name and handle")
    parser.add_argument(
        "--command",
        action="append",
        default=[],
        metavar="/NAME[=DESCRIPTION[|HINT]]",
        help="a slash command of the app; may be repeated",
    )
    parser.add_argument(
        "--shortcut", action="append", default=[], metavar="CALLBACK_ID=TITLE", help="a global shortcut; repeatable"
    )
    parser.add_argument(
        "--message-shortcut",
        action="append",
        default=[],
        metavar="CALLBACK_ID=TITLE",
        help="a shortcut in the menu of every message; repeatable",
    )
    parser.add_argument("--events-url", default="", help="send events here, signed, instead of over Socket Mode")
    parser.add_argument("--interactivity-url", default="")
    parser.add_argument("--commands-url", default="")
    parser.add_argument("--signing-secret", default="")
    parser.add_argument("--bot-token", default="")
    parser.add_argument("--app-token", default="")
    parser.add_argument("--client-id", default="")
    parser.add_argument("--client-secret", default="")
    parser.add_argument(
        "--scope", action="append", default=[], help="a scope of the bot token; repeatable; all when none is named"
    )
    parser.add_argument("--ack-timeout", type=float, default=3.0, metavar="SECONDS")
    parser.add_argument("--exit-with-parent", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
