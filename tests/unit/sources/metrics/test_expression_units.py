"""Units of expressions, as far as names and functions tell them."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.metrics.expression_units import unit_of_expression


@each_row(
    "text, unit",
    [
        ("rate(http_requests_total[5m])", "/s"),
        ("sum by (a) (rate(http_request_duration_seconds_count[5m]))", "/s"),
        ("increase(http_requests_total[1h])", "count"),
        ("histogram_quantile(0.9, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))", "s"),
        ("rate(x_seconds_sum[5m]) / rate(x_seconds_count[5m])", "s"),
        ('sum(rate(x_total{a="b"}[5m])) / sum(rate(x_total[5m]))', "ratio"),
        ('100 * sum(rate(x_total{a="b"}[5m])) / sum(rate(x_total[5m]))', "number"),
        ('(sum(rate(x_total{a="b"}[5m])) / sum(rate(x_total[5m]))) * 100', "percent"),
        ("process_resident_memory_bytes", "bytes"),
        ("max_over_time(process_resident_memory_bytes[1h])", "bytes"),
        ("topk(3, go_memstats_heap_bytes)", "bytes"),
        ("rate(process_cpu_seconds_total[5m])", "number"),
        ("count(up)", "count"),
        ("queue_depth", "number"),
        ("up == bool 1", "number"),
        ("temperature * 2", "number"),
        ("x_seconds > 2", "s"),
        ("x_seconds + y_bytes", "number"),
        ("sum(", "number"),
    ],
)
def test_the_unit(text: str, unit: str) -> None:
    assert unit_of_expression(text) == unit
