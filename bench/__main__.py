"""``python -m bench NAME [ARGS]``: measures, and prints the rows that bench/README.md holds."""

from __future__ import annotations

import importlib
import sys

BENCHES = (
    "alert_payloads",
    "answers",
    "busy",
    "calendar",
    "changes",
    "causes",
    "channel_questions",
    "chaos",
    "claims",
    "code_symbols",
    "contexts",
    "deals",
    "documents",
    "flood",
    "ground",
    "home",
    "home_intents",
    "history",
    "incidents",
    "index",
    "injections",
    "investigations",
    "memory_kinds",
    "locomo",
    "logs",
    "metrics",
    "model",
    "network",
    "onsets",
    "operations",
    "orders",
    "places",
    "questions",
    "redaction",
    "replies",
    "rush",
    "speech_acts",
    "search",
    "served_tools",
    "sql",
    "web",
    "turns",
    "vault",
    "suite",
    "sync",
    "wordings",
    "writes",
)


def main() -> int:
    """Run one bench, or say which there are."""
    name, *args = sys.argv[1:] or [""]
    if name not in BENCHES:
        print(f"python -m bench NAME [ARGS]; NAME is one of {', '.join(BENCHES)}")
        return 2
    importlib.import_module(f"bench.{name}").main(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
