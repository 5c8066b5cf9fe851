"""Everything else a server holds: runtimes, machines, business, other parts of the system. None of it ever changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.metrics.dialects import Dialect
from bench.metrics.world import World

RUNTIME = (
    "go_goroutines go_threads go_gc_duration_seconds_sum go_gc_duration_seconds_count "
    "go_memstats_alloc_bytes go_memstats_heap_inuse_bytes go_memstats_heap_objects "
    "go_memstats_next_gc_bytes go_memstats_mallocs_total process_cpu_seconds_total "
    "process_resident_memory_bytes process_virtual_memory_bytes process_open_fds process_max_fds "
    "process_start_time_seconds jvm_memory_used_bytes jvm_memory_max_bytes jvm_threads_live "
    "jvm_threads_daemon jvm_gc_pause_seconds_sum jvm_gc_pause_seconds_count jvm_classes_loaded "
    "jvm_buffer_pool_used_bytes python_gc_objects_collected_total python_info "
    "nodejs_eventloop_lag_seconds nodejs_heap_size_used_bytes scrape_duration_seconds "
    "scrape_samples_scraped scrape_series_added"
).split()
PARTS = ("cache", "db", "mail", "dns", "kafka", "blob", "audit", "cron", "config", "auth", "search_index", "webhook")
THINGS = (
    "lookup_seconds_sum lookup_seconds_count hits_total misses_total evictions_total open_handles bytes_written_total "
    "lag_messages last_success_timestamp_seconds retries_total rows_read_total reconnects_total flush_seconds_sum "
    "flush_seconds_count size_bytes pending_items"
).split()
BUSINESS = (
    "orders_placed_total cart_value_eur signups_total active_subscriptions refunds_total coupons_redeemed_total "
    "stock_items emails_sent_total feature_flag_enabled license_days_left ab_test_participants newsletter_optins_total "
    "invoice_amount_eur_total support_tickets_open warehouse_temperature_celsius certificate_expiry_days"
).split()


def other_series(world: World, dialect: Dialect, make: Callable[..., Any]) -> Iterator[Any]:
    """Between 50 and 200 names, one series each, scraped every four minutes.

    Args:
        world: for its times and its random source.
        dialect: its name stands before most names.
        make: builds a series from name, labels, values, and whether they are whole.
    """
    rng = world.rng
    names = [*RUNTIME, *(f"{dialect.name}_{b}" for b in BUSINESS)]
    names += [f"{dialect.name}_{p}_{t}" for p in PARTS for t in THINGS]
    chosen = rng.permutation(len(names))[: int(rng.integers(50, 200))]
    service, ways = world.cells[0].service, dialect.labels
    plain = dialect.saturation.service
    own = {plain: service} if plain else {ways.service: ways.spelled.format(service)}
    for i in sorted(chosen.tolist()):
        name = names[i]
        labels = {"job": f"{dialect.name}-targets", "instance": "10.9.0.7:9404"} if i % 2 else own
        yield make(name, labels, quiet_values(name, world, rng), every=4)


def quiet_values(name: str, world: World, rng: np.random.Generator) -> np.ndarray:
    """Values that wander without a change."""
    n = len(world.times)
    if name.endswith(("_total", "_sum", "_count")):
        return np.cumsum(rng.poisson(rng.uniform(5, 200), n)).astype(float)
    level = float(np.exp(rng.uniform(0, 12)))
    if name.endswith(("_timestamp_seconds", "_time_seconds", "_info", "_enabled", "max_fds", "max_bytes")):
        return np.full(n, round(level))
    return level * np.exp(world.slow_noise(0.05))
