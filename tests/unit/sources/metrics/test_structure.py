"""What a server holds is understood by its structure - levels, labels, what moves, what belongs together - where names
say little or say it in other words."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import FakeBackend, options
from workers.sources.metrics.backend import Series
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.inventory import drafted, family
from workers.sources.metrics.label_roles import part_of
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.metric_roles import BUILT_IN, discover
from workers.sources.metrics.name_words import pace, tokens
from workers.sources.metrics.query_window import View
from workers.sources.metrics.seasonality import change_beside

CALLS = ({"fd": "/a", "pod": "till-1"}, {"fd": "/b", "pod": "till-1"}, {"fd": "/a", "pod": "till-2"})
PODS = ({"pod": "till-1"}, {"pod": "till-2"})
WAVES = np.array([1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1])


def grown(level):
    """A counter that stands at a level."""
    return np.linspace(0.9, 1.0, 7) * level


def held(**metrics):
    """Families by name; each metric is its values for every series, or pairs of labels and values."""
    drafts = {d.probe: d for d in drafted(frozenset(metrics), {})}
    out = {}
    for name, found in metrics.items():
        pairs = found if isinstance(found, list) else [(labels, found) for labels in CALLS]
        if name in drafts:
            one = family(drafts[name], [Series(labels, np.asarray(v, float)) for labels, v in pairs], ":" in name)
            out[one.name] = one
    return out


def played(role, families):
    return [
        (k.entry.promql[0], k.entry.title, k.entry.unit) for k in discover(BUILT_IN[role], role, families, lambda _: ())
    ]


def on_pods(values):
    return [(labels, values) for labels in PODS]


def split(label, **values):
    return [(labels | {label: v}, grown(level)) for labels in CALLS for v, level in values.items()]


def test_a_mean_of_two_counters_of_different_names():
    found = held(till_plims_spent_ms_total=grown(90_000), till_plims_total=grown(900), till_cheese_total=grown(3_000))
    text, title, unit = played("latency", found)[0]
    assert "rate(till_plims_spent_ms_total{" in text
    assert "rate(till_plims_total{" in text
    assert text.endswith("/ 1000")
    assert (title, unit) == ("mean latency", "s")
    assert "rate(till_plims_total{" in played("traffic", found)[0][0]


def test_time_that_processors_spent_is_no_latency():
    found = held(process_cpu_seconds_total=grown(90), process_total=grown(900))
    assert played("latency", found) == []


@each_row("label", ["stat", "q", "percentile"])
@each_row("ranks", [("p50", "p95", "p99"), ("0.5", "0.95", "0.99"), ("median", "95th", "99th", "max")])
def test_quantiles_that_a_label_tells_apart(label, ranks):
    assert part_of(label, ranks) == "within"
    shown = [(labels | {label: rank}, 80 * WAVES) for labels in CALLS for rank in ranks]
    found = held(till_glub_ms=shown, till_glub_tally=grown(900))
    assert f'till_glub_ms{{{label}="{ranks[1]}",' in played("latency", found)[0][0]
    assert all("till_glub_ms_count" not in text for text, _, _ in played("traffic", found))


def test_versions_are_no_quantiles():
    assert part_of("version", ("1.5", "1.9")) == "version"


def test_a_gauge_of_time_by_operation_is_a_latency():
    assert "till_glub_ms" in played("latency", held(till_glub_ms=80 * WAVES))[0][0]
    assert played("latency", held(till_glub_ms=on_pods(80 * WAVES))) == []
    assert played("latency", held(till_glub_seconds=1.79e9 * WAVES)) == []  # a moment


def test_a_label_without_a_fine_outcome_tells_what_failed_alone():
    fallos, whole = split("clase", **{"4xx": 30, "5xx": 20}), grown(900)
    found = held(till_xerrado_total=fallos, till_plims_total=whole)
    text, _, unit = played("errors", found)[0]
    assert 'till_xerrado_total{clase=~"5.*",' in text
    assert "rate(till_plims_total{{" in text
    assert unit == "ratio"
    assert "till_plims_total" in played("traffic", found)[0][0]


def test_a_status_that_successes_lack_does_not_make_all_a_failure():
    shown = [(labels, grown(900)) for labels in CALLS] + split("error_type", **{"500": 3})
    found = held(till_requests_total=shown)
    assert found["till_requests_total"].partial == {"error_type"}
    assert "till_requests_total" in played("traffic", found)[0][0]


def test_requests_are_not_what_is_far_rarer_and_named_after_them():
    found = held(till_plims_total=grown(900), till_plims_zonk_total=grown(9))
    assert "till_plims_total" in played("traffic", found)[0][0]
    text, title, _ = played("errors", found)[0]
    assert "till_plims_zonk_total" in text
    assert title == "share of till plims zonk"


def test_more_queries_than_requests_are_no_traffic():
    found = held(till_requests_total=grown(900), till_rows_fetched=grown(9_000), till_plims_total=grown(9_000))
    assert "till_requests_total" in played("traffic", found)[0][0]


@each_row(
    "name, seconds",
    [
        ("till_requests_per_second", 1.0),
        ("till_requests_per_minute", 60.0),
        ("till_rpm", 60.0),
        ("op:requests:cnt1m", 60.0),
        ("op:requests:increase5m", 300.0),
        ("op:requests:rate5m", 1.0),
        ("till_requests_total", None),
        ("minimum_5m", None),
    ],
)
def test_the_span_in_which_something_is_counted(name, seconds):
    assert pace(tokens(name)) == seconds


def test_counts_of_a_span_are_told_by_the_second():
    found = held(
        **{"op:rq:cnt1m": 600 * WAVES, "op:err:cnt1m": np.array([0, 0, 0, 1, 1, 1, 1]), "op:glub_ms:avg1m": 90 * WAVES}
    )
    assert found["op:err:cnt1m"].kind == "gauge"  # though it only grew while it was looked at
    assert played("traffic", found)[0][0].endswith("/ 60)")
    text, _, unit = played("errors", found)[0]
    assert unit == "ratio"
    bad, whole = text.split(" or 0 * ")
    assert bad == f"({bad[1:]}"
    assert "op:err:cnt1m" in bad
    assert whole.count("/ 60)") == 2  # each scaled within parentheses of its own


def test_a_share_is_no_count_of_a_span():
    found = held(till_requests_per_second=30 * WAVES, till_error_rate=0.01 * WAVES)
    assert [(u, "/ sum" in text) for text, _, u in played("errors", found)] == [("ratio", False)]


@each_row(
    "used, most",
    [
        ("till_seats_taken", "till_seats_max"),
        ("tomcat_threads_busy_threads", "tomcat_threads_config_max_threads"),
        ("container_memory_working_set_bytes", "container_spec_memory_limit_bytes"),
        ("celery_worker_tasks_active", "celery_worker_concurrency"),
        ("till_hilos_quux", "till_hilos_plarx"),  # one word differs: what stands still bounds what moves
    ],
)
def test_what_is_used_of_what_there_can_be(used, most):
    found = held(**{used: on_pods(20 * WAVES), most: on_pods(np.full(7, 64.0))})
    text, _, unit = played("saturation", found)[0]
    assert f"avg_over_time({used}{{{{filter}}}}[{{rate}}]) / avg_over_time({most}{{" in text
    assert unit == "ratio"


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("till_hilos_plarx", 10.0),  # exceeded
        ("desk_zorn_max", 64.0),  # of something else
        ("till_hilos_plarx_bytes", 64.0),
    ],
)
def test_what_is_no_limit(name, level):
    found = held(till_hilos_quux=on_pods(20 * WAVES), **{name: on_pods(np.full(7, level))})
    assert all(" / " not in text for text, _, _ in played("saturation", found))


def test_a_share_of_a_limit_is_a_share():
    found = held(k8s_cpu_limit_utilization=on_pods(0.4 * WAVES), pool_used_bytes=on_pods(1e6 * WAVES))
    text, _, unit = played("saturation", found)[0]
    assert "k8s_cpu_limit_utilization" in text
    assert unit == "ratio"


def test_percent_is_told_by_what_is_reached():
    assert played("saturation", held(till_cpu_utilization=on_pods(40 * WAVES)))[0][2] == "percent"


def test_saturation_is_looked_for_among_all_where_the_catalogue_has_none():
    class Holding(FakeBackend):
        def query_range(self, promql, grid):
            frame = super().query_range(promql, grid)
            wave = 0.4 + 0.05 * np.sin(np.arange(len(grid.times)))
            rows = [
                Series({"__name__": n, "service": "till"}, wave * (1 if "load" in n else 1e6))
                for n in self.metrics
                if "__name__" in promql or n in promql
            ]
            return type(frame)(grid, tuple(rows))

    labels = {"service": ("till",)}
    backend = Holding({"till_load_share": labels, "jvm_buffer_pool_used_bytes": labels})
    catalogue = options()
    catalogue["metrics"]["pool"] |= {"aliases": ["saturation"], "title": "share of the pool"}
    server = Server(backend, Catalogue(read_options(catalogue)))
    known = server.find("saturation", 1e9)
    assert "till_load_share" in server.candidates(known, 1e9)[0].template.text


def test_a_fall_to_nothing_beside_the_season_is_told():
    times = np.arange(0.0, 7_200.0, 60.0)
    values = np.where(times < 3_600, 10.0, 0.0)
    usual = np.full(len(times), 10.0)
    found = change_beside(usual, View(0, 7_200, 0, 60), (times, values), 0.0)
    assert found is not None
    assert (found.level, round(found.baseline)) == (0.0, 10)
