"""Search over code, on a small repository and on this project's own files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.costly_examples import few_examples
from tests.support.each_row import each_row
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.search import CodeHit, CodeIndex
from workers.sources.code.index_build import FILE

ROOT = Path(__file__).resolve().parents[4]


def first(hits: list[CodeHit]) -> str:
    return hits[0].path if hits else ""


@each_row(
    "query, path",
    [
        ("BankClient", "billing/client.py"),
        ("bank_client", "billing/client.py"),
        ("BankClient.charge_card", "billing/client.py"),
        ("how are cards charged at the bank", "billing/client.py"),
        ("where are the attempts of the bank configured", "config/production.yaml"),
        ("/api/orders", "web/routes.py"),
        ("why is /api/orders/17 slow", "web/routes.py"),
        ("ORDERS_PAGE_SIZE", "web/handlers.py"),
        ("web/store.py", "web/store.py"),
        ("store.py", "web/store.py"),
        ('"too many attempts"', "billing/client.py"),
        ("index on orders by time", "db/orders.sql"),
        ("bank max_attempts in production.yaml", "config/production.yaml"),
        ("test that charging a card tries again", "tests/test_client.py"),
    ],
)
def test_the_right_file_comes_first(index: CodeIndex, query: str, path: str) -> None:
    assert first(index.search(query)) == path


@each_row(
    "query",
    [
        "/api/doesnotexist",
        "zeppelin flux capacitor",
        "ZeppelinClient",
        "where is ZEPPELIN_URL set",
        "zeppelin.py",
        "",
        "?!",
        "where is the",
    ],
)
def test_nothing_is_likely_found_for_what_is_not_there(index: CodeIndex, query: str) -> None:
    found = index.find(query)
    assert not found.coverage.likely
    assert all(hit.unmatched for hit in found.hits)


def test_the_nearest_come_with_what_no_file_names(index: CodeIndex) -> None:
    found = index.find("where is the zeppelin charged by the bank client")
    assert found.hits[0].path.endswith("client.py")
    assert found.hits[0].unmatched == ("zeppelin",)


def test_what_is_missing_is_named(index: CodeIndex) -> None:
    found = index.find("does BankClient use ZeppelinClient, a zeppelin?")
    assert found.hits
    assert found.coverage.missing == ("ZeppelinClient",)
    assert found.coverage.absent == ("zeppelin",)
    assert not index.find("does BankClient call /api/zeppelin").coverage.covered


def test_handlers_follow_their_endpoint(index: CodeIndex) -> None:
    paths = [h.path for h in index.search("/api/orders", 3)]
    assert paths[0] == "web/routes.py"
    assert "web/handlers.py" in paths


def test_sources_come_before_tests_and_documents(index: CodeIndex) -> None:
    paths = [h.path for h in index.search("bank client tries again on charge card", 10)]
    assert paths[0] == "billing/client.py"
    assert paths.index("billing/client.py") < paths.index("tests/test_client.py")
    assert paths.index("billing/client.py") < paths.index("docs/billing.md")


def test_a_path_limits_the_search(index: CodeIndex) -> None:
    assert {h.path for h in index.search("charge card", path="tests/")} == {"tests/test_client.py"}


def test_short_excerpts_hold_the_answer(index: CodeIndex) -> None:
    hits = index.search("where are the max attempts of the bank client configured", max_lines=5)
    assert all(hit.end_line - hit.start_line < 5 for hit in hits)
    by_path = {hit.path: hit for hit in reversed(hits)}
    assert "MAX_ATTEMPTS = 4" in by_path["billing/client.py"].excerpt
    assert "MAX_ATTEMPTS" in by_path["billing/client.py"].symbols
    assert "max_attempts: 6" in by_path["config/production.yaml"].excerpt


def test_excerpts_are_the_lines_of_the_commit(index: CodeIndex, shop: Path) -> None:
    for query in ("orders", "bank attempts", "charge card", "level of logging", "billing"):
        for hit in [*index.search(query), *index.search(query, max_lines=6)]:
            assert hit.excerpt == lines_at(shop, hit.commit, hit.path, hit.start_line, hit.end_line)
            assert hit.url == f"{(shop / hit.path).as_uri()}#L{hit.start_line}-L{hit.end_line}"
            assert 0 < hit.score < 1


def test_definitions_and_references(index: CodeIndex) -> None:
    found = index.definitions("charge_card")
    assert [(h.path, h.symbols) for h in found] == [("billing/client.py", ("BankClient.charge_card",))]
    assert found[0].excerpt.startswith("    def charge_card(")
    assert index.definitions("BankClient.charge_card") == found
    assert index.definitions("Other.charge_card") == []
    uses = index.references("charge_card")
    assert [u.path for u in uses] == ["web/routes.py", "tests/test_client.py"]
    assert all("charge_card" in u.text for u in uses)
    places = [(u.path, u.line) for u in index.references("BankClient")]
    assert places[0] == ("web/routes.py", 8)
    assert ("billing/client.py", 11) not in places


def test_a_plain_word_is_used_only_where_it_is_code(tmp_path: Path) -> None:
    folder = make_repository(
        tmp_path / "r",
        {"a.py": "def send(x):\n    return x\n", "b.py": "# we send things\nimport a\n\na.send(1)\n'send'\n"},
    )
    found = CodeIndex.build(folder, tmp_path / "i").references("send")
    assert [(u.path, u.line) for u in found] == [("b.py", 4)]


def test_results_do_not_depend_on_the_run(index: CodeIndex) -> None:
    assert index.search("orders bank", 10) == index.search("orders bank", 10)
    assert index.search("orders bank", 10)[:3] == index.search("orders bank", 3)


def test_routes(index: CodeIndex) -> None:
    assert index.routes() == ["/api/orders", "/api/orders/{order_id}", "/api/charges"]


# --- building -------------------------------------------------------------------------------------------------


ODD: dict[str, str | bytes] = {
    "crlf.py": "def windows_lines():\r\n    return 'carriage'\r\n",
    "noend.py": "def without_end():\n    return 1",
    "latin.py": "def latin_text():\n    return 'gr\xfc\xdfe'\n".encode("latin-1"),
    "tabs.go": "package a\n\nfunc TabbedThing() {\n\treturn\n}\n",
    "feed.py": "def form_feed():\n    pass\n\x0c\ndef after_feed():\n    pass\n",
    "huge.py": "huge_name = 1\n" * 90_000,
    "min.js": "var minified_name=1;" * 2_000,
    "binary.dat2": b"binary_name\0\0\1",
    "empty.py": "",
    "blank.py": "\n\n\n",
}


def test_odd_files(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", ODD)
    index = CodeIndex.build(folder, tmp_path / "i")
    for query in ("windows_lines", "without_end", "latin_text", "TabbedThing", "after_feed"):
        hit = index.search(query)[0]
        assert query in hit.excerpt
        assert hit.excerpt == lines_at(folder, "HEAD", hit.path, hit.start_line, hit.end_line)
    for query in ("huge_name", "minified_name", "binary_name"):
        assert not index.find(query).coverage.covered
        assert all(query not in hit.excerpt for hit in index.search(query))


any_lines = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60), min_size=1, max_size=80
)


@few_examples(9)
@given(st.lists(any_lines, min_size=3, max_size=3))
def test_excerpts_of_any_text_are_its_lines(tmp_path_factory: pytest.TempPathFactory, files: list[list[str]]) -> None:
    base = tmp_path_factory.mktemp("any")
    sources = {
        f"{name}.py": "\n".join([*texts, "needle_in_haystack = 1", *texts]).encode()
        for name, texts in zip("abc", files, strict=True)
    }
    folder = make_repository(base / "r", sources)
    found = CodeIndex.build(folder, base / "i").search("needle_in_haystack", max_lines=9)
    assert found
    for hit in found:
        assert hit.excerpt == lines_at(folder, "HEAD", hit.path, hit.start_line, hit.end_line)


def test_this_project_is_found_in_itself(tmp_path: Path) -> None:
    parts = ("*.py", "settings/*.py", "sources/*.py", "sources/code/*.py", "tools/*.py")
    files = {p.relative_to(ROOT).as_posix(): p.read_bytes() for part in parts for p in ROOT.glob(f"workers/{part}")}
    folder = make_repository(tmp_path / "r", files)
    index = CodeIndex.build(folder, tmp_path / "i")
    for query in ("where are routes resolved", "CodeIndex.search", "config overlay from the environment"):
        for hit in index.search(query, 20):
            assert hit.excerpt == lines_at(folder, hit.commit, hit.path, hit.start_line, hit.end_line)
    assert first(index.search("CodeIndex")) == "workers/sources/code/index.py"
    assert first(index.search("where is BATCH_BYTES set")) == "workers/sources/code/parallel_parsing.py"


def test_a_large_repository_is_parsed_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {f"m{i}.py": f"def thing_{i}():\n    return {i}\n" for i in range(20)})
    plain = CodeIndex.build(folder, tmp_path / "plain")
    monkeypatch.setattr("workers.sources.code.parallel_parsing.BATCH_BYTES", 100)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    beside = CodeIndex.build(folder, tmp_path / "beside")
    assert same_content(plain, beside)


def same_content(a: CodeIndex, b: CodeIndex) -> bool:
    one, two = a.columns.container, b.columns.container
    dropped = {"chunk.terms", "chunk.offsets"}  # an earlier index may hold terms that nothing uses any more
    return all(one.arrays[n].tobytes() == two.arrays[n].tobytes() for n in one.arrays if n not in dropped)


def test_rebuilding_is_building_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.sources.code.index_build.FEW_FILES", 0)
    folder = make_repository(
        tmp_path / "r",
        {
            "a.py": "def alpha():\n    pass\n",
            "b.py": "def beta():\n    pass\n",
            "twin.py": "def beta():\n    pass\n",
            "d.yaml": "a.b/c: 1\n",
        },
    )
    index = CodeIndex.build(folder, tmp_path / "i")
    assert first(index.search("alpha")) == "a.py"
    commit(
        folder,
        {
            "a.py": None,
            "tests/moved.py": "def beta():\n    pass\n",
            "b.py": "def gamma():\n    alpha()\n",
            "c.go": "package c\n",
        },
        "Two",
    )
    again = CodeIndex.ensure(folder, tmp_path / "i")
    assert again.commit == run_git(folder, "rev-parse", "HEAD").strip()
    assert same_content(again, CodeIndex.build(folder, tmp_path / "fresh"))
    assert [h.path for h in again.search("gamma")] == ["b.py"]
    assert {h.path for h in again.search("beta")} == {"twin.py", "tests/moved.py"}


def test_an_unchanged_repository_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def alpha():\n    pass\n"})
    CodeIndex.build(folder, tmp_path / "i")

    def refuse(*args: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr("workers.sources.code.index.build_index", refuse)
    assert CodeIndex.ensure(folder, tmp_path / "i").search("alpha")


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[: len(raw) // 2] + bytes(255 - b for b in raw[len(raw) // 2 :]),
        lambda raw: b"",
    ],
)
def test_a_damaged_index_is_built_again(tmp_path: Path, damage: object) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def alpha():\n    pass\n"})
    CodeIndex.build(folder, tmp_path / "i")
    file = tmp_path / "i" / FILE
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    with pytest.raises(ToolUnavailable, match="no readable code index"):
        CodeIndex.open(tmp_path / "i")
    assert CodeIndex.ensure(folder, tmp_path / "i").search("alpha")


def test_a_branch(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def alpha():\n    pass\n"})
    run_git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"a.py": "def omega():\n    pass\n"}, "Side")
    run_git(folder, "checkout", "-q", "main")
    assert CodeIndex.ensure(folder, tmp_path / "i", "side").search("omega")
    assert CodeIndex.ensure(folder, tmp_path / "i").search("alpha")
    with pytest.raises(ToolUnavailable, match="no branch, tag or commit 'none'"):
        CodeIndex.build(folder, tmp_path / "i", "none")


def test_a_repository_without_commits(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r")
    index = CodeIndex.build(folder, tmp_path / "i")
    assert index.commit == ""
    assert index.search("anything") == []
    assert index.definitions("x") == []
    assert index.references("x") == []
    commit(folder, {"a.py": "def alpha():\n    pass\n"}, "One")
    assert CodeIndex.ensure(folder, tmp_path / "i").search("alpha")


def test_only_uncommitted_files_and_a_remote(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def alpha():\n    pass\n"})
    (folder / "b.py").write_text("def uncommitted():\n    pass\n")
    run_git(folder, "remote", "add", "origin", "git@github.com:o/r.git")
    index = CodeIndex.build(folder, tmp_path / "i")
    assert not index.find("uncommitted").coverage.covered
    hit = index.search("alpha")[0]
    assert hit.url == f"https://github.com/o/r/blob/{hit.commit}/a.py#L1-L2"
    template = CodeIndex.open(tmp_path / "i", "https://x.example/{path}@{commit}#{start}-{end}")
    assert template.search("alpha")[0].url == f"https://x.example/a.py@{hit.commit}#1-2"


def test_an_index_folder_that_cannot_be_written(tmp_path: Path, shop: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolUnavailable, match="cannot be written"):
        CodeIndex.build(shop, tmp_path / "file" / "i")


def test_a_definition_comes_before_what_carries_it_on(tmp_path: Path) -> None:
    whole = "class SqlMapper {\n  // SqlMapper maps rows\n  void SqlMapperParse() { SqlMapper.Read(); }\n}\n"
    files = {
        "src/SqlMapper.cs": "class SqlMapper {\n  void Query() {}\n}\n",
        "src/SqlMapper.IDataReader.cs": whole,
        "src/SqlMapper.Async.cs": whole.replace("Parse", "Later"),
        "src/single_include/all.cs": whole * 3,
    }
    index = CodeIndex.build(make_repository(tmp_path / "r", files), tmp_path / "i")
    paths = list(dict.fromkeys(hit.path for hit in index.search("SqlMapper")))
    assert paths[0] == "src/SqlMapper.cs"
    assert paths[-1] == "src/single_include/all.cs"
