"""What is prose in a repository is read as its documents, beside what is connected as documents already."""

from __future__ import annotations

from pathlib import Path

from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.settings.load import load_settings
from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_sources import open_document_sources
from workers.sources.documents.document_files import is_prose

FILES = {
    "README.md": "# Bakery\n\nBakes bread.\n",
    "CHANGELOG.md": "# 2.1.0\n\n- Rye.\n\n# 2.0.0\n\n- Wheat.\n",
    "LICENSE.md": "# Licence\n\nAll rights.\n",
    "requirements.txt": "flour==1\n",
    "docs/ovens.rst": "Ovens\n=====\n\nThey are hot.\n",
    "src/oven.py": '"""An oven."""\n',
    "tests/data/page.md": "# A page to parse\n",
    "tests/README.md": "# How to test\n\nRun them.\n",
    "node_modules/dough/README.md": "# Dough\n",
}


def documents(home: Path, **connected: object) -> dict[str, str]:
    """Path of each document that is opened, with its title."""
    settings = load_settings({f"oracle.{key}": value for key, value in connected.items()}, home=home)
    opened, problems = open_all(open_document_sources(settings))
    assert not problems
    return {record.path: record.title for _, index in opened for record in index.records}


def test_a_repository_alone_has_its_prose_as_documents(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "bakery", FILES)
    found = documents(tmp_path / "home", repositories=[{"path": str(repo)}])
    assert found == {
        "README.md": "Bakery",
        "CHANGELOG.md": "CHANGELOG",
        "docs/ovens.rst": "Ovens",
        "tests/README.md": "How to test",
    }


def test_what_is_connected_as_documents_is_read_once(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "bakery", FILES)
    both = {"repositories": [{"path": str(repo)}], "documents": [{"path": str(repo / "docs")}]}
    assert set(documents(tmp_path / "home", **both)) == {"README.md", "CHANGELOG.md", "tests/README.md", "ovens.rst"}
    whole = {"repositories": [{"path": str(repo)}], "documents": [{"path": str(repo)}]}
    assert "docs/ovens.rst" in documents(tmp_path / "home", **whole)
    assert len(list(open_document_sources(load_settings({f"oracle.{k}": v for k, v in whole.items()})).sources)) == 1


def test_a_file_that_is_added_is_found(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "bakery", FILES)
    before = documents(tmp_path / "home", repositories=[{"path": str(repo)}])
    (repo / "CONTRIBUTING.md").write_text("# Contributing\n\nWash your hands.\n")
    after = documents(tmp_path / "home", repositories=[{"path": str(repo)}])
    assert set(after) - set(before) == {"CONTRIBUTING.md"}


@each_row(
    "path, prose",
    [
        ("guide/start.adoc", True),
        ("NEWS.txt", True),
        ("notes.txt", False),
        ("COPYING.rst", False),
        ("vendor/lib/README.md", False),
        ("wiki/start.md", False),
        ("site/index.html", False),
    ],
)
def test_what_is_prose(path: str, prose: bool) -> None:
    assert is_prose(path, ("wiki",)) is prose
