"""Deploys that metrics show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workers.contracts import Deploy
from workers.errors import ToolUnavailable
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.version_deploys import VersionDeploys

END = datetime(2026, 11, 21, 11, tzinfo=UTC)
SHA = "a1b2c3d4" * 5
Spans = dict[str, list[tuple[float, float]]]


def samples(folder: Path, spans: Spans) -> EmbeddedBackend:
    """Series by their labels, each with the hours before the end between which it has a sample a minute."""
    by_name: dict[str, list[str]] = {}
    for labels, each in spans.items():
        lines = by_name.setdefault(labels.partition("{")[0], [])
        lines += [f"{labels} 1 {at}" for since, until in each for at in minutes(since, until)]
    text = "".join(f"# TYPE {name} gauge\n" + "\n".join(lines) + "\n" for name, lines in by_name.items())
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "samples.om"
    file.write_text(text + "# EOF\n")
    load_openmetrics(file, folder / "store")
    return EmbeddedBackend(folder / "store")


def minutes(since: float, until: float) -> Iterator[int]:
    end = int(END.timestamp())
    return iter(range(end - round(since * 3600), end - round(until * 3600) + 1, 60))


def found(folder: Path, spans: Spans) -> tuple[Deploy, ...]:
    backend = samples(folder, spans)
    return VersionDeploys(lambda: backend, "production").deploys(END - timedelta(days=30), END)


def test_another_version_is_a_deploy_from_its_first_sample_on(tmp_path: Path) -> None:
    (one,) = found(
        tmp_path,
        {
            'app_build_info{service="shop",version="v1",revision="b0b0b0b0"}': [(10, 3)],
            f'app_build_info{{service="shop",version="v2",revision="{SHA}"}}': [(3, 0)],
        },
    )
    assert (one.service, one.version, one.commit, one.source) == ("shop", "v2", SHA, "metrics")
    assert abs(one.at - (END - timedelta(hours=3))) <= timedelta(minutes=1)
    assert one.environment == "production"


def test_a_rollback_is_a_deploy_and_a_restart_is_none(tmp_path: Path) -> None:
    each = found(
        tmp_path,
        {
            'till_info{app="till",version="1.0"}': [(20, 9), (4, 0)],
            'till_info{app="till",version="1.1"}': [(9, 7), (6, 4)],
        },
    )
    assert [d.version for d in each] == ["1.1", "1.0"]


def test_instances_that_change_one_after_another_are_one_deploy(tmp_path: Path) -> None:
    spans: Spans = {
        f'pay_build_info{{job="pay",instance="{i}",version="{v}"}}': [span]
        for i in range(3)
        for v, span in (("7", (12.0, 5.0 - i / 2)), ("8", (5.0 - i / 2, 0.0)))
    }
    (one,) = found(tmp_path, spans)
    assert one.version == "8"
    assert abs(one.at - (END - timedelta(hours=5))) <= timedelta(minutes=1)


def test_an_image_names_the_version_and_a_namespace_the_environment(tmp_path: Path) -> None:
    name = "kube_pod_container_info"
    (one,) = found(
        tmp_path,
        {
            f'{name}{{container="cart",namespace="shop-staging",image="eu.example/x/cart:4.1@sha256:00"}}': [(9, 2)],
            f'{name}{{container="cart",namespace="shop-staging",image="eu.example/x/cart:4.2"}}': [(2, 0)],
        },
    )
    assert (one.service, one.version, one.environment) == ("cart", "4.2", "shop-staging")


def test_runtimes_and_monitoring_are_no_services_of_the_team(tmp_path: Path) -> None:
    assert not found(
        tmp_path,
        {
            'go_build_info{job="shop",version="v1"}': [(9, 4)],
            'go_build_info{job="shop",version="v2"}': [(4, 0)],
            'prometheus_build_info{job="prometheus",version="3.1"}': [(9, 4)],
            'prometheus_build_info{job="prometheus",version="3.2"}': [(4, 0)],
        },
    )


def test_a_source_that_does_not_answer_shows_none() -> None:
    def down() -> EmbeddedBackend:
        raise ToolUnavailable("no metrics source is connected")

    assert VersionDeploys(down, "production").deploys(END - timedelta(days=1), END) == ()


def test_two_versions_side_by_side_from_the_beginning_are_no_deploy(tmp_path: Path) -> None:
    spans: Spans = {f'cart_info{{app="cart",version="{v}"}}': [(10, 0)] for v in "12"}
    assert not found(tmp_path, spans)


def test_samples_that_are_missing_for_a_while_are_no_deploy(tmp_path: Path) -> None:
    spans: Spans = {
        'cart_info{app="cart",version="1"}': [(10, 4), (3, 0)],
        'cart_info{app="cart",version="2"}': [(8, 4), (3, 0)],
    }
    assert [d.version for d in found(tmp_path, spans)] == ["2"]


def test_the_same_version_of_another_commit_is_a_deploy(tmp_path: Path) -> None:
    (one,) = found(
        tmp_path,
        {
            'shop_build_info{service="shop",version="1.0.0",revision="b0b0b0b0"}': [(9, 4)],
            f'shop_build_info{{service="shop",version="1.0.0",revision="{SHA}"}}': [(4, 0)],
        },
    )
    assert one.commit == SHA
