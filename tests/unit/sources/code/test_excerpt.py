"""What is shown is what stands in the file at that commit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.index.excerpts import compare
from tests.support.costly_examples import few_examples
from tests.support.git_repositories import commit, make_repository
from workers.search import CodeIndex

LINES = st.sampled_from(
    [
        "def send_parcel(order):",
        "    return courier.book(order)",
        "class Ledger:",
        "",
        "   ",
        "# refund the voucher, grüße",
        "\ttab = 1",
        "form\x0cfeed = 2",
        "next\x85line = 3",
        "separator\u2028inside = 4",
        "lone\rreturn = 5",
        "x" * 300,
        'route("/api/parcels/{id}")',
        "\ufeffmark = 6",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n"])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
NAMES = st.sampled_from(["a.py", "b.go", "c.md", "d/e.yaml", "f/g h.java", "ü.rs", "noend"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """A file as careless people write it."""
    end = draw(ENDS)
    text = end.join(draw(st.lists(LINES, min_size=1, max_size=90))) + draw(st.sampled_from(["", end, end * 3]))
    return text.encode(draw(ENCODINGS), "replace")


@few_examples(8)
@given(st.dictionaries(NAMES, contents(), min_size=1), st.dictionaries(NAMES, contents(), max_size=2))
def test_every_excerpt_is_the_files_own_lines(first: dict[str, bytes], then: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = make_repository(Path(place, "r"), {"always.py": "def send_parcel(order):\n    pass\n", **first})
        CodeIndex.build(folder, Path(place, "i"))
        commit(folder, then, "Then")  # stands in the second layer
        found = compare(folder, Path(place, "i"), 60)
        assert found["compared"] == 60
        assert found["unequal"] == 0


def test_a_difference_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def send_parcel(order):\n    pass\n"})
    index = CodeIndex.build(folder, tmp_path / "i")
    commit(folder, {"a.py": "# moved\ndef send_parcel(order):\n    pass\n"}, "Move")
    index.commit = CodeIndex.build(folder, tmp_path / "later").commit
    monkeypatch.setattr(CodeIndex, "ensure", lambda *_: index)
    assert compare(folder, tmp_path / "i", 30)["unequal"] > 0
