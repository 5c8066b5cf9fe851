"""What ``config/oracle.yaml`` says of a home."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from workers.settings.load import Settings
from workers.settings.schema import WEB_ADDRESS, Section, listed
from workers.settings.source_kinds import SourceKind, without_section

HomeLanguage = Annotated[str, Field(pattern=r"^[a-zA-Z]{2}([-_][a-zA-Z]{2,8})?$")]


class HomeRoutine(Section):
    """A scene or script that runs when somebody orders it by its name or one of its ``phrases``.

    ``entity``: its id in Home Assistant. It is run without a confirmation unless it touches a guarded domain.
    """

    entity: str = Field(pattern=r"^(scene|script)\.[a-z0-9_]+$")
    phrases: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()


class HomeAssistantSection(Section):
    """A Home Assistant. Without ``url`` and ``token`` there is none.

    ``timeout_ms``: of one request. ``keep_s``: how long the names of its entities are kept before they are read again.
    ``languages``: in which people ask, as Home Assistant names them.
    ``change_domains``: kinds of entities that may be changed, each time with a confirmation. ``routines``: what may run
    at once, by the name people call it.
    """

    url: str = Field("", pattern=WEB_ADDRESS)
    token: str = ""
    timeout_ms: int = Field(2_000, ge=10, le=60_000)
    keep_s: float = Field(60, ge=0, le=86_400)
    ca_file: str = ""
    insecure_skip_verify: bool = False
    languages: Annotated[tuple[HomeLanguage, ...], BeforeValidator(listed)] = ("en",)
    change_domains: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    routines: dict[str, HomeRoutine] = Field(default_factory=dict)

    @property
    def connected(self) -> bool:
        """Whether there is one."""
        return bool(self.url and self.token)


SECTIONS = {"home_assistant": HomeAssistantSection}


def shown_home(settings: Settings) -> Settings:
    """Settings without a home, where it may not be seen."""
    return settings if settings.shows("home:home_assistant") else without_section(settings, "home_assistant")


SOURCES = {"home": SourceKind(lambda _: ("home_assistant",), shown_home)}
