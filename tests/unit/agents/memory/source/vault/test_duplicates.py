"""Notes that say the same, and merging them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.vaults import make_vault
from workers.agents.memory.source.vault.duplicates import find_duplicates, merge
from workers.agents.memory.source.vault.staging import Staging
from workers.errors import ToolArgumentError

LONG = " ".join(f"word{n % 37} of line {n}" for n in range(80))
FILES = {
    "a/First.md": f"# On call\n\n{LONG}\n\nOnly in the first.\n",
    "b/Second.md": f"# On call\n\n{LONG}\n\nOnly in the second, see [x](Near.md).\n\n## Extra\n\n- one more\n",
    "b/Near.md": "something else entirely, and not very long at all, but different from the others",
    "c/Same.md": "Short but Equal words",
    "c/Copy.md": "---\ntags: [x]\n---\nshort but\n\nequal WORDS",
    "Empty.md": "",
    "Empty 2.md": "---\nx: 1\n---\n",
    "From.md": "[[Second#Extra|s]] ![[b/Second]] [[First]] `[[Second]]`\n",
}


def test_pairs_with_how_alike_and_what_differs(tmp_path: Path) -> None:
    vault = make_vault(tmp_path, FILES)
    pairs = find_duplicates(vault.index, vault.read)
    assert [(p.first, p.second) for p in pairs] == [("c/Copy.md", "c/Same.md"), ("a/First.md", "b/Second.md")]
    assert pairs[0].alike == 1.0
    assert 0.7 <= pairs[1].alike < 1
    assert pairs[1].only_first == ("Only in the first.",)
    assert pairs[1].only_second == ("Only in the second, see [x](Near.md).", "## Extra", "- one more")
    assert find_duplicates(vault.index, vault.read, below="a") == []


def test_a_merge_loses_no_words_and_no_links(tmp_path: Path) -> None:
    vault = make_vault(tmp_path, FILES)
    staging = Staging(vault)
    assert merge(staging, "First", "b/Second.md") == "a/First.md"
    text = staging.text("a/First.md")
    assert text.startswith(FILES["a/First.md"].rstrip())
    assert text.endswith(
        "## From Second\n\n# On call\n\nOnly in the second, see [x](../b/Near.md).\n\n## Extra\n\n- one more\n"
    )
    assert staging.text("From.md") == "[[First#Extra|s]] ![[a/First]] [[First]] `[[Second]]`\n"
    assert not staging.exists("b/Second.md")
    assert {link.source for link in staging.index.backlinks("a/First.md")} == {"From.md"}
    assert [c.path for c in staging.change_set("x").changes] == ["From.md", "a/First.md", "b/Second.md"]


def test_properties_of_the_other_stay_in_words(tmp_path: Path) -> None:
    vault = make_vault(
        tmp_path, {"A.md": "---\na: 1\n---\nsame\n", "B.md": "---\na: 1\nb: 2\n---\nsame\n", "C.md": "same\n"}
    )
    staging = Staging(vault)
    merge(staging, "A", "B")
    assert "```yaml\nb: 2\n```" in staging.text("A.md")
    merge(staging, "C", "A")
    assert staging.text("C.md").startswith("---\na: 1\n---\nsame\n")


def test_one_note_is_not_merged_with_itself(tmp_path: Path) -> None:
    staging = Staging(make_vault(tmp_path, FILES))
    with pytest.raises(ToolArgumentError):
        merge(staging, "First", "a/First.md")
