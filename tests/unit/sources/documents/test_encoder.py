"""Search over documents with the encoder, and without it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from workers.search import DocIndex
from workers.sources.documents import encoder, section_vectors
from workers.sources.documents.encoder import NoEncoder, encode, encode_question, has_encoder
from workers.sources.documents.encoding_backlog import Backlog
from workers.sources.documents.ranking import add_similarity
from workers.sources.documents.section_vectors import FILE_NAME, encode_sections, text_of
from workers.sources.documents.word_pieces import tokenize

OVERLAP = "# Shop\n\n## Drawers\n\nLock the money away at night, and hang the keys of the drawer back on their hook.\n"
PARAPHRASE = "# Orders\n\n## Refunds\n\nSupport reimburses a customer within a week when goods are returned.\n"
ASKED = "how does a customer get money back?"


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORACLE_ENCODER")
    assert has_encoder(), "`make test` installs the extra"


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All texts that sections are encoded from."""
    found: list[str] = []

    def noted(batch: Sequence[str]) -> encoder.Floats:
        found.extend(batch)
        return encode(batch)

    monkeypatch.setattr(section_vectors, "encode", noted)
    return found


def lay(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def make_index(tmp_path: Path, **files: str) -> DocIndex:
    return DocIndex.build(lay(tmp_path / "docs", **files), tmp_path / "index")


def encode_all(index: DocIndex, tmp_path: Path) -> int:
    return encode_sections(index.sections, tmp_path / "index", index.container.identity)


def test_pieces_are_numbered_as_the_encoder_was_trained_on() -> None:
    rows = {
        "Hello, world!": [101, 7592, 1010, 2088, 999, 102],
        "unaffable": [101, 14477, 20961, 3468, 102],
        "Café": [101, 7668, 102],
        "中文": [101, 1746, 1861, 102],
        "\u2603" * 101: [101, 100, 102],
        "": [101, 102],
    }
    assert {text: tokenize(text, 256) for text in rows} == rows
    assert tokenize("world " * 10, 4) == [101, 2088, 2088, 102]


@pytest.mark.usefixtures("on")
def test_directions_have_length_one_and_do_not_depend_on_neighbours() -> None:
    rows = encode(["a worker sleeps", "", "x " * 1_000])
    assert rows.shape == (3, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(encode_question("a worker sleeps"), rows[0])


@pytest.mark.usefixtures("on")
def test_a_paraphrase_stands_above_shared_words_once_sections_are_encoded(tmp_path: Path) -> None:
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    assert [hit.path for hit in index.search(ASKED, 2)] == ["shop.md", "orders.md"]
    assert encode_all(index, tmp_path) == len(index.units)
    assert [hit.path for hit in index.search(ASKED, 2)] == ["orders.md", "shop.md"]
    assert all(0 < hit.score < 1 for hit in index.search(ASKED, 4))


@pytest.mark.usefixtures("on")
def test_only_new_texts_are_encoded(tmp_path: Path, texts: list[str]) -> None:
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    encode_all(index, tmp_path)
    assert sorted(texts) == sorted({text_of(index.sections, unit) for unit in range(len(index.units))})
    texts.clear()
    assert encode_all(index, tmp_path) == 0
    more = OVERLAP + "\n## Shifts\n\nShifts last eight hours.\n"
    changed = make_index(tmp_path, shop=more, copy=PARAPHRASE)
    encode_all(changed, tmp_path)
    assert [text.split("\n")[0] for text in texts] == ["Shop > Shifts"]


@pytest.mark.usefixtures("on")
def test_sections_that_are_not_encoded_yet_keep_their_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    monkeypatch.setattr(section_vectors, "AT_A_TIME", 1)
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    assert encode_sections(index.sections, tmp_path / "index", index.container.identity, lambda: bool(texts)) == 1
    assert index.vectors is not None
    near = index.vectors.similarity(ASKED)
    assert near is not None
    assert np.isnan(near).sum() == len(index.units) - 1
    assert len(index.search(ASKED, 10)) >= 2
    assert encode_all(index, tmp_path) == len(index.units) - 1


def test_unknown_nearness_changes_no_score() -> None:
    scores = np.array([0.5, 0.4, 0.0])
    assert add_similarity(scores, np.full(3, np.nan, np.float32)).tolist() == scores.tolist()
    assert np.argsort(-add_similarity(scores, np.array([np.nan, 0.9, np.nan], np.float32))).tolist() == [1, 0, 2]


def test_a_section_that_shares_no_word_is_found_by_its_meaning() -> None:
    added = add_similarity(np.array([0.5, 0.4, 0.0]), np.array([0.1, 0.1, 0.9], np.float32))
    assert int(added.argmax()) == 2


@pytest.mark.usefixtures("on")
def test_a_damaged_file_is_as_none(tmp_path: Path) -> None:
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    (tmp_path / "index" / FILE_NAME).write_bytes(b"ORACLEIX of another time")
    assert index.search(ASKED, 1)[0].path == "shop.md"
    assert encode_all(index, tmp_path) == len(index.units)


@pytest.mark.usefixtures("on")
def test_the_backlog_encodes_while_questions_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    started, let_go, backlog = threading.Event(), threading.Event(), Backlog()
    told: list[tuple[int, int]] = []

    def slow(batch: Sequence[str]) -> encoder.Floats:
        if started.is_set():  # the first one is done, and is told
            let_go.wait(120)
        started.set()
        return encode(batch)

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        let_go.set()

    monkeypatch.setattr(section_vectors, "AT_A_TIME", 1)
    monkeypatch.setattr(section_vectors, "encode", slow)
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    folder = tmp_path / "index"
    backlog.add(folder, partial(encode_sections, index.sections, folder, index.container.identity))
    assert index.search(ASKED, 1)[0].path == "shop.md"
    backlog.wait(tell)
    assert index.search(ASKED, 1)[0].path == "orders.md"
    assert told
    assert all(done <= total == len(index.units) for done, total in told)
    backlog.add(tmp_path / "gone", partial(encode_sections, index.sections, tmp_path / "gone", "x"))
    backlog.wait(lambda done, total: None)
    assert "the texts of gone are not encoded" in caplog.text
    backlog.stop()


@pytest.mark.usefixtures("on")
def test_words_rank_when_the_encoder_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    encode_all(index, tmp_path)

    def broken(question: str) -> encoder.Floats:
        raise OSError(f"no weights for {question}")

    monkeypatch.setattr(section_vectors, "encode_question", broken)
    assert index.search(ASKED, 1)[0].path == "shop.md"
    assert "ranked without the encoder" in caplog.text


@pytest.mark.parametrize("how", ["off", "not installed"])
def test_without_an_encoder_words_rank_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "not installed":
        monkeypatch.delenv("ORACLE_ENCODER")
        monkeypatch.setattr(encoder, "is_installed", lambda: False)
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    assert not has_encoder()
    with pytest.raises(NoEncoder):
        encode([ASKED])
    with pytest.raises(NoEncoder):
        encode_all(index, tmp_path)
    assert [hit.path for hit in index.search(ASKED, 2)] == ["shop.md", "orders.md"]
    assert not (tmp_path / "index" / FILE_NAME).exists()


@pytest.mark.usefixtures("on")
def test_rows_are_left_alone_when_the_encoder_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make_index(tmp_path, shop=OVERLAP, orders=PARAPHRASE)
    encode_all(index, tmp_path)
    monkeypatch.setenv("ORACLE_ENCODER", "off")
    assert index.search(ASKED, 1)[0].path == "shop.md"
