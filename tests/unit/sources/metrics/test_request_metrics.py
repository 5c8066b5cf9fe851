"""Which of a server's families tell how requests are served, where names say little."""

from tests.support.each_row import each_row
from workers.sources.metrics.inventory import Family, drafted, stem
from workers.sources.metrics.inventory_cache import carrying, holding
from workers.sources.metrics.label_roles import part_of
from workers.sources.metrics.metric_roles import BUILT_IN, discover

PLACES = {"op": ("/a", "/b"), "svc": ("till", "desk"), "pod": ("till-1", "desk-1")}


def family(name, kind, level=100.0, labels=None, recorded=False):
    labels = PLACES if labels is None else labels
    parts = {x: part_of(x, values) for x, values in labels.items()}
    probe = f"{name}_count" if kind == "histogram" else name
    return Family(name, kind, probe, labels=labels, parts=parts, alive=4, level=level, top=2 * level, recorded=recorded)


def played(role, *families):
    found = discover(BUILT_IN[role], role, {f.name: f for f in families}, lambda _: ())
    return [(k.entry.promql[0], k.entry.title) for k in found]


TIMER = family("inn_visit_dur_us", "histogram")


def test_failures_under_a_word_that_nobody_knows():
    sour = family("inn_visit_sour_total", "counter", level=2.0)
    text, title = played("errors", TIMER, sour)[0]
    assert "rate(inn_visit_sour_total{" in text
    assert "rate(inn_visit_dur_us_count{" in text
    assert title == "share of inn visit sour"


@each_row(
    "other",
    [
        family("inn_visit_sour_total", "counter", level=90.0),  # nearly as often as the requests
        family("inn_cellar_sour_total", "counter", level=2.0),  # of something else
        family("inn_visit_sour_total", "counter", level=2.0, labels={"shard": ("1", "2")}),  # of other places
        family("inn_visit_cached_total", "counter", level=2.0),  # a word that says what it is
        family("inn_visit_sour_total", "gauge", level=2.0),
    ],
)
def test_what_is_no_counter_of_failures(other):
    assert played("errors", TIMER, other) == []


def test_failures_that_are_named_come_first():
    sour = family("inn_visit_sour_total", "counter", level=2.0)
    failed = family("inn_visit_failed_total", "counter", level=2.0)
    assert "inn_visit_failed_total" in played("errors", TIMER, sour, failed)[0][0]


def test_traffic_is_counted_where_latency_is_told():
    hits = family("inn_ledger_hits_total", "counter", labels={"svc": PLACES["svc"]})
    asked = family("inn_visit_total", "counter")
    assert "inn_visit_total" in played("traffic", TIMER, hits, asked)[0][0]


def test_a_recorded_rate_beside_a_recorded_latency_is_traffic():
    level = {"op": PLACES["op"], "svc": PLACES["svc"]}
    p95 = family("op:inn_turnaround_seconds:p95_5m", "gauge", 0.2, level, recorded=True)
    rate = family("op:inn_guests:sum_5m", "gauge", 30.0, level, recorded=True)
    hits = family("inn_ledger_hits_total", "counter", labels={"svc": PLACES["svc"]})
    assert "op:inn_guests:sum_5m" in played("traffic", p95, rate, hits)[0][0]
    share = family("op:inn_guests_failing:sum_5m", "gauge", 0.01, level, recorded=True)
    assert "failing" not in " ".join(text for text, _ in played("traffic", p95, share))


@each_row("value", ["till@oslo-3", "prod/till", "eu.till.7", "till:8080"])
def test_a_service_within_the_name_of_an_instance(value):
    one = family("inn_visit_total", "counter", labels={"host": (value, "desk-2")})
    assert carrying(one, "service", "till") is None
    found = holding(one, "service", "till")
    assert found is not None
    assert found[0] == "host~"
    assert holding(one, "service", "ill") is None


def test_names_that_begin_like_a_histogram_belong_to_it():
    drafts = drafted(frozenset({"inn_visit_dur_us_bucket", "inn_visit_sour_total"}), {})
    assert {stem(d.name) for d in drafts} == {("inn", "visit")}
