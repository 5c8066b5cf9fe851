"""What ``config/oracle.yaml`` says of the files of an incident."""

from __future__ import annotations

from workers.settings.load import Settings
from workers.settings.schema import NamedPath
from workers.settings.source_kinds import SourceKind, without_section

SECTIONS = {"bundle": NamedPath}


def incident_folder(settings: Settings) -> str:
    """The folder with the files of an incident, or of alerts; empty when none is named."""
    found: str = settings.tree.sections.get("bundle", "")
    return found


def shown_files(settings: Settings) -> Settings:
    """Settings without an incident's files, where they may not be seen."""
    return settings if settings.shows("incident:files") else without_section(settings, "bundle")


SOURCES = {"incident": SourceKind(lambda _: ("files",), shown_files)}
