"""What is said of requests: one in full, and how many of some failed."""

from __future__ import annotations

from collections.abc import Iterator

from workers.contracts import Evidence
from workers.grounding.health import REQUESTS, number, text_of
from workers.grounding.lexicon import HEDGE
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import SERVED, Found
from workers.reasoning.request_counts import counted, sampled

FAILURES = ("error", "timeout")


def say_request(item: Evidence) -> str:
    """``req_1 on lumen/east at 14:06 ended with status error (upstream_5xx) after 1.2 s``."""
    k = item.id
    code = f" ({{{k}.error_code}})" if has(item, "error_code") else ""
    took = f" after {{{k}.latency}}" if has(item, "latency") else ""
    at = f" at {{{k}.created_at}}" if has(item, "created_at") else ""
    return f"Request {{{k}.request}} to {{{k}.deployment}}{at} has status {{{k}.status}}{code}{took}"


def say_details(item: Evidence) -> Iterator[str]:
    """Who sent it, what it cost, how it was routed, how it was scored."""
    k = item.id
    if has(item, "user"):
        tier = f" (tier {{{k}.tier}})" if has(item, "tier") else ""
        task = f", task {{{k}.task_type}}" if has(item, "task_type") else ""
        yield f"It is of user {{{k}.user}}{tier}{task}."
    amounts = [
        f"{words} {{{k}.{name}}}"
        for name, words in (
            ("input_tokens", "Input tokens:"),
            ("output_tokens", "output tokens:"),
            ("cost_usd", "cost in USD:"),
            ("ttft", "TTFT:"),
        )
        if has(item, name)
    ]
    if amounts:
        yield f"{'; '.join(amounts)}."
    routing = [
        f"{name.removeprefix('routing_').replace('_', ' ')} {{{k}.{name}}}"
        for name in item.facts
        if name.startswith("routing_") and not HEDGE.search(name.replace("_", " "))
    ][:4]
    if routing:
        yield f"Routing: {', '.join(routing)}."
    if has(item, "quality_score"):
        by = f" by {{{k}.eval_type}}" if has(item, "eval_type") else ""
        yield f"Its quality score{by} is {{{k}.quality_score}}."


def whose_requests(item: Evidence) -> str:
    """`` on lumen/east``, `` of user ann``: what requests were filtered by."""
    k = item.id
    served = [f"{{{k}.{name}}}" for name in SERVED if has(item, name)]
    on = f" on {' on '.join(served)}" if served else ""
    of = "".join(f" of {name} {{{k}.{name}}}" for name in ("user", "tier") if has(item, name))
    return f"{on}{of}"


def say_failures(item: Evidence) -> str:
    """``3 errors in 1,114 requests (0.27 %) on lumen/east``: of the whole time, however many of them are listed."""
    k = item.id
    of = f" in {sampled(item, 'request_count')}{whose_requests(item)}"
    status = text_of(item, "status_filter")
    share = f" ({{{k}.{status}_rate}})" if number(item, f"{status}_rate") else ""
    if status in FAILURES:
        return f"{counted(item, f'all_{status}_count', status)}{share}{of}"
    rate = f" (error rate {{{k}.error_rate}})" if number(item, "error_rate") else ""
    both = f"{counted(item, 'all_error_count', 'error')} and {counted(item, 'all_timeout_count', 'timeout')}"
    return f"{both}{of}{rate}"


def request_item(found: Found, step: str) -> Evidence | None:
    """The request that a step opened."""
    return next((e for e in found.of_step(step) if e.locator.startswith(f"{REQUESTS}/")), None)
