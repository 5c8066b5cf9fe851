"""What the scenarios share: services, pods, versions and a span of time, and what a question must be answered with."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from bench.metrics.dialects import DIALECTS, Dialect, digest, half_of
from bench.metrics.world import DAY_S, STEP_S, Cell, Habit, World
from bench.metrics.write import instance_of

HOUR_S = 3600
MIDNIGHT = int(datetime(2026, 11, 2, tzinfo=UTC).timestamp())  # a Monday
SPANS_S = {"6h": 30 * HOUR_S, "24h": 50 * HOUR_S, "7d": 15 * DAY_S}
WINDOWS_S = {"6h": 6 * HOUR_S, "24h": DAY_S, "7d": 7 * DAY_S}
ENDPOINTS = {
    "path": ("/v2/basket", "/v2/quotes", "/api/lookup", "/api/profile", "/v1/price", "/media/thumb"),
    "verb": ("GET /v1/items", "POST /v1/orders", "GET /v1/reviews", "PUT /v1/address", "GET /v1/stock/{id}"),
    "rpc": ("Catalog/Browse", "Catalog/Fetch", "Pricing/Quote", "Ledger/Append", "Accounts/Resolve"),
    "dotted": ("catalog.find", "basket.add", "payment.capture", "session.refresh", "report.render"),
    "task": ("resize-image", "send-invoice", "rebuild-feed", "score-fraud", "sync-partner"),
    "template": ("/api/orders/{orderId}", "/api/basket", "/api/customers/{id}/profile", "/api/prices/{sku}", "/quotes"),
    "route": ("api/orders/{id}", "api/basket", "api/reviews", "api/catalog/search", "Account/Profile"),
    "method": ("BrowseCatalog", "FetchQuote", "AppendEntry", "ResolveAccount", "CapturePayment"),
    "module": tuple(f"shop.tasks.{t}" for t in ("resize_image", "send_invoice", "feed.rebuild", "score_fraud", "sync")),
    "spanish": ("/api/cesta", "/api/pedidos", "/v1/precios", "/cuenta/perfil", "/catalogo/buscar"),
}
SERVICES = ("storefront", "billing", "catalog-core", "fulfilment", "identity", "pricing-engine", "media-hub", "ledger")
REGIONS = (("fra1", "ams2", "waw1"), ("eu-north-1b", "eu-north-1c", "eu-north-1a"), ("tokyo", "osaka", "seoul"))
Missing = Literal["", "gap", "ended", "zero", "reset"]
NAMED: ContextVar[tuple[Dialect, ...]] = ContextVar("NAMED", default=())


@dataclass(frozen=True)
class Truth:
    """What happened to what was asked for.

    ``onset``: epoch seconds of the first scrape that can show it, None when nothing changed; ``ramp``: a drift's
    beginning and end, instead of an onset; ``culprit``: label values that are right, empty when no single one is;
    ``first``: the role that moved first; ``missing``: samples that are not there, or a zero that is real.
    """

    onset: float | None = None
    ramp: tuple[float, float] | None = None
    direction: Literal["", "rose", "fell"] = ""
    culprit: frozenset[str] = frozenset()
    first: str = ""
    first_onset: float = 0.0
    missing: Missing = ""

    @property
    def quiet(self) -> bool:
        """Whether an alarm would be false."""
        return self.onset is None and self.ramp is None


@dataclass(frozen=True)
class Ask:
    """One question, with names as a person says them (``endpoint``, ``service``), and its truth."""

    metric: str
    filters: Mapping[str, str]
    window: str
    truth: Truth = Truth()

    @property
    def query(self) -> str:
        """The structured string that metrics_query takes."""
        told = (f'{k}="{v}"' if " " in v else f"{k}={v}" for k, v in self.filters.items())
        return " ".join([f"metric={self.metric}", f"window={self.window}", *told])


@dataclass
class Stage:
    """One generated day before anything happens in it."""

    scenario: str
    seed: int
    dialect: Dialect
    rng: np.random.Generator
    window: str
    now: float
    world: World
    asks: list[Ask] = field(default_factory=list)

    @property
    def service(self) -> str:
        """The one that is asked about."""
        return self.world.cells[0].service

    @property
    def endpoints(self) -> list[str]:
        """Of that service, the busiest first."""
        return list(dict.fromkeys(c.endpoint for c in self.world.cells if c.service == self.service))

    def moment(self, latest_h: float = 0.75) -> float:
        """A moment in the window, not too close to its ends, at any second."""
        length = WINDOWS_S[self.window]
        return self.now - float(self.rng.uniform(latest_h * HOUR_S, 0.75 * length))

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < p)

    def pick(self, *options: str) -> str:
        """One of them."""
        return options[int(self.rng.integers(len(options)))]

    def asked(self, metric: str, truth: Truth = Truth(), *, window: str = "", **filters: str) -> None:
        """Add a question; its truth is told by moments, and kept by the first scrapes after them."""
        if truth.onset is not None:
            first = self.shown(truth.first_onset) if truth.first else 0.0
            truth = replace(truth, onset=self.shown(truth.onset), first_onset=first)
        self.asks.append(Ask(metric, filters or {"service": self.service}, window or self.window, truth))

    def shown(self, moment: float) -> float:
        """The first scrape after a moment: none before it can show what happened."""
        return float(self.world.times[int(np.searchsorted(self.world.times, moment, side="right"))])

    def names_of(self, pod: str) -> frozenset[str]:
        """The values that all mean one pod."""
        cell = next(c for c in self.world.cells if c.pod == pod)
        return frozenset({pod, instance_of(cell)})


@dataclass(frozen=True)
class Size:
    """How large the service is that is asked about."""

    endpoints: int = 3
    pods: int = 3
    regions: int = 1
    versions: int = 1


@contextmanager
def spoken(named: tuple[Dialect, ...]) -> Iterator[None]:
    """Let stages be set in these dialects, in turn, on days of their own; without any, as usual."""
    token = NAMED.set(named)
    try:
        yield
    finally:
        NAMED.reset(token)


def dialect_of(scenario: str, seed: int, *, versioned: bool) -> Dialect:
    """The dialect of a variant: the next of its half, or of those that were named.

    Raises:
        ValueError: a version is asked for, and no dialect that was named has one on its requests.
    """
    half, named = half_of(scenario, seed), NAMED.get()
    fits = [d for d in named or DIALECTS if (named or d.half == half) and (d.versioned or not versioned)]
    if not fits:
        raise ValueError(f"{scenario}: none of the named dialects has versions on its requests")
    before = seed if named else sum(half_of(scenario, s) == half for s in range(seed))
    return fits[(digest("turn", scenario) + before) % len(fits)]


def set_stage(
    scenario: str, seed: int, size: Size, window: str, *, versioned: bool = False, habit: Habit | None = None
) -> Stage:
    """A service with its pods, two small other ones, and the time that the window needs.

    Args:
        scenario: its name, which seeds the random source together with the seed.
        seed: of the variant.
        size: of the service.
        window: one of `WINDOWS_S`.
        versioned: only dialects whose requests have a version will do.
        habit: how traffic goes up and down.
    """
    dialect = dialect_of(scenario, seed, versioned=versioned)
    own = [dialect.name] if NAMED.get() else []  # what is seen of it must not tell of a day that is held back
    rng = np.random.default_rng(digest("stage", scenario, seed, *own))
    now = MIDNIGHT + 14 * DAY_S + float(rng.integers(0, 5 * DAY_S))
    last = int(now) - int(rng.integers(1, STEP_S))
    count = SPANS_S[window] // STEP_S
    times = last - STEP_S * np.arange(count - 1, -1, -1, dtype=float)
    usual = Habit(
        amplitude=float(rng.uniform(0.2, 0.55)),
        peak_hour=float(rng.uniform(10, 21)),
        weekly=window == "7d",
        load_on_latency=float(rng.uniform(0, 0.1)),
        rate_noise=float(rng.uniform(0.02, 0.06)),
        latency_noise=float(rng.uniform(0.01, 0.03)),
    )
    world = World(times, [], rng, habit or usual, saturation=float(rng.uniform(0.2, 0.5)))
    world.cells = [*main_cells(rng, dialect, size), *other_cells(rng, dialect)]
    return Stage(scenario, seed, dialect, rng, window, now, world)


def main_cells(rng: np.random.Generator, dialect: Dialect, size: Size) -> list[Cell]:
    """The service that is asked about: every endpoint on every pod, every pod in one region with one version."""
    service = SERVICES[int(rng.integers(len(SERVICES)))]
    regions = REGIONS[int(rng.integers(len(REGIONS)))][: size.regions]
    versions = version_names(rng, size.versions)
    endpoints = rng.permutation(ENDPOINTS[dialect.style])[: size.endpoints].tolist()
    shares = np.sort(rng.dirichlet(np.full(size.endpoints, 4.0)))[::-1]
    total = float(np.exp(rng.uniform(np.log(15), np.log(150))))
    medians = np.exp(rng.uniform(np.log(0.02), np.log(0.25), size.endpoints))
    spread, errors = float(rng.uniform(0.4, 0.75)), np.exp(rng.uniform(np.log(0.0005), np.log(0.006), size.endpoints))
    pods = [pod_name(rng, service, i) for i in range(size.pods)]
    return [
        Cell(
            service,
            str(endpoint),
            pod,
            versions[i % len(versions)],
            regions[i % len(regions)],
            max(total * float(shares[e]), 2.0) / len(pods),
            float(medians[e]),
            spread,
            float(errors[e]),
        )
        for i, pod in enumerate(pods)
        for e, endpoint in enumerate(endpoints)
    ]


def other_cells(rng: np.random.Generator, dialect: Dialect) -> list[Cell]:
    """Two more services, one pod each, with the names of one endpoint shared by all."""
    out = []
    for service in ("gatehouse", "mailroom"):
        endpoint = ENDPOINTS[dialect.style][int(rng.integers(5))]
        pod = pod_name(rng, service, 0)
        out.append(Cell(service, f"{endpoint}-{service[:4]}", pod, "r1", "home", 3.0, 0.04, 0.5, 0.001))
    return out


def version_names(rng: np.random.Generator, count: int) -> list[str]:
    """Versions as a company writes them: numbers, dates or commits."""
    way, minor = int(rng.integers(3)), int(rng.integers(2, 40))
    if way == 0:
        return [f"v3.{minor + i}.{int(rng.integers(9))}" for i in range(count)]
    if way == 1:
        return [f"2026.11.{minor % 20 + i + 1:02d}-{int(rng.integers(1, 9))}" for i in range(count)]
    return ["".join(rng.choice(list("0123456789abcdef"), 8)) for _ in range(count)]


def pod_name(rng: np.random.Generator, service: str, number: int) -> str:
    """Pods as an orchestrator names them, or numbered."""
    letters = list(string.ascii_lowercase + string.digits)
    if number < 900 and service in SERVICES[::2]:
        return f"{service}-{number}"
    return f"{service}-{''.join(rng.choice(letters, 9))}-{''.join(rng.choice(letters, 5))}"
