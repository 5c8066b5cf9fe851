"""Moves: every link goes on leading where it led, and nothing else changes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.vault_reference import faults, read_vault
from tests.support.vaults import FOLDERS, NAMES, make_vault, moved, vaults
from workers.agents.memory.source.vault.apply import apply, undo
from workers.agents.memory.source.vault.change_log import ChangeLog
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import Vault
from workers.errors import ToolArgumentError, VaultConflict


def after_move(root: Path, files: dict[str, str], source: str, target: str) -> dict[str, str]:
    vault = make_vault(root / "vault", files)
    before = read_vault(vault.root)
    mapping = Staging(vault).mapping(source, target)
    moved(vault, ChangeLog(root / "log"), source, target)
    after = read_vault(vault.root)
    assert faults(before, after, mapping) == []
    return {path: raw.decode() for path, raw in after.items()}


@pytest.mark.parametrize(
    ("source", "target", "link", "becomes"),
    [
        ("a/Old.md", "a/New.md", "[[Old]]", "[[New]]"),
        ("a/Old.md", "b/Old.md", "[[Old]]", "[[Old]]"),
        ("a/Old.md", "b/New.md", "[[a/Old#H#I|x]]", "[[b/New#H#I|x]]"),
        ("a/Old.md", "b/New.md", "![[a/Old#^q]]", "![[b/New#^q]]"),
        ("a/Old.md", "b/New.md", "[[/a/Old]]", "[[/b/New]]"),
        ("a/Old.md", "New", "[[Old.md]]", "[[New.md]]"),
        ("a/Old.md", "b/New.md", "[[../a/Old]]", "[[../b/New]]"),
        ("a/Old.md", "n/a b (c).md", "[t](../a/Old.md#h)", "[t](a%20b%20%28c%29.md#h)"),
        ("a/Old.md", "b/n é.md", '[t](<../a/Old.md> "x")', '[t](<../b/n é.md> "x")'),
        ("a/Old.md", "b/Old.md", "[t](Old.md)", "[t](Old.md)"),
        ("a/Old.md", "b/New.md", "| [[Old\\|x]] |", "| [[New\\|x]] |"),
        ("a/Old.md", "b/Taken.md", "[[Old]] [[Taken]]", "[[b/Taken]] [[Taken]]"),
        ("pic.png", "img/shot.png", "![[pic.png|100]] ![](../pic.png)", "![[shot.png|100]] ![](../img/shot.png)"),
        ("a", "z/deep", "[[a/Old]] [[Old]]", "[[z/deep/Old]] [[Old]]"),
        ("a/Old.md", "a/New.md", "`[[Old]]` %%[[Old]]%% [[Old", "`[[Old]]` %%[[Old]]%% [[Old"),
    ],
)
def test_each_way_to_link(tmp_path: Path, source: str, target: str, link: str, becomes: str) -> None:
    files = {"a/Old.md": "# H\n", "pic.png": "png", "Taken.md": "", "n/From.md": f"x {link}\r\n"}
    after = after_move(tmp_path, files, source, target)
    assert after["n/From.md"] == f"x {becomes}\r\n"


def test_the_links_of_the_note_that_moves(tmp_path: Path) -> None:
    files = {
        "a/Here.md": '---\nup: "[[./Sib]]"\n---\n'
        "[[Sib]] [s](Sib.md) ![p](../pic.png) [[#Top]] [[Here]] [r][x]\n\n[x]: sub/Low.md\n",
        "a/Sib.md": "",
        "a/sub/Low.md": "",
        "pic.png": "",
    }
    after = after_move(tmp_path, files, "a/Here.md", "b/c/There.md")
    assert after["b/c/There.md"] == (
        '---\nup: "[[../../a/Sib]]"\n---\n[[Sib]] [s](../../a/Sib.md) ![p](../../pic.png) [[#Top]] [[There]] [r][x]\n\n'
        "[x]: ../../a/sub/Low.md\n"
    )


CANVAS = """{
\t"nodes":[
\t\t{"id":"1","type":"file","file":"a/Old.md","subpath":"#H","x":0},
\t\t{"id":"2","type":"text","text":"see [[a/Old|it]], \\"file\\": \\"a/Old.md\\"\\n[[Other]] \\u00e9","x":1},
\t\t{"id":"3","type":"group","background":"pic.png","label":"a/Old.md"}
\t],
\t"edges":[]
}"""


def test_a_canvas_follows_a_move_in_its_files_and_cards(tmp_path: Path) -> None:
    files = {"a/Old.md": "# H\n", "Other.md": "", "pic.png": "", "Map.canvas": CANVAS, "From.md": "[[Map.canvas]]"}
    vault = make_vault(tmp_path / "vault", files)
    moved(vault, ChangeLog(tmp_path / "log"), "a/Old.md", "b/New é.md")
    after = (vault.root / "Map.canvas").read_text(encoding="utf-8")
    wanted = CANVAS.replace('"file":"a/Old.md"', '"file":"b/New é.md"').replace("[[a/Old|", "[[b/New \\u00e9|")
    assert after.replace("\\u00e9", "é") == wanted.replace("\\u00e9", "é")
    assert json.loads(after)["nodes"][2]["label"] == "a/Old.md"


@pytest.mark.parametrize(
    ("source", "target", "name", "text", "links", "left"),
    [
        ("a/Old.md", "a/New.md", "T.base", 'filters:\n  and:\n    - file.hasLink("Old")\n', 0, True),
        ("a/Old.md", "b/Old.md", "T.base", 'filters:\n  and:\n    - file.hasLink("Old")\n', 0, False),
        ("a", "z", "T.base", "filters:\n  and:\n    - 'file.inFolder(\"a\")'\n", 1, True),
        ("a/Old.md", "a/New.md", "T.base", "filters: file.inFolder('a')\n", 0, False),
        ("a/Old.md", "a/New.md", "T.canvas", '{"nodes": [{"file": "a/Old.md"}', 0, True),
        ("a/Old.md", "a/New.md", "T.canvas", '{"nodes": [{"file": "a/Old.md"}]}', 1, False),
        ("a/Old.md", "a/New.md", "T.canvas", "", 0, False),
    ],
)
def test_what_a_move_does_not_mend_is_named(
    tmp_path: Path, source: str, target: str, name: str, text: str, links: int, left: bool
) -> None:
    vault = make_vault(tmp_path, {"a/Old.md": "", "a/More.md": "", "From.md": "[[a/More]]", name: text})
    done = Staging(vault).move(source, target)
    assert (done.links, done.unmended) == (links, [name] if left else [])
    assert (name in done.note) is left


def test_a_canvas_that_changed_meanwhile_is_not_overwritten_and_an_undo_gives_it_back(tmp_path: Path) -> None:
    board = '{"nodes":[{"file":"Old.md"}]}'
    vault = make_vault(tmp_path / "vault", {"Old.md": "", "M.canvas": board})
    log, place = ChangeLog(tmp_path / "log"), vault.root / "M.canvas"
    staging = Staging(vault)
    staging.move("Old.md", "New.md")
    place.write_text('{"nodes":[]}')
    with pytest.raises(VaultConflict):
        apply(vault, staging.change_set("move"), log)
    place.write_text(board)
    apply(vault, staging.change_set("move"), log)
    assert place.read_text() == '{"nodes":[{"file":"New.md"}]}'
    undo(vault, log)
    assert place.read_text() == board


def test_a_name_that_clashes_lengthens_the_links_to_the_other(tmp_path: Path) -> None:
    files = {"x/Plan.md": "", "y/Draft.md": "", "From.md": "[[Plan]] [[Draft]]"}
    after = after_move(tmp_path, files, "y/Draft.md", "Plan.md")
    assert after["From.md"] == "[[x/Plan]] [[Plan]]"


def test_an_address_does_not_lead_out_of_the_vault(tmp_path: Path) -> None:
    after = after_move(tmp_path, {"d/From.md": "[a](../A%20b.md)", "A b.md": ""}, "d/From.md", "/")
    assert after["From.md"] == "[a](A%20b.md)"


def test_links_that_led_nowhere_are_counted(tmp_path: Path) -> None:
    vault = make_vault(tmp_path, {"Old.md": "", "From.md": "[[New]]"})
    assert Staging(vault).move("Old", "New").caught == 1


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Missing", "x.md"),
        ("a/Old.md", "Taken.md"),
        ("a/Old.md", "taken.md"),
        ("a/Old.md", "../out.md"),
        ("a/Old.md", "/abs.md"),
        ("a/Old.md", ".obsidian/x.md"),
        ("a/Old.md", "x/.hidden/y.md"),
        ("a/Old.md", "con.md"),
        ("a/Old.md", "a:b.md"),
        ("a/Old.md", "a#b.md"),
        ("a/Old.md", "Taken.md/x.md"),
        ("a/Old.md", "x" * 300),
        ("a", "a/inside"),
        ("a/Old.md", "a/Old.md"),
    ],
)
def test_moves_that_are_refused(tmp_path: Path, source: str, target: str) -> None:
    vault = make_vault(tmp_path, {"a/Old.md": "", "Taken.md": ""})
    with pytest.raises(ToolArgumentError):
        Staging(vault).move(source, target)


def test_moves_after_each_other_come_to_one_set(tmp_path: Path) -> None:
    files = {"A.md": "[[B]]", "B.md": "[[A]]", "c/C.md": "[[A]] [[B]]"}
    vault = make_vault(tmp_path / "vault", files)
    before = read_vault(vault.root)
    staging = Staging(vault)
    staging.move("A.md", "X.md")
    staging.move("B.md", "A.md")
    staging.move("X.md", "B.md")
    staging.move("c", "d/e")
    changes = staging.change_set("swap")
    log = ChangeLog(tmp_path / "log")
    apply(vault, changes, log)
    after = read_vault(vault.root)
    assert faults(before, after, {"A.md": "B.md", "B.md": "A.md", "c/C.md": "d/e/C.md"}) == []
    undo(vault, log)
    assert read_vault(vault.root) == before


TARGETS = st.builds(
    lambda f, n: f"{f}/{n}".lstrip("/"), st.sampled_from(FOLDERS), st.sampled_from([*NAMES, "New one", "NOTE"])
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(vaults(), st.lists(st.tuples(st.integers(0, 30), TARGETS), min_size=1, max_size=3), st.booleans())
def test_any_vault_any_moves(files: dict[str, str], moves: list[tuple[int, str]], shortest: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        vault = make_vault(Path(place, "vault"), files)
        if shortest:
            (vault.root / ".obsidian").mkdir()
            (vault.root / ".obsidian" / "app.json").write_text('{"newLinkFormat": "shortest"}')
        log = ChangeLog(Path(place, "log"))
        first = before = read_vault(vault.root)
        done = 0
        for number, target in moves:
            sources = [*vault.index.files, *sorted(vault.index.folders())]
            source = sources[number % len(sources)]
            try:
                mapping = Staging(vault).mapping(source, target)
            except ToolArgumentError:
                continue
            moved(vault, log, source, target)
            done += 1
            after = read_vault(vault.root)
            assert faults(before, after, mapping) == []
            fresh = Vault.open(vault.root)
            assert (fresh.index.notes, fresh.index.mentions) == (vault.index.notes, vault.index.mentions)
            before = after
        for _ in range(done):
            undo(vault, log)
        assert read_vault(vault.root) == first
