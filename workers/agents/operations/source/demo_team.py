"""The invented team that `workers.agents.operations.source.demo_requests` fills a database with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """``p50_ms`` of an answer on the middle backend, its spread (sigma of a lognormal), score, US dollars a request."""

    name: str
    provider: str
    context: int
    p50_ms: float
    spread: float
    score: float
    cost_usd: float
    weight: float
    flags: tuple[bool, bool, bool] = (True, True, True)


MODELS = (
    Model("heron-large", "Aviary", 200_000, 540, 0.34, 0.88, 0.0140, 9),
    Model("heron-mini", "Aviary", 128_000, 210, 0.30, 0.78, 0.0012, 16),
    Model("kestrel-70b", "Open Weights", 32_768, 610, 0.40, 0.81, 0.0052, 7, (True, True, False)),
    Model("kestrel-8b", "Open Weights", 32_768, 170, 0.33, 0.69, 0.0005, 11, (True, False, False)),
    Model("lumen-pro", "Lumen Labs", 256_000, 680, 0.36, 0.90, 0.0180, 8),
    Model("lumen-flash", "Lumen Labs", 256_000, 190, 0.28, 0.76, 0.0009, 18),
    Model("quartz-code", "Stratum", 64_000, 480, 0.38, 0.84, 0.0075, 8),
    Model("sable-vision", "Stratum", 64_000, 820, 0.42, 0.80, 0.0110, 4, (True, False, True)),
    Model("tern-translate", "Northlight", 16_384, 260, 0.27, 0.86, 0.0021, 5, (False, False, False)),
    Model("wren-reason", "Northlight", 128_000, 760, 0.45, 0.89, 0.0210, 5, (True, True, False)),
)

BACKENDS = (
    # id, provider, region, type, how much slower than the middle
    ("north-gpu", "own cluster", "eu-north-1", "vllm", 1.10),
    ("east-cloud", "Cirrus Cloud", "us-east-1", "managed", 1.00),
    ("west-edge", "Cirrus Cloud", "us-west-2", "tgi", 0.92),
)

DEPLOYED = (
    # model and backend; weights split a model's traffic
    ("heron-large", "east-cloud", 0.6),
    ("heron-large", "west-edge", 0.4),
    ("heron-mini", "north-gpu", 0.3),
    ("heron-mini", "east-cloud", 0.4),
    ("heron-mini", "west-edge", 0.3),
    ("kestrel-70b", "north-gpu", 0.7),
    ("kestrel-70b", "east-cloud", 0.3),
    ("kestrel-8b", "north-gpu", 0.5),
    ("kestrel-8b", "west-edge", 0.5),
    ("lumen-pro", "east-cloud", 0.7),
    ("lumen-pro", "west-edge", 0.3),
    ("lumen-flash", "north-gpu", 0.2),
    ("lumen-flash", "east-cloud", 0.5),
    ("lumen-flash", "west-edge", 0.3),
    ("quartz-code", "north-gpu", 0.5),
    ("quartz-code", "east-cloud", 0.5),
    ("sable-vision", "north-gpu", 0.4),
    ("sable-vision", "east-cloud", 0.6),
    ("tern-translate", "west-edge", 1.0),
    ("wren-reason", "north-gpu", 0.4),
    ("wren-reason", "east-cloud", 0.6),
)

TIERS = (
    # id, p95 that is promised, window, error rate, timeout rate
    ("premium", 500.0, 300, 0.01, 0.005),
    ("standard", 900.0, 300, 0.02, 0.01),
    ("budget", 1500.0, 600, 0.05, 0.02),
)

USERS = (
    # id, tier, dollars a day, latency of its own, error rate of its own, dollars a request of its own, share of traffic
    ("checkout-assistant", "premium", 900.0, 450.0, None, None, 16),
    ("support-desk", "premium", 700.0, None, 0.008, None, 15),
    ("fraud-review", "premium", 400.0, None, None, None, 9),
    ("catalog-writer", "standard", 500.0, None, None, 0.05, 13),
    ("code-review", "standard", 600.0, None, None, None, 12),
    ("docs-search", "standard", 300.0, None, None, None, 11),
    ("sales-mail", "standard", 250.0, None, None, None, 8),
    ("nightly-labels", "budget", 120.0, 3000.0, None, 0.01, 7),
    ("translation-batch", "budget", 90.0, None, None, None, 5),
    ("intern-sandbox", "budget", 15.0, None, None, None, 4),
)

TASKS = (("chat", 34), ("summarize", 20), ("extract", 16), ("code", 14), ("classify", 10), ("translate", 6))
ERRORS = (("upstream_5xx", 5), ("rate_limited", 3), ("context_too_long", 1), ("content_filter", 1))
STRATEGIES = ("lowest_latency", "lowest_cost", "best_quality", "sticky_session")
EVALS = (("helpfulness", 5), ("faithfulness", 3), ("format", 2))


@dataclass(frozen=True)
class Trouble:
    """An incident: when it began and how long it lasts, as shares of the days and in minutes; none: it still lasts."""

    kind: str
    target: str
    title: str
    began: float
    minutes: float | None
    slower: float
    errors: float
    timeouts: float = 0.0
    worse: float = 0.0


TROUBLES = (
    Trouble("backend", "west-edge", "Packet loss between us-west-2 and the gateway", 0.09, 55, 1.8, 0.05, 0.03),
    Trouble("deployment", "heron-mini/north-gpu", "Requests queue up after a node was drained", 0.21, 95, 2.4, 0.01),
    Trouble("model", "quartz-code", "Scores of quartz-code dropped after its update", 0.34, 240, 1.0, 0.0, 0.0, 0.28),
    Trouble("deployment", "lumen-pro/east-cloud", "Rate limits of the provider exceeded", 0.46, 40, 1.1, 0.22),
    Trouble("backend", "north-gpu", "GPU driver update restarts the workers", 0.58, 30, 1.6, 0.12, 0.06),
    Trouble("deployment", "sable-vision/east-cloud", "Image requests time out", 0.71, 70, 2.1, 0.02, 0.18),
    Trouble(
        "model", "kestrel-70b", "Elevated latency of kestrel-70b after the context was doubled", 0.86, 130, 2.2, 0.01
    ),
    Trouble(
        "deployment",
        "lumen-flash/east-cloud",
        "Elevated latency and errors on lumen-flash/east-cloud",
        1.0,
        None,
        3.0,
        0.09,
        0.02,
    ),
)
ACTIVE_MINUTES = 100.0
