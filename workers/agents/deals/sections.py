"""Deals have no section of ``oracle.yaml``; what a policy calls them stands here."""

from __future__ import annotations

from typing import Any

from workers.settings.source_kinds import SourceKind

SECTIONS: dict[str, Any] = {}
SOURCES = {"deals": SourceKind(lambda _: ("book",))}
