"""web_search and web_fetch: pages of the web, found and read, within what the configuration lets be reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from workers.contracts import ToolOutput, rfc3339
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.language.token_count import count_tokens
from workers.ports import ToolContext
from workers.sources.connections.saved_page_index import SavedPageIndex
from workers.sources.evidence.web_evidence import page_evidence, result_evidence
from workers.sources.web.address_rules import AddressRules, make_rules
from workers.sources.web.addresses import read_web_address
from workers.sources.web.page_reading import read_page
from workers.sources.web.passages import best_passages, cut_text, shown_passage
from workers.sources.web.saved_pages import SavedPage
from workers.sources.web.search_apis import SearchServer, WebResult
from workers.toolkit.tool import Resources, Tool, ToolArgs

if TYPE_CHECKING:
    from workers.sources.web.page_fetch import PageFetcher

LOCAL = "web.local-index"
LEAST_TOKENS, MOST_TOKENS = 100, 4_000


class SearchOptions(BaseModel):
    """Options of ``web_search`` in ``config/tools.yaml``.

    ``provider``: ``local`` searches the pages that are saved here, ``brave`` a server with the API of Brave Search,
    ``searxng`` one that runs SearXNG. ``url``: its address; empty: Brave's own. ``token``: Brave's subscription token.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Literal["local", "brave", "searxng"] = "local"
    url: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    token: str = ""


class FetchOptions(BaseModel):
    """Options of ``web_fetch`` in ``config/tools.yaml``.

    ``ports``, ``allow_hosts``, ``allow_networks``: what may be reached beside public addresses, as
    `sources.web.address_rules.AddressRules` says. ``proxy``: the address of one that connects in our place. A page is
    fetched again after ``fresh_s``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ports: tuple[int, ...] = (80, 443, 8080, 8443)
    allow_hosts: tuple[str, ...] = ()
    allow_networks: tuple[str, ...] = ()
    proxy: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    most_bytes: int = Field(5_000_000, ge=10_000, le=50_000_000)
    total_s: float = Field(15, ge=0.1, le=100)
    pause_s: float = Field(1, ge=0, le=60)
    redirects: int = Field(5, ge=0, le=20)
    fresh_s: int = Field(3_600, ge=0, le=2_592_000)

    @model_validator(mode="after")
    def readable(self) -> FetchOptions:
        """Raises: ValueError: a host or a network cannot be read."""
        self.rules()
        return self

    def rules(self) -> AddressRules:
        """Which addresses may be reached."""
        return make_rules(self.ports, self.allow_hosts, self.allow_networks)

    def fetcher(self) -> PageFetcher:
        """Who fetches within them."""
        from workers.sources.web.page_fetch import FetchLimits, PageFetcher  # noqa: PLC0415 - large, seldom needed

        limits = FetchLimits(self.most_bytes, self.total_s, self.pause_s, self.redirects)
        return PageFetcher(self.rules(), limits, self.proxy)


def said(value: str) -> str:
    """A text with something in it. Raises: ValueError."""
    if not value.strip():
        raise ValueError("is empty")
    return value.strip()


class SearchArgs(ToolArgs):
    """What to look for."""

    query: Annotated[str, AfterValidator(said)] = Field(max_length=1_000, description="words, or a question")
    limit: int = Field(5, ge=1, le=10, description="how many pages")


class FetchArgs(ToolArgs):
    """Which page, and how much of it."""

    url: Annotated[str, AfterValidator(said)] = Field(max_length=2_000, description="https://docs.example.org/guide")
    tokens: int = Field(1_000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="the longest part that is returned")
    offset: int = Field(0, ge=0, le=100_000_000, description="next_offset of an earlier call, to read on")
    question: str = Field("", max_length=1_000, description="return the passages that answer this, best first")


def build_web_search(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown or out of range."""
    chosen = SearchOptions.model_validate(options)
    if not resources.settings.shows("web:internet"):
        chosen = chosen.model_copy(update={"provider": "local"})
    search = WebSearch(chosen, resources.shared(SavedPageIndex))
    return Tool(
        name="web_search",
        purpose="search the web",
        description="Find web pages by words or a question: title, address, a snippet, and the date where it is known. "
        "A snippet is a part of a page: read the page with web_fetch before resting on it.",
        access="read",
        args=SearchArgs,
        run=search.run,
        ping=search.ping,
        prepare=search.prepare,
    )


