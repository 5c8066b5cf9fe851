"""Which files a question names: by path, by what they define, as what serves an endpoint."""

from __future__ import annotations

import pytest

from tests.support.git_repositories import make_repository
from workers.search import CodeIndex
from workers.sources.history.asked_files import arguments, asked_files, bracketed

FILES = {
    "server.js": """const boats = require('./lib/boats');
const { guard } = require('./lib/guard');
app.get('/harbour/boats', guard(boats.listBoats));
app.post('/harbour/boats', boats.addBoat);
app.get('/harbour/time', (req, res) => res.send(Date.now()));
""",
    "lib/boats.js": "function listBoats(req) { return req.db.all(); }\nfunction addBoat(req) { return 1; }\n",
    "lib/guard.js": "function guard(next) { return next; }\n",
    "docks/main.go": 'package docks\n\nfunc Serve(mux Mux) {\n\tdock := NewDock(4)\n\tmux.HandleFunc("/harbour/docks", '
    "dock.ShowDocks)\n}\n",
    "docks/dock.go": "package docks\n\ntype Dock struct{}\n\nfunc NewDock(n int) *Dock { return nil }\n\n"
    "func (d *Dock) ShowDocks() {}\n",
    "tide.py": '@app.get("/harbour/tide")\ndef tide():\n    return high_water()\n',
    "tests/test_boats.js": "test('/harbour/boats', () => listBoats())\n",
}


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    folder = make_repository(tmp_path_factory.mktemp("harbour"), FILES)
    return CodeIndex.build(folder, tmp_path_factory.mktemp("index"))


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("/harbour/boats", {"lib/boats.js", "lib/guard.js"}),
        ("/harbour/docks", {"docks/dock.go"}),
        ("/harbour/tide", {"tide.py"}),
        ("/harbour/time", {"server.js"}),
        ("dock.go", {"docks/dock.go"}),
        ("listBoats", {"lib/boats.js"}),
        ("/harbour/lighthouse", set()),
        ("", set()),
    ],
)
def test_the_files_that_are_meant(harbour: CodeIndex, query: str, files: set[str]) -> None:
    assert set(asked_files(harbour, query)) == files


def test_brackets_are_kept_whole() -> None:
    assert arguments("a(b, c), d[e, f], g") == ["a(b, c)", "d[e, f]", "g"]
    assert bracketed("(a(b), c).d") == ("a(b), c", ".d")
    assert bracketed("(open") == ("open", "")
