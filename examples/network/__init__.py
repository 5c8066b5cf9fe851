"""An invented office network: what its sensor wrote in the last days, and a stand-in for its NetBox."""

from examples.network.eve import build_network
from examples.network.netbox import serve_netbox

__all__ = ["build_network", "serve_netbox"]