def build_web_fetch(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown or out of range."""
    fetch = WebFetch(FetchOptions.model_validate(options), resources.shared(SavedPageIndex))
    return Tool(
        name="web_fetch",
        purpose="read a web page",
        description="Read a web page, PDF or text file on the web as plain text: its first part, the part at an "
        "offset, or the passages that answer a question.",
        access="read",
        args=FetchArgs,
        run=fetch.run,
        ping=fetch.ping,
    )


class WebSearch:
    """A tool's state: who searches, and the pages that are saved here."""

    def __init__(self, options: SearchOptions, index: SavedPageIndex) -> None:
        self.index = index
        local = options.provider == "local"
        self.server = None if local else SearchServer(options.provider, options.url, options.token)

    def prepare(self) -> None:
        """Open the index, when it is the one that is asked. Raises: ToolUnavailable."""
        if self.server is None:
            self.index.warmer.prepare()

    def run(self, args: SearchArgs, context: ToolContext) -> ToolOutput:
        """Answer one call.

        Returns: ``data = {"results": [{"title", "url", "snippet", "published"}], "provider"}``.

        Raises:
            ToolUnavailable: who searches is not configured, or does not answer.
        """
        del context
        if self.server is None:
            return self.local(args)
        found = self.server.search(args.query, args.limit)
        return shown(found, self.server.name, f"{self.server.name} finds no page for {args.query[:80]!r}")

    def local(self, args: SearchArgs) -> ToolOutput:
        """What the saved pages hold."""
        if not self.index.shelf.sources:
            reason = "no web page is saved here, and no search server is configured (options of web_search)"
            return ToolOutput(status="empty", reason=reason)
        found, survey, problems = self.index.search(args.query, args.limit)
        words = ", ".join((survey.missing or survey.absent)[:5]) or repr(args.query[:80])
        nothing = "; ".join((f"no saved page mentions {words}", *problems))
        return shown(found, LOCAL, nothing, "; ".join(problems))

    def ping(self) -> str:
        """Who searches, and whether that works. Raises: ToolUnavailable: it does not."""
        if self.server is None:
            return f"{LOCAL}: {self.index.describe()}"
        self.server.search("status", 1)
        return f"{self.server.name} answers"


def shown(found: list[WebResult], provider: str, nothing: str, note: str = "") -> ToolOutput:
    """Results as a tool's output; ``nothing``: why there are none."""
    data = {"results": [asdict(result) for result in found], "provider": provider}
    if not found:
        return ToolOutput(status="empty", reason=nothing, data=data)
    return ToolOutput(
        summary=f"{len(found)} page{'s' * (len(found) > 1)} by {provider}, first {found[0].title[:120]}",
        data=data,
        evidence=tuple(result_evidence(result, provider, rank) for rank, result in enumerate(found, 1)),
        reason=note,
    )


class WebFetch:
    """A tool's state: who fetches, and the pages that are saved here."""

    def __init__(
        self,
        options: FetchOptions,
        index: SavedPageIndex,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.options, self.index, self.now = options, index, now
        self.lock = Lock()
        self.opened: PageFetcher | None = None

    @property
    def fetcher(self) -> PageFetcher:
        """Who fetches, made when the first page is asked for: reading whose certificates are trusted takes a while."""
        with self.lock:
            if self.opened is None:
                self.opened = self.options.fetcher()
            return self.opened

    def run(self, args: FetchArgs, context: ToolContext) -> ToolOutput:
        """Answer one call.

        Returns: ``data = {"url", "title", "published", "fetched_at", "offset", "length", "next_offset", "tokens"}``,
        where ``next_offset`` is null at the end of the page and with a question.

        Raises:
            ToolArgumentError: the address is none, or there is no such page, or nothing at the offset.
            ToolDenied: it may not be read.
            ToolUnavailable: it cannot be read.
        """
        del context
        page, note = self.page(args)
        if args.question.strip():
            return self.answering(page, args, note)
        if args.offset and args.offset >= len(page.text):
            raise ToolArgumentError(f"offset {args.offset} is behind the end of the page, {len(page.text)} characters")
        cut = cut_text(page.text, args.offset, args.tokens)
        after = cut.next_offset
        left = f"{len(page.text) - after} characters are left, from offset {after}" if after else ""
        return self.output(page, cut.text, (cut.offset, cut.next_offset), "; ".join(filter(None, (left, note))))

    def page(self, args: FetchArgs) -> tuple[SavedPage, str]:
        """A page as it is, or as it was kept, and what is to be said of that."""
        if args.url.startswith("file://") and (own := self.index.read(args.url)):
            return own, ""
        address = str(read_web_address(args.url))
        kept = self.index.saved.load(address)
        if kept and (args.offset or self.age(kept) < timedelta(seconds=self.options.fresh_s)):
            return kept, ""
        try:
            return self.fetched(address), ""
        except (ToolUnavailable, ToolDenied) as error:
            known = kept or self.index.read(address)
            if known is None:
                raise
            return known, f"as it was saved at {known.fetched_at}: {error}"

    def age(self, page: SavedPage) -> timedelta:
        """How long ago a page was fetched."""
        return self.now() - datetime.fromisoformat(page.fetched_at)

    def fetched(self, address: str) -> SavedPage:
        """A page from its site, which is then kept."""
        found = self.fetcher.fetch(address)
        text = read_page(found.url, found.content_type, found.body)
        page = SavedPage(found.url, text.title, text.text, rfc3339(self.now()), text.published)
        self.index.saved.save(address, page, found.body, text.suffix)
        return page

    def answering(self, page: SavedPage, args: FetchArgs, note: str) -> ToolOutput:
        """The passages of a page that answer a question."""
        found = best_passages(page.text, args.question, args.tokens)
        if not found:
            cut = cut_text(page.text, 0, args.tokens)
            why = "no passage of it holds a word of the question; this is how it begins"
            return self.output(page, cut.text, (cut.offset, cut.next_offset), "; ".join(filter(None, (why, note))))
        text = "\n\n".join(shown_passage(page.text, passage) for passage in found)
        return self.output(page, text, (found[0].start, None), note)

    def output(self, page: SavedPage, text: str, place: tuple[int, int | None], note: str) -> ToolOutput:
        """A part of a page as a tool's output."""
        offset, after = place
        about = {key: value for key, value in asdict(page).items() if key != "text"}
        size = count_tokens(text)
        return ToolOutput(
            summary=f"{page.title[:150]} ({page.url}), {size} tokens of {count_tokens(page.text)}",
            data={**about, "offset": offset, "length": len(page.text), "next_offset": after, "tokens": size},
            evidence=(page_evidence(page, text, (offset, len(page.text))),),
            reason=note,
        )

    def ping(self) -> str:
        """What may be reached."""
        ports = ", ".join(map(str, self.options.ports))
        more = ", ".join((*self.options.allow_hosts, *self.options.allow_networks))
        return f"public addresses at ports {ports}{f'; also {more}' if more else ''}"
