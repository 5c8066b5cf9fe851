"""``oracle vault``: a person's own command changes at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli.commands import run
from tests.support.vault_reference import read_vault
from tests.support.vaults import make_vault
from workers.agents.memory.commands import Verb, vault

SAID = "# A\n\nabout retries #x\n"
FILES = {"A.md": SAID, "sub/B.md": "[[A]] [a](../A.md)\n", "sub/C.md": SAID}


@pytest.fixture
def root(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORACLE_VAULT", str(tmp_path / "vault"))
    return make_vault(tmp_path / "vault", FILES).root


def test_a_move_its_dry_run_and_its_undo(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_vault(root)
    vault(Verb.MOVE, ["A", "deep/Z"], dry_run=True)
    shown = capsys.readouterr().out
    assert "[[A]] → [[Z]]" in shown
    assert "A.md → deep/Z.md" in shown
    assert read_vault(root) == before
    vault(Verb.MOVE, ["A", "deep/Z"])
    assert "[a](../A.md) → [a](../deep/Z.md)" in capsys.readouterr().out
    assert (root / "sub" / "B.md").read_text() == "[[Z]] [a](../deep/Z.md)\n"
    vault(Verb.UNDO)
    assert read_vault(root) == before
    capsys.readouterr()
    vault(Verb.LOG, json_out=True)
    assert [entry["state"] for entry in json.loads(capsys.readouterr().out)] == ["applied", "undone"]


def test_what_it_prints(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault(Verb.LIST, ["sub"], json_out=True)
    assert [row["path"] for row in json.loads(capsys.readouterr().out)] == ["sub/B.md", "sub/C.md"]
    vault(Verb.BACKLINKS, ["A"])
    assert capsys.readouterr().out.splitlines() == ["sub/B.md:1  [[A]] [a](../A.md)"] * 2
    vault(Verb.READ, ["A#A"])
    assert "about retries" in capsys.readouterr().out
    vault(Verb.SEARCH, ["retries"])
    assert "A.md:" in capsys.readouterr().out
    vault(Verb.TAGS)
    assert "2  #x" in capsys.readouterr().out
    vault(Verb.DUPLICATES)
    assert "A.md  =  sub/C.md" in capsys.readouterr().out
    vault(Verb.MERGE, ["A", "sub/C"])
    vault(Verb.INDEX, ["sub"])
    assert sorted(read_vault(root)) == ["A.md", "sub/B.md", "sub/sub.md"]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["read", "Mising"], 1, "Mising"),
        (["read", "sub/D"], 1, "(near: sub/"),
        (["move", "A"], 2, "it takes other words"),
        (["tags", "x"], 2, "it takes other words"),
    ],
)
def test_mistakes_get_one_sentence(
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["oracle", "vault", *words])
    with pytest.raises(SystemExit) as caught:
        run()
    assert caught.value.code == code
    [line] = capsys.readouterr().err.splitlines()
    assert told in line
