"""What a question asks for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.stems import stem
from workers.sources.terms.query_terms import read_query


def test_words_without_the_words_of_questions() -> None:
    query = read_query("Where is the retry policy for our payment client?")
    assert list(query.terms) == [stem(w) for w in ("retry", "policy", "payment", "client")]
    assert "retrypolicy" in query.compounds
    assert not query.names
    assert not query.routes


@each_row(
    "text, names",
    [
        ("where is RetryPolicy defined", ("RetryPolicy",)),
        ("what does retry_policy do", ("retry_policy",)),
        ("who calls BankClient.charge_card()?", ("BankClient.charge_card",)),
        ("std::vector::push_back", ("std::vector::push_back",)),
        ("what reads DATABASE_URL", ("DATABASE_URL",)),
        ("How does Celery start", ()),
        ("e.g. this", ("e.g",)),
    ],
)
def test_identifiers(text: str, names: tuple[str, ...]) -> None:
    assert read_query(text).names == names


def test_endpoints_files_and_phrases() -> None:
    query = read_query('why does /api/orders/17 log "connection refused" in web/handlers.py')
    assert query.routes == ("/api/orders/*",)
    assert query.files == ("web/handlers.py",)
    assert query.phrases == ("connection refused",)
    assert stem("orders") in query.terms


def test_symptoms_say_little_beside_an_endpoint() -> None:
    text = "latency of /api/orders is spiky"
    assert read_query(text).terms[stem("latency")] < 1 == read_query(text, prose=True).terms[stem("latency")]
    assert read_query("latency is spiky").terms[stem("latency")] == 1


def test_weak_words_alone_count_in_full() -> None:
    assert set(read_query("where is the default configuration").terms.values()) == {1.0}


@each_row(
    "text, wants",
    [
        ("where is the limit configured", {"config"}),
        ("tests of the parser", {"test"}),
        ("is the parser tested?", {"test"}),
        ("the testing client", set()),
        ("test runner", set()),
        ("the runbook", {"doc"}),
        ("parser", set()),
    ],
)
def test_kinds_of_file(text: str, wants: set[str]) -> None:
    assert read_query(text).wants == wants


def test_a_thing_that_is_named_after_tests_may_be_one() -> None:
    assert read_query("the testing client").allows == {"test"}
    assert read_query("the client").allows == set()


def test_initials() -> None:
    assert "sse" in read_query("server-sent events helper").acronyms


@given(st.text(max_size=3_000))
def test_any_text_is_read(text: str) -> None:
    query = read_query(text)
    assert all(0 < weight <= 1 for weight in query.terms.values())
    assert all(term for term in query.terms)
    for term in (*query.terms, *query.compounds, *query.routes):
        term.encode()


@each_row(
    "text, asks",
    [
        ("where is RetryPolicy defined", {"definition"}),
        ("where is the retry limit configured", {"configuration"}),
        ("which tests cover the parser", {"test"}),
        ("when was the retry limit changed, from what to what", {"change"}),
        ("who changed the payment client last", {"change"}),
        ("which handler serves POST /topic/tombstone", {"route"}),
        ("what reads DATABASE_URL", {"variable"}),
        ("who writes http_requests_total", {"metric"}),
        ("cannot flock directory /data - resource temporarily unavailable", {"error", "route"}),
        ('why do we see "connection refused by peer"?', {"error"}),
        ("how does the parser work", set()),
        ("topic names", set()),
    ],
)
def test_what_is_wanted_to_be_known(text: str, asks: set[str]) -> None:
    assert read_query(text).asks >= asks
    assert read_query(text).asks - asks <= {"route"}


def test_named_variables_metrics_and_messages() -> None:
    query = read_query("does DATABASE_URL change http_requests_total and process_start_time_seconds in Max_Size?")
    assert query.variables == ("DATABASE_URL",)
    assert query.metrics == ("http_requests_total", "process_start_time_seconds")
    assert read_query('we get "invalid token 0xff3 at 10:30"').message == "invalid token at"
    assert read_query("invalid topic name %s").message == "invalid topic name"
    assert read_query("is the topic name invalid?").message == ""
