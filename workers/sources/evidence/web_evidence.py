"""Pages of the web as evidence: what a search found of them, and what they say."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from workers.contracts import Evidence, Fact
from workers.sources.web.saved_pages import SavedPage
from workers.sources.web.search_apis import WebResult


def result_evidence(result: WebResult, provider: str, rank: int) -> Evidence:
    """What a search shows of a page. Facts: title, url, site, provider, rank; published where it is known."""
    facts = {
        **page_facts(result.title, result.url, result.published),
        "provider": Fact(value=provider, entity=result.url),
        "rank": Fact(value=rank, unit="count", entity=result.url),
    }
    return Evidence(
        kind="web", title=result.title, locator=result.url, url=result.url, excerpt=result.snippet, facts=facts
    )


def page_evidence(page: SavedPage, excerpt: str, part: tuple[int, int]) -> Evidence:
    """A part of a page. Facts: title, url, site, fetched_at, offset, length; published where it is known.

    Args:
        page: as it was fetched.
        excerpt: what is shown of it.
        part: where that begins, and how long the whole text is, in characters.
    """
    offset, length = part
    at = datetime.fromisoformat(page.fetched_at)
    facts = {
        **page_facts(page.title, page.url, page.published),
        "fetched_at": Fact(value=page.fetched_at, unit="time", entity=page.url, at=at),
        "offset": Fact(value=offset, unit="count", entity=page.url),
        "length": Fact(value=length, unit="count", entity=page.url),
    }
    return Evidence(
        kind="web", title=page.title, locator=page.url, url=page.url, excerpt=excerpt, facts=facts, observed_at=at
    )


def page_facts(title: str, url: str, published: str) -> dict[str, Fact]:
    """What a page is."""
    facts = {
        "title": Fact(value=title, entity=url),
        "url": Fact(value=url, unit="url", entity=url),
        "site": Fact(value=urlsplit(url).netloc or "this machine", entity=url),
    }
    if published:
        facts["published"] = Fact(value=published, unit="time" if "T" in published else "text", entity=url)
    return facts
