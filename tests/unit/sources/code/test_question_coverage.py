"""Whether code holds what a question asks for at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.search.questions import Question
from bench.search.train_absent import Asked, learn, shortened
from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.search import CodeIndex
from workers.sources.code.answer_features import (
    FEW_CHUNKS,
    WEIGHTS,
    best_share,
    distinct,
    is_unwritten,
    judge,
    never_together,
)
from workers.sources.code.logistic_model import read_chances
from workers.sources.code.name_occurrences import LARGE, Occurrences, apart, occurrences
from workers.sources.code.question_coverage import DOUBT, LIKELY_CHANCE, Coverage, cover_code, describe_cover
from workers.sources.code.ranking import Weights, score_parts
from workers.sources.terms.query_terms import read_query
from workers.sources.terms.topics import find_topics, topics

GETTING_LESS_LIKELY = {
    "any special gone",
    "pairs gone",
    "loose pairs gone",
    "low",
    "early gone",
    "first low",
    "topic gone",
    "topics gone",
    "scarce topics apart",
    "few topics apart",
    "topic by this name gone",
    "missing",
}
STORE = """import amqp


class Mailbox:
    \"\"\"Sends letters through the broker; the Server-Timing header says how long it took.\"\"\"

    def send(self, letter):
        self.response.headers["Server-Timing"] = "queue;dur=3"
        return publish_amqp(letter)


def publish_amqp(letter):
    return amqp.publish(letter)
