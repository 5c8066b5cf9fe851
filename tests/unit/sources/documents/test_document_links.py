"""Links between documents, and files of a repository that a document names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.documents.document_links import by_name, code_places, resolve, same_file

PATHS = frozenset(
    ["guide/a.md", "guide/b c.md", "guide/sub/index.md", "top.rst", "sub/x.rst", "x.zip/S/Home_1.html", "adr/0002-b.md"]
)


@each_row(
    "path, target, place",
    [
        ("guide/a.md", "b%20c.md#part", ("guide/b c.md", "part")),
        ("guide/a.md", "../adr/0002-b.md", ("adr/0002-b.md", "")),
        ("guide/a.md", "./sub/", ("guide/sub/index.md", "")),
        ("guide/a.md", "/top.rst", ("top.rst", "")),
        ("guide/a.md", "#here", ("guide/a.md", "here")),
        ("guide/a.md", "a.html?x=1", ("guide/a.md", "")),
        ("sub/x.rst", "doc:../top", ("top.rst", "")),
        ("sub/x.rst", "doc:/sub/x", ("sub/x.rst", "")),
        ("sub/x.rst", "doc:x", ("sub/x.rst", "")),
        ("x.zip/S/a.html", "Home_1.html", ("x.zip/S/Home_1.html", "")),
        ("guide/a.md", "../../../etc/passwd", None),
        ("guide/a.md", "https://example.org/a.md", None),
        ("guide/a.md", "//example.org/a.md", None),
        ("guide/a.md", "mailto:a.md", None),
        ("guide/a.md", "none.md", None),
    ],
)
def test_links_between_documents(path: str, target: str, place: tuple[str, str] | None) -> None:
    assert resolve(path, target, PATHS) == place


FILES = by_name(
    ["src/shop/bank.py", "src/shop/errors.py", "lib/errors.py", "Dockerfile", "deploy/Dockerfile", "go.mod"]
)


@each_row(
    "line, places",
    [
        ("See `src/shop/bank.py:12-18`.", ["src/shop/bank.py:12-18"]),
        ("in shop/bank.py, line 3", ["src/shop/bank.py"]),
        ("bank.py:7 and go.mod.", ["src/shop/bank.py:7", "go.mod"]),
        ("[it](../src/shop/errors.py#L4-L9)", ["src/shop/errors.py:4-9"]),
        ("https://github.com/o/r/blob/main/lib/errors.py#L3", ["lib/errors.py:3"]),
        ("https://gitlab.example/o/r/-/blob/abc/src/shop/bank.py", ["src/shop/bank.py"]),
        ("errors.py is not clear, deploy/Dockerfile is", ["deploy/Dockerfile"]),
        ("nothing.py, https://example.org/bank.py, bank.pyc, ada@bank.py", []),
    ],
)
def test_files_that_a_line_names(line: str, places: list[str]) -> None:
    found = list(code_places([line], 5, FILES))
    assert [p.shown for p in found] == places
    assert all(p.line == 5 for p in found)


def test_a_file_is_named_once() -> None:
    assert len(list(code_places(["bank.py", "src/shop/bank.py"], 1, FILES))) == 1


@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text(line: str, target: str) -> None:
    assert all(p.path in {q for group in FILES.values() for q in group} for p in code_places([line], 1, FILES))
    found = resolve("guide/a.md", target, PATHS)
    assert found is None or found[0] in PATHS
    assert same_file(target, FILES) in {"", *(q for group in FILES.values() for q in group)}
