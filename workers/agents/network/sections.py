"""What ``config/oracle.yaml`` says of a network: the logs of its sensors, and the record of its devices."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from workers.settings.load import Settings
from workers.settings.schema import NAMES_PATHS, WEB_ADDRESS, Section, listed
from workers.settings.source_kinds import SourceKind, without_section


class SuricataSection(Section):
    """Logs of Suricata, EVE as JSON lines: paths, with ``*`` and ``?`` for several, live ones, rotated ones, ``.gz``.

    ``sensor``: what a log is called whose events do not name their sensor. ``every_s``: how often they are looked at.
    ``kinds``: types of events that are kept beside alerts. Alerts are kept for ``alert_days``, connections for
    ``connection_days``, and when something was seen first for ``first_seen_days`` after it was seen last.
    """

    eve: Annotated[tuple[str, ...], BeforeValidator(listed), NAMES_PATHS] = ()
    sensor: str = Field("", max_length=200)
    every_s: float = Field(5, ge=1, le=3_600)
    kinds: tuple[str, ...] = ("flow", "dns", "tls", "http", "ssh", "quic", "rdp", "smb", "smtp", "drop")
    alert_days: float = Field(90, ge=1, le=3_650)
    connection_days: float = Field(14, ge=1, le=3_650)
    first_seen_days: float = Field(400, ge=1, le=3_650)


class NetboxSection(Section):
    """A NetBox, which is only read. ``token``: of version 1, or of version 2, which begins with ``nbt_``.

    ``page``: objects a request; ``most``: objects an answer may be counted from.
    """

    url: str = Field("", pattern=WEB_ADDRESS)
    token: str = ""
    timeout_ms: int = Field(700, ge=10, le=60_000)
    page: int = Field(200, ge=1, le=1_000)
    most: int = Field(1_000, ge=1, le=100_000)
    ca_file: str = ""


SECTIONS = {"suricata": SuricataSection, "netbox": NetboxSection}


def shown_network(settings: Settings) -> Settings:
    """Settings without sensors, or without the record of devices, where those may not be seen."""
    for name in SECTIONS:
        if not settings.shows(f"network:{name}"):
            settings = without_section(settings, name)
    return settings


SOURCES = {"network": SourceKind(lambda _: tuple(SECTIONS), shown_network)}
