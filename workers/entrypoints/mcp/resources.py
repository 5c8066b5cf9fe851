"""Resources over MCP: the texts that families bring, listed page by page and read without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

from mcp_types import ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from workers.access.policy import ALONE, asker_named
from workers.access.sources import OWN
from workers.bootstrap import Oracle
from workers.errors import ToolArgumentError
from workers.ports import ServedTexts
from workers.settings.contributions import find_contributions, load_usable
from workers.toolkit.serving import Serving

PAGE, MOST_CHARS = 200, 400_000
MARKDOWN = "text/markdown"
Texts = Sequence[ServedTexts]


def open_texts(oracle: Oracle) -> tuple[ServedTexts, ...]:
    """All that families bring."""
    serving = Serving(oracle.settings, oracle.store.database)
    return tuple(open_served(serving) for _, open_served in load_usable(find_contributions("resources")))


def texts_seen(oracle: Oracle, texts: Texts, user: str) -> Texts:
    """The kinds of texts that a person may read: their own, and those of sources that the policy gives them; of a kind
    that does not say what it is, nobody may under a policy."""
    allowed = oracle.access.allowed(asker_named(user), ALONE)
    if allowed is None:
        return texts
    shown = {OWN, *allowed.sources}
    return [one for one in texts if getattr(one, "source", "") in shown]


def list_templates(texts: Texts) -> list[ResourceTemplate]:
    """How the addresses of each kind are written."""
    return [
        ResourceTemplate(
            name=one.name,
            title=one.title,
            uri_template=one.template,
            description=one.description,
            mime_type=MARKDOWN,
        )
        for one in sorted(texts, key=lambda one: one.name)
    ]


def list_resources(texts: Texts, user: str, cursor: str | None) -> tuple[list[Resource], str | None]:
    """A page of what a person may read, one kind after the other.

    Raises:
        ToolArgumentError: there is no such page.
        ToolUnavailable, StoreUnavailable: something cannot be read.

    Returns: the page, and the cursor of the next one.
    """
    if cursor is not None and not (cursor.isdecimal() and len(cursor) < 8):
        raise ToolArgumentError(f"cursor: there is no page {cursor[:40]!r}")
    skip = int(cursor or 0)
    page: list[Resource] = []
    before = 0
    for one in texts:
        listed, total = one.page(user, max(skip - before, 0), PAGE - len(page))
        page += [
            Resource(
                name=text.name,
                uri=f"{one.scheme}{quote(text.id)}",
                description=text.description or None,
                mime_type=MARKDOWN,
            )
            for text in listed
        ]
        before += total
    after = skip + PAGE
    return page, str(after) if after < before else None


def read_resource(oracle: Oracle, texts: Texts, user: str, uri: str) -> ReadResourceResult:
    """A text, without secrets.

    Raises:
        ToolArgumentError: there is no such text.
        ToolUnavailable, StoreUnavailable: it cannot be read.
    """
    found = next((one for one in texts if uri.startswith(one.scheme)), None)
    if found is None:
        known = " and ".join(sorted(f"{one.scheme}…" for one in texts))
        raise ToolArgumentError(f"there is no resource {uri[:200]!r}; there are {known}")
    text = found.read(user, unquote(uri.removeprefix(found.scheme)))
    clean = oracle.toolbox.redactor.text(text[:MOST_CHARS])
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=clean, mime_type=MARKDOWN)])
