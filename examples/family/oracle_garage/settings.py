"""The section ``garage:`` of ``oracle.yaml``."""

from __future__ import annotations

from pydantic import Field

from workers.settings.schema import Section


class GarageSection(Section):
    """Where the garage's counters are read: a JSON file, or an address (``http://…``); empty: nowhere."""

    source: str = ""
    timeout_s: float = Field(2.0, gt=0, le=30)
