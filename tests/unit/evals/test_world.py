"""Worlds: what they may hold, and what is built of one."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.support.eval_cases import WORLD, world_with
from workers.errors import ConfigError
from workers.evals.case_sources import Site, build_world, forget_old
from workers.evals.world import World, load_world
from workers.evals.world_signals import make_series
from workers.evals.yaml_models import checked
from workers.settings.load import load_settings
from workers.sources.metrics.backend import Grid
from workers.sources.metrics.embedded_backend import EmbeddedBackend

P95 = "histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{endpoint='/v1/routes'}[5m])))"
NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
COMMIT = {"at": "-1h", "author": "Ann", "message": "m", "files": {"a.go": "x"}}
LATENCY = {"latency": {"endpoint": "/a"}, "rate": 1, "p50": 0.1, "p95": 0.2}


def fleet() -> World:
    """The sample world."""
    return World.model_validate(yaml.safe_load(WORLD))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The sample world, built."""
    return build_world(fleet(), tmp_path_factory.mktemp("cache"), load_settings(home=Path("/nonexistent")))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nme": "x"}, "fleet.yaml: nme: unknown key"),
        ({"now": None}, "now: is required"),
        ({"now": "2026-11-20T15:00:00"}, "now: "),
        ({"name": "../x"}, "name: "),
        ({"deploys": [{"service": "a", "version": "1", "tag": "v1", "at": "-1h"}]}, "no commit has the tag v1"),
        ({"deploys": [{"service": "a", "version": "1", "at": "5h"}]}, "deploys.0.at: '5h' lies after now"),
        ({"deploys": [{"service": "a", "version": "1", "at": "2027-01-01T00:00:00Z"}]}, "deploys.0.at: lies after now"),
        ({"metrics": [{"gauge": "a", "counter": "b"}]}, "metrics.0: must have exactly one of the keys"),
        ({"metrics": [{**LATENCY, "p95": 0.1}]}, "p95 (0.1) must be greater than p50 (0.1)"),
        ({"metrics": [{**LATENCY, "shifts": [{"at": "-1h", "p50": 0.5}]}]}, "p95 (0.2) must be greater than p50 (0.5)"),
        ({"metrics": [{**LATENCY, "shifts": [{"at": "-1h", "until": "-2h"}]}]}, "shifts.0: until lies before"),
        ({"metrics": [LATENCY, LATENCY]}, "metrics.1: the same series stands twice"),
        ({"metrics": [{"gauge": "a b", "value": 1}]}, "metrics.0.gauge.gauge: "),
        ({"alerts": [{"name": "A", "state": "resolved", "since": "-1h"}]}, "a resolved alert needs until"),
        ({"catalogue": {"lag": {"unit": "s"}}}, "catalogue.lag: no gauge or counter is named lag"),
        ({"catalogue": {"x": {"unit": "s", "of": "rides_total", "aliases": ["y"]},
                        "y": {"unit": "s", "of": "rides_total"}}}, "catalogue: 'y' stands for two metrics"),
        ({"documents": {"files": {"../a.md": "x"}}}, "documents: '../a.md' is not a relative path"),
        ({"repository": {"name": "r", "commits": []}}, "repository.commits: "),
        ({"repository": {"name": "r", "commits": [{**COMMIT, "files": {".git/config": "x"}}]}}, "'.git/config' is not"),
        ({"repository": {"name": "r", "commits": [{**COMMIT, "files": {"a\nb": "x"}}]}}, "is not a relative path"),
        ({"repository": {"name": "r", "commits": [{**COMMIT, "files": {}}]}}, "the commit 'm' changes no file"),
        ({"repository": {"name": "r", "commits": [{**COMMIT, "delete": ["b.go"]}]}}, "b.go is deleted before"),
        ({"repository": {"name": "r", "commits": [{**COMMIT, "author": "a <b>"}]}}, "repository.commits.0.author: "),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_key(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(json.dumps(world_with(**({"deploys": []} | change)), default=str), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_world(path)
    assert said in str(caught.value)


def test_a_file_that_is_no_world(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text("- a", encoding="utf-8")
    with pytest.raises(ConfigError, match="a world is a mapping"):
        load_world(path)


def test_a_world_may_hold_next_to_nothing(tmp_path: Path) -> None:
    bare = checked(World, {"name": "bare", "now": NOW}, "bare")
    site = build_world(bare, tmp_path, load_settings(home=tmp_path))
    assert site.overrides["oracle.repositories"] == []
    assert site.overrides["oracle.samples"] == ""
    assert site.deploys == ()


def git(site: Site, *arguments: str) -> str:
    """What git says of the world's repository."""
    path = site.overrides["oracle.repositories"][0]["path"]
    return subprocess.run(["git", "-C", path, *arguments], capture_output=True, check=True, text=True).stdout


def test_the_repository_has_the_history(site: Site) -> None:
    rows = git(site, "log", "--reverse", "--format=%an|%ae|%aI|%s|%b").strip().splitlines()
    assert rows[0] == "Ines Moreau|ines.moreau@example.com|2026-10-21T15:00:00+00:00|Route planner|"
    assert rows[1].startswith("Tomás Ferreira|tomás.ferreira@example.com|2026-11-19T13:00:00+00:00|Cache geocodes per")
    assert sorted(git(site, "ls-files").split()) == ["services/geo.go", "services/routes.go"]
    assert git(site, "show", "HEAD:services/geo.go").endswith("geoCacheTTL = 1 * time.Second\n")


def test_a_deploy_is_of_its_tags_commit(site: Site) -> None:
    (deploy,) = site.deploys
    assert deploy.commit == git(site, "rev-parse", "v2.9.1^{commit}").strip()
    assert deploy.at == NOW - timedelta(hours=25, minutes=50)
    assert (
        git(site, "for-each-ref", "--format=%(taggerdate:iso-strict)", "refs/tags").strip()
        == "2026-11-19T13:10:00+00:00"
    )


def read(site: Site, promql: str, *back_minutes: int) -> list[float]:
    """An expression's value so many minutes before now."""
    backend = EmbeddedBackend(Path(site.overrides["oracle.samples"]))
    out = []
    for minutes in back_minutes:
        at = int((NOW - timedelta(minutes=minutes)).timestamp())
        frame = backend.query_range(promql, Grid(at - 60, at, 60))
        out.append(float(frame.series[0].values[-1]))
    return out


@pytest.mark.parametrize(
    ("promql", "before", "after"),
    [
        (P95, 0.18, 1.9),
        (P95.replace("0.95", "0.5"), 0.06, 0.3),
        ("sum(rate(http_requests_total{endpoint='/v1/routes'}[5m]))", 20, 20),
        ("sum(rate(http_requests_total{endpoint='/v1/routes',status='500'}[5m]))", 0.02, 0.02),
        ("avg(avg_over_time(geo_cache_hit_ratio[5m]))", 0.92, 0.04),
    ],
)  # fmt: skip
def test_metrics_are_read_back_as_they_were_written(site: Site, promql: str, before: float, after: float) -> None:
    was, now = read(site, promql.replace("'", '"'), 30 * 60, 60)
    assert was == pytest.approx(before, rel=0.02)
    assert now == pytest.approx(after, rel=0.1 if "geo" in promql else 0.02)


def test_a_shift_ends(site: Site) -> None:
    rates = read(site, "sum(rate(rides_total[5m]))", 200, 150, 60)
    assert rates == [pytest.approx(140, rel=0.02), 0.0, pytest.approx(140, rel=0.02)]


def test_a_later_shift_covers_an_earlier_one() -> None:
    shifts = [{"at": "-6h", "value": 5.0, "noise": 0}, {"at": "-3h", "noise": 0.0, "until": "-1h"}]
    metric = {"gauge": "lag_seconds", "value": 2.0, "noise": 0, "shifts": shifts}
    world = World.model_validate(world_with(metrics=[metric], alerts=[], catalogue={}))
    ((_, _, times, values),) = make_series(world)
    ago = (NOW.timestamp() * 1000 - times) / 3_600_000
    assert set(values[ago > 6]) == {2.0}
    assert set(values[(ago <= 6) & (ago > 3)]) == {5.0}
    assert set(values[(ago <= 3) & (ago > 1)]) == {2.0}
    assert set(values[ago <= 1]) == {5.0}


def test_alerts_fire_while_they_do() -> None:
    rows = {
        (name, labels["alertname"]): times for name, labels, times, _ in make_series(fleet()) if "alertname" in labels
    }
    first = (NOW - timedelta(hours=25, minutes=40)).timestamp() * 1000
    assert rows["ALERTS", "RouteLatencyHigh"][[0, -1]].tolist() == [first, NOW.timestamp() * 1000]
    assert rows["ALERTS", "RidesStopped"][-1] == (NOW - timedelta(minutes=121)).timestamp() * 1000


def test_a_world_is_the_same_at_every_build() -> None:
    for one, other in zip(make_series(fleet()), make_series(fleet()), strict=True):
        assert one[:2] == other[:2]
        assert np.array_equal(one[3], other[3])


def test_a_world_is_built_once_for_its_content(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path)
    first = build_world(fleet(), tmp_path, settings)
    mark = tmp_path / first.key / "mark"
    mark.touch()
    assert build_world(fleet(), tmp_path, settings) == first
    assert mark.exists()
    other = build_world(fleet().model_copy(update={"environment": "staging"}), tmp_path, settings)
    assert other.key != first.key
    forget_old(tmp_path, NOW.timestamp() + 10 * 365 * 86_400)
    assert list(tmp_path.iterdir()) == []


def test_the_worlds_words_come_before_the_configurations(site: Site) -> None:
    start = "tools.metrics_query.options.metrics"
    own = site.overrides[f"{start}.geo_cache_hit_ratio"]
    assert own["aliases"] == ["geo cache"]
    assert "geo_cache_hit_ratio" in own["promql"][0]
    assert site.overrides[f"{start}.cache_hit_ratio.promql"][0] == own["promql"][0]
    assert "rate(rides_total" in site.overrides[f"{start}.rides"]["promql"][0]
    settings = load_settings(site.overrides, home=Path("/nonexistent"))
    assert settings.tree.tools["metrics_query"].options["metrics"]["rides"]["title"] == "rides"
