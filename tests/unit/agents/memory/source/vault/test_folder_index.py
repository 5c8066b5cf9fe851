"""Index notes of folders and the overview."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.vaults import make_vault
from workers.agents.memory.source.vault.folder_index import BEGIN, create_index
from workers.agents.memory.source.vault.note import read_note
from workers.agents.memory.source.vault.note_text import hint
from workers.agents.memory.source.vault.staging import Staging
from workers.errors import ToolArgumentError

FILES = {
    "p/Alpha.md": "---\ntags: [x]\n---\n# Alpha\n\n"
    "Decides **which** [[Beta|second]] service answers first. More words.\n",
    "p/Beta.md": "- a list\n",
    "p/deep/Gamma.md": "Holds the keys of all services\n",
    "q/Alpha.md": "Another one of the same name.",
    "pic.png": "",
}


def test_every_note_is_linked_and_led_to(tmp_path: Path) -> None:
    staging = Staging(make_vault(tmp_path, FILES))
    place = create_index(staging, "p")
    text = staging.text(place)
    assert place == "p/p.md"
    targets = {target for _, target in staging.index.links(place)}
    assert targets == {"p/Alpha.md", "p/Beta.md", "p/deep/Gamma.md"}
    assert "Decides which second service answers first" in text
    assert "### deep" in text
    before = staging.bodies[place]
    create_index(staging, "p")
    assert staging.bodies[place] == before


def test_what_a_person_wrote_around_it_stays(tmp_path: Path) -> None:
    vault = make_vault(tmp_path, FILES | {"p/index.md": "Mine, above\r\n"})
    staging = Staging(vault)
    assert create_index(staging, "p") == "p/index.md"
    text = staging.text("p/index.md")
    assert text.startswith("Mine, above\r\n")
    staging.write("p/index.md", text + "Mine, below\r\n")
    staging.write("p/New.md", "A new note about rollbacks.")
    create_index(staging, "p")
    again = staging.text("p/index.md")
    assert again.startswith("Mine, above\r\n")
    assert again.endswith("Mine, below\r\n")
    assert again.count(BEGIN) == 1
    assert "[[New]]: A new note about rollbacks" in again
    assert "\n" not in again.replace("\r\n", "")


def test_the_overview_counts(tmp_path: Path) -> None:
    staging = Staging(make_vault(tmp_path, FILES))
    place = create_index(staging)
    text = staging.text(place)
    assert place == "Overview.md"
    assert "4 notes in 3 folders" in text
    assert "#x (1)" in text
    assert read_note(staging.read(place)).links


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        create_index(Staging(make_vault(tmp_path, FILES)), "p/deeb")
    assert caught.value.nearest


@each_row(
    "text, said",
    [
        ("---\ndescription: What it is for\n---\n# T\n\nOther words here.", "What it is for"),
        (
            "# Title\n\n![[pic.png]]\n\n> [!note] Boxed\n\nThe `first` real sentence. The second.",
            "The first real sentence",
        ),
        ("# Only a title\n", ""),
        ("```\ncode that says much here\n```\n", ""),
        ("word " * 60, "word " * 21 + "word …"),
    ],
)
def test_half_a_sentence(text: str, said: str) -> None:
    found = hint(text)
    assert found == said or (said.endswith("…") and found.endswith(" …") and len(found) <= 110)
