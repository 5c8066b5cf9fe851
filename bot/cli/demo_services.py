"""The demo team's home and NetBox: servers of their own, as long as a command runs whose tools may ask them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

from bot.cli.ports import LOOPBACK, is_free
from workers.settings.load import Settings

DEMO = "demo"
"""The environment that `oracle demo` configures."""


@contextmanager
def demo_services(settings: Settings) -> Iterator[None]:
    """Serve what the demo's configuration names, unless another command does already; nothing outside the demo."""
    home, netbox = settings.tree.sections["home_assistant"], settings.tree.sections["netbox"]
    with ExitStack() as stack:
        if settings.core.environment == DEMO:
            modules = {entry.module.partition("_")[0] for entry in settings.tree.tools.values() if entry.on}
            with suppress(OSError):  # another command was faster
                if "home" in modules and (port := port_to_serve(home.url)):
                    from examples.home_assistant.server import serve_home  # a web framework, for the demo alone

                    stack.enter_context(serve_home(settings.home / "demo" / "home.json", port, home.token))
                if "netbox" in modules and (port := port_to_serve(netbox.url)):
                    from examples.network.netbox import serve_netbox

                    stack.enter_context(serve_netbox(port, netbox.token))
        yield


def port_to_serve(address: str) -> int:
    """The port of an address on this machine where nobody listens; 0 when there is none."""
    found = urlsplit(address)
    return found.port if found.hostname == LOOPBACK and found.port and is_free(LOOPBACK, found.port) else 0
