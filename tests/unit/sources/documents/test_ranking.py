"""Which section of which document comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.git_repositories import make_repository
from workers.search import DocIndex
from workers.sources.documents.ranking import highest, row_of, score_sections
from workers.sources.terms.query_terms import read_query

FILLER = "Plain words of no consequence stand here. " * 4


def build(folder: Path, files: dict[str, str]) -> DocIndex:
    for name, text in files.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text)
    return DocIndex.build(folder / "docs", folder / "index")


def order(index: DocIndex, question: str) -> list[tuple[str, str]]:
    return [(hit.path, hit.heading) for hit in index.search(question)]


@pytest.mark.parametrize("said", ["token bucket", "bucket (of a token)"])
def test_words_side_by_side_in_either_order_outweigh_the_same_words_apart(tmp_path: Path, said: str) -> None:
    near = f"# Near\n\nThere is a {said} which refills, so each of the callers waits.\n"
    apart = "# Apart\n\nA bucket holds what each caller left; a token shows it. The bucket fills, a token goes.\n"
    index = build(tmp_path, {"a.md": apart, "b.md": near})
    assert order(index, "token bucket")[0][0] == "b.md"
    assert order(index, "bucket fills token")[0][0] == "a.md"


def test_the_section_whose_heading_is_the_question_comes_first(tmp_path: Path) -> None:
    record = (
        "# Circuit breakers for all calls\n\n## Decision\n\nEach call has a circuit breaker. Circuit breakers open.\n"
    )
    design = f"# Resilience\n\n{FILLER}\n\n## Circuit breakers\n\nOne stands between us and a service.\n"
    index = build(tmp_path, {"circuit-breakers.md": record, "resilience.md": design})
    assert order(index, "What is a circuit breaker?")[0] == ("resilience.md", "Circuit breakers")


def test_what_stands_above_a_section_tells_it_from_its_namesakes(tmp_path: Path) -> None:
    files = {
        "x.md": f"# Payments\n\n{FILLER}\n\n## Roll back\n\nPress the button and wait until it is green.\n",
        "y.md": f"# Mail\n\n{FILLER}\n\n## Roll back\n\nPress the button; payments wait until it is green.\n",
        "z.md": f"# Search\n\n{FILLER}\n\n## Roll back\n\nPress the button.\n",
    }
    found = order(build(tmp_path, files), "roll back payments")
    assert [path for path, heading in found if heading == "Roll back"] == ["x.md", "y.md", "z.md"]


def test_a_long_section_does_not_win_by_its_length(tmp_path: Path) -> None:
    files = {
        "long.md": f"# Everything\n\n{FILLER * 40} A lease ends. {FILLER * 40} A lease ends.\n",
        "short.md": "# Leases\n\nA lease ends after twenty seconds.\n",
        "other.md": f"# Other\n\n{FILLER}\n",
    }
    assert order(build(tmp_path, files), "when a lease ends")[0] == ("short.md", "Leases")


def test_of_equal_sections_the_one_in_the_document_about_it(tmp_path: Path) -> None:
    same = "## Waiting\n\nIt waits for the lock.\n"
    about = f"# Storage\n\nA lock is held by one writer. The lock ends with it.\n\n{same}"
    files = {"a.md": f"# Printing\n\n{FILLER}\n\n{same}", "b.md": about, "c.md": f"# Mail\n\n{FILLER}\n"}
    waiting = [path for path, heading in order(build(tmp_path, files), "lock") if heading == "Waiting"]
    assert waiting == ["b.md", "a.md"]


def test_what_other_documents_say_of_one_when_they_link_to_it(tmp_path: Path) -> None:
    text = f"The gateway restarts. {FILLER}\n"
    files = {f"{name}.md": f"# Notes {name}\n\n{text}" for name in "abc"}
    files["index.md"] = "# All\n\n- [burst limits](b.md)\n- [mail](c.md)\n"
    files["b.md"] += "\nSee [restarts of the gateway](b.md).\n"  # its own words do not count
    index = build(tmp_path, files)
    assert [path for path, _ in order(index, "burst limits when the gateway restarts")][:2] == ["index.md", "b.md"]
    said = index.sections.said
    assert [index.paths[i] for i in said.get("burst")[0]] == ["b.md"]
    assert not said.has("restart")


def test_a_title_that_says_nothing_else_outweighs_one_that_does(tmp_path: Path) -> None:
    text = "The lock is kept for as long as the writer wants it, and given back then.\n"
    files = {"a.md": f"# Storage lock and files\n\n{text}", "b.md": f"# Storage lock\n\n{text}"}
    assert order(build(tmp_path, files), "storage lock of the writer")[0][0] == "b.md"


def test_of_equal_sections_the_one_that_is_nearer_in_meaning(tmp_path: Path) -> None:
    files = {
        "a.md": "# Monday\n\nThe garden and the kitchen: bread, flour, butter, a connection, and a timeout.\n",
        "b.md": "# Friday\n\nThe server and the network: socket, packet, latency, a connection, and a timeout.\n",
    }
    assert order(build(tmp_path, files), "timeout of a connection")[0][0] == "b.md"


def test_a_document_that_the_question_names(tmp_path: Path) -> None:
    files = [f"docs/{name}/guide.md" for name in "abc"]
    folder = make_repository(tmp_path / "r", dict.fromkeys(files, "# Notes\n\nThe gateway restarts.\n"))
    index = DocIndex.build(folder / "docs", tmp_path / "i")
    for named in ("b/guide.md", "docs/b/guide.md"):
        assert order(index, f"gateway restarts in {named}")[0][0] == "b/guide.md"


@pytest.mark.parametrize("held_down", ["adr/CHANGELOG.md", "adr/0001-queue.md"])
def test_superseded_records_and_change_logs_come_after(tmp_path: Path, held_down: str) -> None:
    text = "## Decision\n\nThe queue is kept in Redis.\n"
    status = "" if held_down == "adr/CHANGELOG.md" else "Status: superseded by [2](0002-queue.md)\n\n"
    files = {
        held_down: f"# Queue in Redis\n\n{status}{text}",
        "adr/0002-queue.md": f"# Where it is kept\n\nStatus: accepted\n\n{text}",
        "other.md": f"# Other\n\n{FILLER}\n",
    }
    found = order(build(tmp_path, files), "queue Redis")
    assert [path for path, heading in found if heading == "Decision"] == ["adr/0002-queue.md", held_down]


def test_quoted_text_must_stand_there_word_for_word(tmp_path: Path) -> None:
    files = {
        "a.md": "# Codes\n\nCard refused? A refused card is told. Refused card, other card.\n",
        "b.md": "# Log lines\n\nIt writes: card refused by the bank.\n",
    }
    index = build(tmp_path, files)
    assert order(index, '"card refused by"')[0][0] == "b.md"
    assert order(index, "card refused by")[0][0] == "a.md"


def test_scores_are_nothing_where_nothing_matches(tmp_path: Path) -> None:
    index = build(tmp_path, {"a.md": "# One\n\nA lease.\n\n## Two\n\nA lock.\n", "b.md": "# Three\n\nMail.\n"})
    scores, rarity = score_sections(index.sections, read_query("lock", prose=True))
    assert [index.units[i][1].heading for i in np.flatnonzero(scores)] == ["Two"]
    assert set(rarity) == {"lock"}


def test_a_row_holds_terms_in_order_without_function_words() -> None:
    assert row_of("The retryPolicy of a client") == " retri polici client "
    assert row_of("") == "  "


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30), st.integers(1, 12))
def test_the_highest_are_those_that_a_full_sort_puts_first(values: list[float], most: int) -> None:
    scores = np.array(values)
    whole = [i for i in np.argsort(-scores, kind="stable").tolist() if scores[i] > 0]
    assert highest(scores, most).tolist() == whole[:most]
