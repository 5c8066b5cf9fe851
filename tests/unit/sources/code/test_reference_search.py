"""Uses of a symbol, and which of several definitions they mean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.code_samples import SAMPLES
from tests.support.git_repositories import make_repository
from workers.sources.code.index import CodeIndex
from workers.sources.code.reference_meaning import Certainty
from workers.sources.code.reference_search import Reference, find_references


def build(folder: Path, files: dict[str, str]) -> CodeIndex:
    return CodeIndex.build(make_repository(folder / "repo", files), folder / "index")


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_uses_in_each_language(language: str, tmp_path: Path) -> None:
    """Neither definitions, comments, strings, local variables nor the uses of a namesake."""
    sample = SAMPLES[language]
    index = build(tmp_path, sample.files)
    for symbol, (user, home) in sample.uses.items():
        found = find_references(index, symbol, path=sample.home)
        likely = [u for u in found.uses if u.certainty >= Certainty.LIKELY]
        assert {u.line for u in likely if u.path == sample.user} == user, symbol
        assert {u.line for u in likely if u.path == sample.home} == home, symbol
        assert {p.path for u in likely for p in u.means} == {sample.home}


FILES = {
    "pay/client.py": """class Client:
    def fetch(self):
        return self.fetch()


class Retrying(Client):
    def run(self):
        return self.fetch(), super().fetch()


def connect():
    return Client()
""",
    "mail/client.py": "class Client:\n    def fetch(self):\n        return 2\n\n\ndef connect():\n    return 1\n",
    "jobs.py": """from mail.client import connect
from pay.client import Client
import pay.client as pay


def one(client: Client, thing):
    client.fetch()
    thing.fetch()
    "abc".fetch()
    return connect(), pay.connect()


def two(fetch=1):
    run(fetch=fetch)
    return [connect for connect in ()]
""",
    "web/index.ts": "export { start } from './run'\n",
    "web/run.ts": "export const start = () => 1\n",
    "app.ts": "import { start } from './web'\nimport { start as other } from 'elsewhere'\nstart()\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    return build(tmp_path_factory.mktemp("uses"), FILES)


def lines(index: CodeIndex, symbol: str, path: str = "") -> dict[tuple[str, int], Certainty]:
    return {(u.path, u.line): u.certainty for u in find_references(index, symbol, path).uses}


def test_a_method_is_told_from_its_namesake_by_the_receiver(index: CodeIndex) -> None:
    mine = lines(index, "Client.fetch", "pay/")
    assert mine[("pay/client.py", 3)] is Certainty.SURE
    assert mine[("pay/client.py", 8)] is Certainty.SURE
    assert mine[("jobs.py", 7)] >= Certainty.POSSIBLE
    assert mine[("jobs.py", 8)] is Certainty.POSSIBLE
    assert ("jobs.py", 9) not in mine
    assert ("jobs.py", 14) not in mine


def test_a_method_is_of_the_nearest_class_that_has_it(tmp_path: Path) -> None:
    index = build(
        tmp_path,
        {
            "base.py": "class Base:\n    def close(self): pass\n    def open(self): pass\n",
            "mid.py": "from base import Base\n\nclass Mid(Base):\n    def open(self): pass\n",
            "leaf.py": "from mid import Mid\n\nclass Leaf(Mid):\n    def go(self):\n        self.open()\n",
            "use.py": "from leaf import Leaf\n\ndef run():\n    x = Leaf()\n    x.open()\n    x.close()\n",
        },
    )
    assert lines(index, "Mid.open") == {("leaf.py", 5): Certainty.SURE, ("use.py", 5): Certainty.SURE}
    assert lines(index, "Base.open") == {}
    assert lines(index, "Base.close") == {("use.py", 6): Certainty.SURE}


def test_a_function_is_told_from_its_namesake_by_imports(index: CodeIndex) -> None:
    assert set(lines(index, "mail.client.connect")) == {("jobs.py", 1), ("jobs.py", 10)}
    assert set(lines(index, "pay.client.connect")) == {("jobs.py", 10)}


def test_a_bare_name_has_the_uses_of_all_with_what_each_means(index: CodeIndex) -> None:
    found = find_references(index, "connect")
    assert len(found.definitions) == 2
    first = next(u for u in found.uses if u.imports)
    assert (first.line, [p.path for p in first.means], first.inside) == (1, ["mail/client.py"], "")
    assert next(u for u in found.uses if not u.imports).inside == "one"


def test_what_a_folder_exports_again_is_found(index: CodeIndex) -> None:
    assert set(lines(index, "start")) >= {("app.ts", 1), ("app.ts", 3), ("web/index.ts", 1)}


def test_within_limits_uses_and_a_wrong_qualifier_has_none(index: CodeIndex) -> None:
    assert {u.path for u in find_references(index, "fetch", within="pay/").uses} == {"pay/client.py"}
    assert find_references(index, "Nothing.fetch").uses == ()
    assert find_references(index, "").uses == ()


def test_what_is_defined_elsewhere_has_all_its_uses(index: CodeIndex) -> None:
    found = find_references(index, "run")
    assert found.definitions
    assert [(u.path, u.line) for u in find_references(index, "thing").uses] == []


def test_files_that_are_too_many_are_counted(index: CodeIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.sources.code.reference_search.MOST_FILES", 1)
    found = find_references(index, "fetch")
    assert len({u.path for u in found.uses}) <= 1
    assert found.unread == 2


NAMES = st.sampled_from(["alpha", "beta", "Gamma", "run_it", "x"])
PIECES = st.sampled_from(
    [
        "def {n}(a):\n    return {m}(a)\n",
        "class {n}:\n    def {m}(self):\n        return self.{n}\n",
        "from mod import {n}\n",
        "{n} = {m}.{n}\n",
        "# {n}\n",
        "'''{n}\n{m}'''\n",
        "f'{{{n}}}'\n",
        "if {n}({m}={n}):\n    pass\n",
        "({n}\n",
        "lambda {n}: {n} + {m}\n",
    ]
)
SOURCES = st.lists(st.tuples(PIECES, NAMES, NAMES), max_size=8).map(
    lambda rows: "".join(piece.format(n=n, m=m) for piece, n, m in rows)
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=SOURCES, second=SOURCES, name=NAMES)
def test_every_line_of_a_use_holds_the_name(
    tmp_path_factory: pytest.TempPathFactory, first: str, second: str, name: str
) -> None:
    files = {"mod.py": first or "pass\n", "user.py": second or "pass\n"}
    index = build(tmp_path_factory.mktemp("any"), files)
    uses = find_references(index, name).uses
    for use in uses:
        assert re.search(rf"\b{name}\b", use.text)
        assert files[use.path].split("\n")[use.line - 1].strip() == use.text
        assert use.certainty > Certainty.NONE
    assert len({(u.path, u.line) for u in uses}) == len(uses)
    assert list(uses) == sorted(uses, key=sureness)


def sureness(use: Reference) -> int:
    return -use.certainty
