"""The names that a server holds, as of the moment that is asked about."""

from datetime import UTC, datetime

from tests.support.metric_shapes import options
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.metric_names import read_landscape

NOW = datetime(2026, 11, 20, 3, 30, tzinfo=UTC)


class Names:
    """A server that holds nothing."""

    parallel = 1

    def label_values(self, *_):
        return ()


class Asked:
    """A server that notes as of when it is asked for its metrics."""

    backend = Names()
    catalogue = Catalogue(read_options(options()))

    def __init__(self):
        self.at = set()

    def names(self):
        return frozenset()

    def candidates(self, known, at=None):
        self.at.add(at)
        return ()


def test_what_a_server_holds_is_read_as_of_the_moment_asked_about(monkeypatch):
    monkeypatch.setattr("workers.sources.metrics.metric_names.alert_names", lambda *_: ())
    server = Asked()
    assert read_landscape(server, NOW).metrics == ()
    assert server.at == {NOW.timestamp()}
