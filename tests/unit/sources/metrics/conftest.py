"""One sample store for all tests of metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.metric_shapes import END, options, shop
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.metric_resolution import Server

ONSET = END - 5 * 3600


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with a fault that began five hours before the end."""
    folder = tmp_path_factory.mktemp("metrics")
    load_openmetrics(shop(folder / "shop.om", ONSET), folder / "store")
    return folder / "store"


@pytest.fixture
def server(store: Path) -> Server:
    """The shop through a small catalogue."""
    return Server(EmbeddedBackend(store), Catalogue(read_options(options())))
