"""Definitions by bare and qualified names, a language at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_samples import SAMPLES, Sample
from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.sources.code.definition_lookup import find_definitions, module_parts, split_symbol
from workers.sources.code.index import CodeIndex


@pytest.fixture(scope="module", params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Sample, CodeIndex]:
    folder = tmp_path_factory.mktemp(request.param)
    repo = make_repository(folder / "repo", SAMPLES[request.param].files)
    return SAMPLES[request.param], CodeIndex.build(repo, folder / "index")


def test_each_is_found_where_it_stands(sample: tuple[Sample, CodeIndex]) -> None:
    told, index = sample
    for symbol, (kind, line) in told.kinds.items():
        (place,) = [p for p in find_definitions(index, symbol) if p.path == told.home]
        assert (place.kind, place.line) == (kind, line)
        assert place.name in place.signature
        assert place.start <= place.line <= place.end


def test_a_method_knows_its_class_and_a_path_or_language_limits(sample: tuple[Sample, CodeIndex]) -> None:
    told, index = sample
    method = next(symbol for symbol, (kind, _) in told.kinds.items() if kind == "method")
    _, name = split_symbol(method)
    places = find_definitions(index, name)
    assert {p.owner for p in places if p.path == told.home} == {"Cart"}
    assert len(places) == 2
    assert [p.path for p in find_definitions(index, name, path=told.home)] == [told.home]
    assert find_definitions(index, name, language="erlang") == []
    assert find_definitions(index, name, language=told.home.rpartition(".")[2]) == places


@each_row(
    "symbol, parts",
    [
        ("Cart.add", (("Cart",), "add")),
        ("a::b::c", (("a", "b"), "c")),
        ("Cart#add", (("Cart",), "add")),
        ("cart->add()", (("cart",), "add")),
        (" `add` ", ((), "add")),
        ("save!", ((), "save")),
        ("", ((), "")),
        ("...", ((), "")),
        ("\ud800\x00", ((), "")),
    ],
)
def test_a_symbol_is_split(symbol: str, parts: tuple[tuple[str, ...], str]) -> None:
    assert split_symbol(symbol) == parts


FILES = {
    "pay/client.py": "class Client:\n    def get(self):\n        def inner():\n            return 1\n"
    "        return inner\n",
    "pay/__init__.py": "def start():\n    pass\n",
    "mail/client.py": "class Client:\n    @property\n    def get(\n        self,\n        name,\n    ):\n"
    "        return 2\n",
    "src/shapes.rs": "pub struct Circle;\n\nimpl Circle {\n    fn area(&self) {}\n}\n",
    "tests/test_client.py": "class Client:\n    pass\n",
    "README.md": "# Client\n\n```python\nclass Client: ...\n```\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    folder = tmp_path_factory.mktemp("lookup")
    return CodeIndex.build(make_repository(folder / "repo", FILES), folder / "index")


def paths(index: CodeIndex, symbol: str) -> list[str]:
    return [place.path for place in find_definitions(index, symbol)]


def test_sources_come_before_tests_and_documents_define_nothing(index: CodeIndex) -> None:
    assert paths(index, "Client") == ["mail/client.py", "pay/client.py", "tests/test_client.py"]


def test_modules_packages_and_classes_tell_namesakes_apart(index: CodeIndex) -> None:
    assert paths(index, "pay.client.Client") == ["pay/client.py"]
    assert paths(index, "mail.Client.get") == ["mail/client.py"]
    assert paths(index, "pay.start") == ["pay/__init__.py"]
    assert paths(index, "nowhere.Client") == []


def test_another_spelling_is_found_when_none_is_exact(index: CodeIndex) -> None:
    assert paths(index, "client") == paths(index, "Client")
    assert paths(index, "Absent") == []


def test_signatures_and_kinds(index: CodeIndex) -> None:
    (get,) = find_definitions(index, "mail.client.Client.get")
    assert (get.line, get.signature) == (3, "def get(self, name)")
    assert [p.kind for p in find_definitions(index, "inner")] == ["function"]
    assert [(p.kind, p.line) for p in find_definitions(index, "Circle")] == [("class", 1), ("implementation", 3)]


def test_modules_are_named_as_code_names_them() -> None:
    assert module_parts("a/b/__init__.py") == ["a", "b"]
    assert module_parts("a/b.test.ts") == ["a", "b"]
    assert module_parts("") == []


def test_an_index_without_files_has_none(tmp_path: Path) -> None:
    assert find_definitions(CodeIndex.build(make_repository(tmp_path / "repo"), tmp_path / "index"), "x") == []
