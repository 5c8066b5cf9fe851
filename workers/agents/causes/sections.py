"""What ``config/oracle.yaml`` says of the files of an incident."""

from __future__ import annotations

from workers.settings.load import Settings
from workers.settings.schema import NamedPath

SECTIONS = {"bundle": NamedPath}


def incident_folder(settings: Settings) -> str:
    """The folder with the files of an incident, or of alerts; empty when none is named."""
    found: str = settings.tree.sections.get("bundle", "")
    return found
