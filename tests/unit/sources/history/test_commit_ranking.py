"""Which commits have to do with a question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from workers.language.stems import stem
from workers.sources.history.commit_ranking import rank_commits, read_wish, with_old_names
from workers.sources.history.commits import Change, drop_covered_merges
from workers.sources.history.diff import FileChange, Hunk
from workers.sources.history.term_counts import TermCounter
from workers.sources.terms.query_terms import read_query

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def made(number: int, subject: str, *files: FileChange, body: str = "", merge: bool = False) -> Change:
    name = f"{number:040x}"
    return Change(name, name[:7], "Ada", DAY + timedelta(hours=number), subject, body, files, merge=merge)


def as_they_are(found: Sequence[Change]) -> list[Change]:
    return list(found)


def ranked(found: Sequence[Change], text: str, most: int = 40, **known: dict[str, float]) -> list[str]:
    best, _ = rank_commits(found, read_wish(read_query(text), **known), most, as_they_are)
    return [c.subject for c in best]


COMMITS = (
    made(1, "Begin", FileChange("README.md")),
    made(2, "Try again when the bank is busy", FileChange("billing/client.py", 1, 0, (Hunk(1, 1, "def charge():"),))),
    made(3, "Say more", FileChange("billing/retry_policy.py")),
    made(4, "Tidy", FileChange("web/list.py", 1, 0, (Hunk(4, 4, "retry_policy = load()", lines=1),))),
    made(5, "Update the change log for retries", FileChange("CHANGELOG.md")),
)


def test_paths_subjects_and_lines_count() -> None:
    assert ranked(COMMITS, "what changed in the retry policy")[:2] == ["Say more", "Tidy"]
    assert ranked(COMMITS, "who changed the bank last")[0] == "Try again when the bank is busy"


def test_words_that_ask_for_changes_are_no_subject() -> None:
    wish = read_wish(read_query("which commit changed the retry policy last week"))
    assert wish.terms[stem("commit")] < 0.1 < wish.terms[stem("retry")]
    assert read_wish(read_query("recent changes")).terms[stem("changes")] > 0.1, "nothing else is asked for"


def test_known_files_and_places_count() -> None:
    assert ranked(COMMITS, "zeppelin", files={"web/list.py": 1.0})[0] == "Tidy"
    places = {("billing/client.py", "charge"): 1.0}
    assert ranked(COMMITS, "zeppelin", places=places)[0] == "Try again when the bank is busy"  # type: ignore[arg-type]


def test_patches_are_read_of_the_best_alone() -> None:
    asked: list[int] = []

    def read(found: Sequence[Change]) -> list[Change]:
        asked.append(len(found))
        return list(found)

    best, _ = rank_commits(COMMITS, read_wish(read_query("retry policy")), 2, read)
    assert (asked, len(best)) == ([2], 2)
    assert all(0 <= c.score <= 1 for c in best)


def test_names_that_files_had_before() -> None:
    moved = made(9, "Move", FileChange("b.py", old_path="a.py"))
    again = made(8, "Move", FileChange("a.py", old_path="z.py"))
    wish = with_old_names(read_wish(read_query("x"), {"b.py": 0.5}, {("b.py", "f"): 0.7}), [moved, again])
    assert wish.files == {"b.py": 0.5, "a.py": 0.5, "z.py": 0.5}
    assert wish.places[("z.py", "f")] == 0.7


def test_merges_that_others_account_for() -> None:
    own = made(1, "Own", FileChange("a.py"))
    covered = made(2, "Covered", FileChange("a.py"), merge=True)
    alone = made(3, "Alone", FileChange("b.py"), merge=True)
    assert [c.subject for c in drop_covered_merges([alone, covered, own])] == ["Alone", "Own"]


@given(st.text(max_size=400), st.text(max_size=100))
def test_any_text_is_counted(text: str, question: str) -> None:
    counter = TermCounter(read_query(question).terms)
    once, twice = counter.count(text), counter.count(f"{text}\n{text}")
    assert {t: 2 * n for t, n in once.counts.items()} == twice.counts
    assert counter.count_paths([text]) == once
