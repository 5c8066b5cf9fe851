"""PromQL templates."""

import promql_parser as promql
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.metrics.promql_template import duration, fill, promql_string, read_template, selectors

P95 = "histogram_quantile(0.95, sum by (le,{by}) (rate({prefix}x_bucket{{filter}}[{rate}])))"
RATIO = (
    'sum by ({by}) (rate(x_total{{status}=~"5..",{filter}}[{rate}])) / sum by ({by}) (rate(y_total{{filter}}[{rate}]))'
)


def filled(text, **given):
    empty = {"prefix": "", "rate": "5m", "filters": {}, "by": (), "labels": {"status": "code"}}
    return fill(text, **{**empty, **given})


def test_notes_what_a_template_needs():
    template = read_template(RATIO, ("status",))
    assert template.metrics == ("x_total", "y_total")
    assert template.filtered == ("x_total", "y_total")
    assert template.logical == {"status": ("x_total",)}
    assert template.groups
    assert read_template('sum(up{job="a",{filter}})', ()).fixed == {"up": ("job",)}
    assert read_template(P95, ()).metrics == ("{prefix}x_bucket",)


def test_fills_every_place():
    filters = {"app_x_bucket": (("endpoint", "/pay"), ("service", "till"))}
    assert filled(P95, prefix="app_", rate="2m", filters=filters, by=("endpoint",)) == (
        'histogram_quantile(0.95, sum by (le,endpoint) (rate(app_x_bucket{endpoint="/pay",service="till"}[2m])))'
    )
    assert filled(P95) == "histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))"
    assert filled(RATIO) == 'sum(rate(x_total{code=~"5.."}[5m])) / sum(rate(y_total[5m]))'


@given(st.text(max_size=30))
def test_a_label_value_stays_a_value(value):
    text = filled(P95, filters={"x_bucket": (("endpoint", value),)})
    matchers = next(selectors(promql.parse(text))).matchers.matchers
    assert [(m.name, m.value) for m in matchers] == [("endpoint", value)]


@each_row(
    "text, named",
    [
        ("sum(rate(x_total{{filter}}[{rate}])", "is not PromQL"),
        ("sum by ({bye}) (x)", "unknown place {bye}"),
        ("sum({filter})", "{filter} must stand last"),
        ('sum(x{{filter},a="b"})', "{filter} must stand last"),
        ("1 + 1", "reads no metric"),
        ('sum({__name__="x"})', "without a metric name"),
        ("foo(x)", "is not PromQL"),
    ],
)
def test_mistakes_are_named(text, named):
    with pytest.raises(ValueError, match=r".") as caught:
        read_template(text, ("status",))
    assert named in str(caught.value)


@each_row("seconds, text", [(60, "1m"), (150, "150s"), (3600, "1h"), (86_400, "1d"), (0.2, "1s")])
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_strings_are_escaped():
    assert promql_string('a"b\\c\n') == '"a\\"b\\\\c\\n"'