"""


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    """A repository of some size: 400 clerks who all stamp letters, and one mailbox."""
    clerk = "def stamp_{0}(letter):\n    letter.stamps.append({0})\n    return letter\n"
    files = {f"clerks/clerk_{i}.py": clerk.format(i) for i in range(LARGE + 100)}
    files |= {
        "mail/mailbox.py": STORE,
        "README.md": "# Post\n\nDiscord and telegrams are none of our business.\n",
        "tests/test_mailbox.py": "def test_send():\n    Mailbox().send('to an ldap server')\n",
    }
    folder = tmp_path_factory.mktemp("post")
    return CodeIndex.build(make_repository(folder / "repo", files), folder / "index")


def cover(index: CodeIndex, text: str) -> Coverage:
    """What an index holds of a question."""
    query = read_query(text)
    return cover_code(index.columns, query, score_parts(index.columns, query, Weights()))


def describe(index: CodeIndex, text: str) -> dict[str, float]:
    """What the chance is reckoned from."""
    query = read_query(text)
    return describe_cover(index.columns, query, score_parts(index.columns, query, Weights()))


@each_row(
    "text, named",
    [
        ("Where is the Kafka consumer configured?", "Kafka"),
        ("how are letters sent to Elasticsearch", "Elasticsearch"),
        ("Where are circuit breakers opened?", "circuit breakers"),
        ("LDAP group sync at login", ""),
        ("Which hook tells Discord of a letter?", ""),
    ],
)
def test_a_thing_that_the_code_does_not_name_is_not_likely_found(post: CodeIndex, text: str, named: str) -> None:
    found = post.find(text)
    assert not found.coverage.likely
    assert all(hit.unmatched == found.coverage.unmatched and hit.score < LIKELY_CHANCE / DOUBT for hit in found.hits)
    assert not named or named in found.coverage.missing


@each_row(
    "text",
    [
        "where are letters stamped",
        "how does the mailbox send a letter",
        "Which header says how long it took? Server-Timing",
        "how does the mailbox publish to RabbitMQ",
        "stamp_7",
        "Mailbox.send",
    ],
)
def test_what_is_there_is_found(post: CodeIndex, text: str) -> None:
    assert post.find(text).hits


def test_a_thing_may_go_by_another_of_its_names(post: CodeIndex) -> None:
    assert occurrences(post.columns, ("rabbitmq",)) == Occurrences.GONE
    query = read_query("where does the mailbox use RabbitMQ")
    judged = judge(post.columns, query, score_parts(post.columns, query, Weights()))
    assert judged.features["topic gone"] == 0
    assert judged.features["topic by this name gone"] == 1


def test_where_a_thing_stands(post: CodeIndex) -> None:
    columns = post.columns
    assert occurrences(columns, ("mailbox",)) == Occurrences.NAMED
    assert occurrences(columns, ("discord",)) == Occurrences.BESIDE
    assert occurrences(columns, ("ldap",)) == Occurrences.SCARCE
    assert occurrences(columns, ("kafka",)) == Occurrences.GONE
    assert occurrences(columns, ("server", "time")) == Occurrences.SCARCE
    assert occurrences(columns, ("letter", "header")) == Occurrences.GONE


def test_in_a_small_repository_one_mention_is_enough(index: CodeIndex) -> None:
    assert occurrences(index.columns, ("backoff",)) == Occurrences.NAMED


def test_hits_may_come_with_what_nothing_names(post: CodeIndex) -> None:
    found = post.find("does Mailbox.send stamp a letter through a ZeppelinGate?")
    assert found.hits
    assert found.coverage.missing == ("ZeppelinGate",)


def test_an_unknown_identifier_alone_is_not_covered(post: CodeIndex) -> None:
    assert not post.find("where is StampCollector").coverage.covered
    assert post.find("where is StampCollector").coverage.missing == ("StampCollector",)


def test_numbers_and_units_are_no_names(post: CodeIndex) -> None:
    query = read_query("p95 of stamping above 10s since 12:30pm on host 48213")
    assert not any(is_unwritten(post.columns, word) for word in query.words)


def test_pairs_with_capitals_are_one_name(post: CodeIndex) -> None:
    assert cover(post, "where is the Postage Due letter stamped").missing == ("Postage Due",)
    assert cover(post, "where is the Server-Timing of a letter").missing == ()


@each_row(
    "text, told",
    [
        ("where is the mailbox header read", ("mailbox header",)),
        ("where are stamp letters", ()),
        ("the mailbox of a header", ()),
        ("mailbox elephants", ()),
        ("stamped letter mailbox-header", ("letter mailbox",)),
    ],
)
def test_known_words_that_never_stand_together_are_one_name(post: CodeIndex, text: str, told: tuple[str, ...]) -> None:
    assert never_together(post.columns, read_query(text)) == told


def test_what_too_many_chunks_hold_is_not_said_to_be_apart(post: CodeIndex) -> None:
    assert not apart(post.columns, ["return", "stamp"])
    assert apart(post.columns, ["mailbox", "header"])
    assert not apart(post.columns, ["mailbox", "send"])


def test_where_there_is_doubt_it_is_told(post: CodeIndex) -> None:
    sure, unsure = (
        cover(post, t) for t in ("how does the mailbox send a letter", "where does the broker queue brokers")
    )
    assert sure.chance >= DOUBT
    assert sure.missing == ()
    assert LIKELY_CHANCE <= unsure.chance < DOUBT
    assert unsure.covered
    assert unsure.missing == ("broker queue",)


def test_a_thing_that_a_few_chunks_name_has_to_meet_the_rest_of_the_question(post: CodeIndex) -> None:
    shares = np.zeros(len(post.columns.chunks))
    assert best_share(post.columns, ("amqp",), shares, FEW_CHUNKS) == 0
    assert best_share(post.columns, ("amqp",), shares, 0) == 1
    near, far = (describe(post, t)["few topics apart"] for t in ("publish AMQP letters", "AMQP clerk"))
    assert near < far


def test_small_talk_is_not_taken_for_names(post: CodeIndex) -> None:
    told = cover(post, "please stamp my letter tomorrow afternoon at the lovely counter").missing
    assert told == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200) | st.lists(st.sampled_from(["Kafka", "letter", "HTTP/2", "S3_BUCKET", "k8s", "-", "?"])))
def test_any_question_has_a_chance(post: CodeIndex, given_text: str | list[str]) -> None:
    text = given_text if isinstance(given_text, str) else " ".join(given_text)
    query = read_query(text)
    if not query.terms:
        return
    parts = score_parts(post.columns, query, Weights())
    features = describe_cover(post.columns, query, parts)
    assert set(features) == set(read_chances(WEIGHTS).names)
    first = cover_code(post.columns, query, parts)
    assert 0 <= first.chance <= 1
    assert first == cover_code(post.columns, query, parts)


def test_what_stands_nowhere_never_makes_an_answer_likelier() -> None:
    weights = dict(zip(read_chances(WEIGHTS).names, read_chances(WEIGHTS).weights.tolist(), strict=True))
    assert weights.keys() >= GETTING_LESS_LIKELY
    assert all(weights[name] <= 0 for name in GETTING_LESS_LIKELY)
    assert min(weights["chunk"], weights["score"], weights["neighbours meet"]) >= 0


@each_row(
    "text, names",
    [
        ("Where is the Kafka consumer?", [("kafka",)]),
        ("RateLimitInterceptor", [("rate", "limit")]),
        ("HTTP/2 push", [("http", "2")]),
        ("pods on k8s", [("k8s",)]),
        ("circuit-breaker", [("circuit", "breaker")]),
        ("circuit of a breaker", []),
    ],
)
def test_topics_of_a_text(text: str, names: list[tuple[str, ...]]) -> None:
    assert [name for _, name in find_topics(text)] == names


@given(st.text(max_size=100))
def test_topics_are_written_in_the_text(text: str) -> None:
    for written, name in find_topics(f"{text} on k8s"):
        assert name in topics()
        assert written in f"{text} on k8s"


def test_names_of_a_thing_know_each_other() -> None:
    assert all(name in names for name, names in topics().items())
    assert all(name in topics()[other] for name, names in topics().items() for other in names)


@each_row(
    "names, kept",
    [
        (["SCRAM", "SCRAM-SHA"], ("SCRAM-SHA",)),
        (["Kafka", "kafka"], ("Kafka",)),
        ([], ()),
        (["a_b", "c"], ("a_b", "c")),
    ],
)
def test_a_name_is_told_once(names: list[str], kept: tuple[str, ...]) -> None:
    assert distinct(names) == kept


def test_an_index_of_nothing_has_no_answer(tmp_path: Path) -> None:
    empty = CodeIndex.build(make_repository(tmp_path / "repo"), tmp_path / "index")
    assert not empty.find("where is the Kafka consumer").coverage.covered


def test_learning_keeps_to_the_direction_of_each_feature() -> None:
    """Though the examples say that what stands nowhere is found, and what is held by a chunk is not."""
    odd = [Asked("a", "written", {"topic gone": 1.0, "chunk": 0.1, "no neighbours": 1.0}) for _ in range(20)]
    odd += [Asked("b", "absent", {"topic gone": 0.0, "chunk": 0.9, "no neighbours": 0.0}) for _ in range(20)]
    learned = dict(zip(learn(odd).names, learn(odd).weights.tolist(), strict=True))
    assert learned["topic gone"] == 0
    assert learned["chunk"] == 0
    assert learned["no neighbours"] > 0


def test_learning_tells_questions_apart() -> None:
    there, gone = {"topic gone": 0.0, "chunk": 0.9}, {"topic gone": 1.0, "chunk": 0.3}
    learned = learn([*(Asked("a", "written", there) for _ in range(20)), *(Asked("a", "absent", gone) for _ in "abcd")])
    assert learned.of(there) > 0.5 > learned.of(gone)


def test_pieces_of_a_question_are_three_words_that_mean_something() -> None:
    question = Question("where is the retry policy of the bank client set to four attempts", ("a.py",))
    pieces = shortened(question)
    assert pieces[0] == "retry policy of the bank"
    assert all(piece in question.text for piece in pieces)
    assert shortened(Question("retry policy", ("a.py",))) == []
    assert shortened(Question(question.text)) == []
