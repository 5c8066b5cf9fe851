"""``python -m bench metrics``: metrics_query against a real Prometheus filled with generated days (see ``run``)."""

from bench.metrics.run import main

__all__ = ["main"]
