"""What ``config/oracle.yaml`` says of the vault."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from workers.settings.load import Settings
from workers.settings.schema import Section
from workers.settings.source_kinds import SourceKind


class VaultSection(Section):
    """The folder of Markdown notes that Oracle reads and keeps in order; ``path`` empty: ``ORACLE_HOME/vault``."""

    MADE: ClassVar[bool] = True

    path: str = ""


SECTIONS = {"vault": VaultSection}


def vault_folder(settings: Settings) -> Path:
    """The folder of notes."""
    path = settings.section(VaultSection).path
    return (Path(path).expanduser() if path else settings.home / "vault").resolve()


SOURCES = {"notes": SourceKind(lambda _: ("vault",))}
