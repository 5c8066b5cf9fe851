"""What is said of requests: one in full, and how many of some failed."""

from __future__ import annotations

from collections.abc import Iterator

from workers.contracts import Claim, Evidence
from workers.grounding.health import REQUESTS, number, text_of
from workers.grounding.lexicon import HEDGE
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import SERVED, Found, claim, in_span, is_wide
from workers.reasoning.request_counts import counted, said_span, sampled

FAILURES = ("error", "timeout")
AMOUNTS = (
    ("input_tokens", "Input tokens:"),
    ("output_tokens", "output tokens:"),
    ("cost_usd", "cost in USD:"),
    ("ttft", "TTFT:"),
)


def say_request(item: Evidence) -> str:
    """``req_1 on lumen/east at 14:06 ended with status error (upstream_5xx) after 1.2 s``."""
    k = item.id
    code = f" ({{{k}.error_code}})" if has(item, "error_code") else ""
    took = f" after {{{k}.latency}}" if has(item, "latency") else ""
    at = f" at {{{k}.created_at}}" if has(item, "created_at") else ""
    return f"Request {{{k}.request}} to {{{k}.deployment}}{at} has status {{{k}.status}}{code}{took}"


def request_lines(item: Evidence | None) -> tuple[Claim, ...]:
    """One request with its details."""
    if item is None:
        return ()
    return (claim(f"{say_request(item)}.", item), *(claim(line, item) for line in say_details(item)))


def say_details(item: Evidence) -> Iterator[str]:
    """Who sent it, what it cost, how it was routed, how it was scored."""
    k = item.id
    if has(item, "user"):
        tier = f" (tier {{{k}.tier}})" if has(item, "tier") else ""
        task = f", task {{{k}.task_type}}" if has(item, "task_type") else ""
        yield f"It is of user {{{k}.user}}{tier}{task}."
    if amounts := [f"{words} {{{k}.{name}}}" for name, words in AMOUNTS if has(item, name)]:
        yield f"{'; '.join(amounts)}."
    names = [n for n in item.facts if n.startswith("routing_") and not HEDGE.search(n.replace("_", " "))][:4]
    if names:
        routing = [f"{name.removeprefix('routing_').replace('_', ' ')} {{{k}.{name}}}" for name in names]
        yield f"Routing: {', '.join(routing)}."
    if has(item, "quality_score"):
        by = f" by {{{k}.eval_type}}" if has(item, "eval_type") else ""
        yield f"Its quality score{by} is {{{k}.quality_score}}."


def say_failures(item: Evidence) -> str:
    """``3 errors in 1,114 requests (0.27 %) on lumen/east``: of the whole time, however many of them are listed."""
    k = item.id
    served = [f"{{{k}.{name}}}" for name in SERVED if has(item, name)]
    on = f" on {' on '.join(served)}" if served else ""
    whose = "".join(f" of {name} {{{k}.{name}}}" for name in ("user", "tier") if has(item, name))
    of = f" in {sampled(item, 'request_count')}{on}{whose}"
    status = text_of(item, "status_filter")
    share = f" ({{{k}.{status}_rate}})" if number(item, f"{status}_rate") else ""
    if status in FAILURES:
        return f"{counted(item, f'all_{status}_count', status)}{share}{of}"
    rate = f" (error rate {{{k}.error_rate}})" if number(item, "error_rate") else ""
    both = f"{counted(item, 'all_error_count', 'error')} and {counted(item, 'all_timeout_count', 'timeout')}"
    return f"{both}{of}{rate}"


def request_claims(found: Found, beside: Evidence | None = None) -> tuple[Claim, ...]:
    """How many of all failed, with the time unless ``beside`` is of the same; the slowest of the newest."""
    item = found.requests
    if item is None or not has(item, "count", "latency_p95", "request_count"):
        return ()
    k = item.id
    slow = f"; slowest: {{{k}.slowest_request}} with {{{k}.latency_max}}" if has(item, "slowest_request") else ""
    newest = claim(in_span(item, f"The newest requests: p95 latency {{{k}.latency_p95}}{slow}."), item)
    failed = f"{say_failures(item)}{'' if is_wide(item) else said_span(item, beside)}."
    return (claim(in_span(item, failed), item), newest)


def request_item(found: Found, step: str) -> Evidence | None:
    """The request that a step opened."""
    return next((e for e in found.of_step(step) if e.locator.startswith(f"{REQUESTS}/")), None)
