"""OpenMetrics text -> store -> samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.metric_shapes import END, Text, times
from workers.errors import ToolUnavailable
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.sample_store import Matcher, SampleStore


def loaded(tmp_path, body):
    path = tmp_path / "x.om"
    path.write_text(body, encoding="utf-8")
    return load_openmetrics(path, tmp_path / "store"), SampleStore(tmp_path / "store")


def all_samples(store, name, *matchers):
    chosen = store.select(name, matchers)
    return {
        tuple(sorted(s.labels.items())): (b.times.tolist(), b.values[i].tolist())
        for b in store.blocks(chosen, -(10**15), 10**15)
        for i, s in enumerate(b.series)
    }


def test_reads_labels_values_and_times(tmp_path):
    body = (
        "# TYPE a counter\n# HELP a text\n"
        'a_total{x="1",y="b c"} 1 100\na_total{x="1",y="b c"} 2.5 160.25\n'
        'a_total{y="q\\"\\\\\\n,}{"} +Inf 100 # {trace="1"} 0.5 99\nb NaN 100\nb{empty=""} 3 101\n# EOF\n'
    )
    count, store = loaded(tmp_path, body)
    assert count == 5
    samples = all_samples(store, "a_total")
    assert samples[(("x", "1"), ("y", "b c"))] == ([100_000, 160_250], [1.0, 2.5])
    assert samples[(("y", 'q"\\\n,}{'),)] == ([100_000], [np.inf])
    assert store.newest_ms == 160_250


def test_samples_out_of_order_and_twice_are_put_right(tmp_path):
    _, store = loaded(tmp_path, "a 3 300\na 1 100\na 2 200\na 9 200\n# EOF\n")
    assert all_samples(store, "a") == {(): ([100_000, 200_000, 300_000], [1.0, 2.0, 3.0])}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("a 1 100\n", "# EOF"),
        ("", "# EOF"),
        ("a 1\n# EOF\n", ":1: a sample needs"),
        ("a one 100\n# EOF\n", "is not a number"),
        ("a{x=1} 1 100\n# EOF\n", "cannot be read"),
        ("{x} 1 100\n# EOF\n", "is not a series"),
        ('a{x="1" 1 100\n# EOF\n', "is not a series"),
        ('a{x="1"z="2"} 1 100\n# EOF\n', "cannot be read"),
    ],
)
def test_what_is_not_openmetrics_is_named(tmp_path, body, named):
    with pytest.raises(ToolUnavailable, match=r".") as caught:
        loaded(tmp_path, body)
    assert named in str(caught.value)
    assert not (tmp_path / "store" / "index.json").exists()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ToolUnavailable, match=r"gone\.om cannot be read"):
        load_openmetrics(tmp_path / "gone.om", tmp_path / "store")


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters='"\\{} ,='), min_size=1, max_size=12),
        st.lists(st.floats(allow_nan=False, width=32), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    )
)
def test_any_label_value_comes_back(tmp_path_factory, series):
    folder = tmp_path_factory.mktemp("om")
    text = Text()
    for value, numbers in series.items():
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        text.add("m", {"v": escaped}, range(100, 100 + len(numbers)), numbers)
    load_openmetrics(text.write(folder / "x.om"), folder / "store")
    found = all_samples(SampleStore(folder / "store"), "m")
    assert {dict(k)["v"]: v[1] for k, v in found.items()} == {k: [float(n) for n in v] for k, v in series.items()}


def test_matchers_select_series(tmp_path):
    body = 'm{a="x"} 1 1\nm{a="y",b="1"} 1 1\nm{b="2"} 1 1\nn 1 1\n# EOF\n'
    _, store = loaded(tmp_path, body)

    def select(name, *matchers):
        return [(s.name, dict(s.labels)) for s in store.select(name, [Matcher(*m) for m in matchers])]

    assert select("m", ("a", "=", "x")) == [("m", {"a": "x"})]
    assert select("m", ("a", "!=", "x")) == [("m", {"a": "y", "b": "1"}), ("m", {"b": "2"})]
    assert select("m", ("a", "=~", "x|y"), ("b", "=", "")) == [("m", {"a": "x"})]
    assert select("m", ("a", "!~", ".+")) == [("m", {"b": "2"})]
    assert select(None, ("__name__", "=~", "n.*")) == [("n", {})]
    with pytest.raises(ToolUnavailable, match="regular expression"):
        select("m", ("a", "=~", "("))


def test_a_store_written_anew_is_read_anew(tmp_path):
    first = Text()
    first.add("a", {}, times(1), times(1) * 0 + 1)
    load_openmetrics(first.write(tmp_path / "a.om"), tmp_path / "store")
    backend = EmbeddedBackend(tmp_path / "store")
    assert backend.names() == {"a"}
    second = Text()
    second.add("b", {}, times(1), times(1) * 0 + 1)
    load_openmetrics(second.write(tmp_path / "b.om"), tmp_path / "store")
    assert backend.names() == {"b"}
    assert len(list((tmp_path / "store").iterdir())) == 3


def test_a_damaged_or_missing_store_is_named(tmp_path):
    with pytest.raises(ToolUnavailable, match="there is no sample store at"):
        EmbeddedBackend(tmp_path / "gone").names()
    text = Text()
    text.add("a", {}, times(1), times(1))
    load_openmetrics(text.write(tmp_path / "a.om"), tmp_path / "store")
    for file in (tmp_path / "store").glob("*.npy"):
        file.write_bytes(b"nonsense")
    with pytest.raises(ToolUnavailable, match="is damaged; load the samples again"):
        EmbeddedBackend(tmp_path / "store").names()
    (tmp_path / "store" / "index.json").write_text("{")
    with pytest.raises(ToolUnavailable, match="is damaged"):
        EmbeddedBackend(tmp_path / "store").names()


def test_cadence_and_age(tmp_path):
    text = Text()
    text.add("a", {"x": "1"}, times(1, 15), times(1, 15))
    load_openmetrics(text.write(tmp_path / "a.om"), tmp_path / "store")
    backend = EmbeddedBackend(tmp_path / "store")
    assert backend.cadence('a{x="1"}', END - 600, END) == (float(END), 15.0)
    assert backend.cadence('a{x="1"}', END - 600, END - 100) == (float(END - 105), 15.0)
    assert backend.cadence('a{x="2"}', END - 600, END)[0] is None
    assert "newest sample 2026-11-21T11:00:00Z, 10 min old" in backend.ping(END + 600)
