"""What moved of a service, where the metric that was asked about is not there or is steady."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.agents.causes.source.candidates import candidates_of
from workers.agents.causes.source.connected_incident import moment, named_service, seen_beginning
from workers.agents.causes.source.incident import Alert, Commit, Incident, Release, Series
from workers.agents.causes.source.onset import Move
from workers.agents.causes.source.symptoms import Symptoms

START, STEP, COUNT, BREAK = 1_780_000_000.0, 60.0, 120, 80
NOW = START + STEP * COUNT


def series(service: str, metric: str, after: float, at: int = BREAK) -> Series:
    times = [START + STEP * i for i in range(COUNT)]
    return Series(service, metric, times, [10.0 + i % 3 * 0.1 if i < at else after for i in range(COUNT)])


def test_what_moved_of_the_service_says_when_it_began() -> None:
    around = [
        series("ledger", "queue_age_seconds", 400.0),
        series("ledger", "pool_busy", 10.1),
        series("mailer", "sent_per_minute", 1.0, at=20),
    ]
    begun = seen_beginning("queue age of ledger is far too high, what did that?", "", around, NOW)
    assert begun is not None
    assert (begun.service, begun.metric, begun.onset) == ("ledger", "queue_age_seconds", START + STEP * BREAK)
    assert begun.services == {"ledger"}  # what moved an hour before is another story


@each_row("question", ["pool_busy of ledger is odd", "nobody is named here"])
def test_nothing_is_said_to_have_begun_where_nothing_named_moved(question: str) -> None:
    assert seen_beginning(question, "", [series("ledger", "pool_busy", 10.1), series("mailer", "x", 90.0)], NOW) is None


@each_row(
    "question, name",
    [
        ("mailer-eu times out since ledger is slow", "mailer-eu"),
        ("Ledger is slow", "ledger"),
        ("the ledgers are fine", ""),
        ("sub-ledger is fine", ""),
    ],
)
def test_services_are_named_by_whole_words_the_first_one_first(question: str, name: str) -> None:
    around = [series(s, "x", 1.0) for s in ("ledger", "mailer", "mailer-eu")]
    assert named_service(question, around) == name


@each_row("calls, apart", [({("shop", "stock")}, False), ({("stock", "shop")}, False), ({("web", "stock")}, True)])
def test_whom_a_changed_service_calls_is_no_place_apart(calls: set[tuple[str, str]], apart: bool) -> None:
    sha = "c" * 40
    releases = tuple(
        Release(name, commit, "v2", moment(NOW - 600), frozenset({commit}))
        for name, commit in (("shop", sha), ("stock", "d" * 40), ("web", "e" * 40))
    )
    moves = tuple(Move(series(name, "latency", 90.0), NOW, 10.0, 90.0) for name in ("shop", "stock"))
    incident = Incident(
        Alert("shop", "latency", "slow", moment(NOW)),
        commits=(
            Commit(sha, moment(NOW - 900), "ask for each row", ("shop/rows.py",), "+for row in rows:\n+    ask(row)"),
        ),
        releases=releases,
        calls=frozenset(calls | {("web", "shop")}),
    )
    (found,) = (c for c in candidates_of(Symptoms(incident, moves, NOW)) if c.name == sha)
    assert any("does not run it" in r.text for r in found.reasons) == apart
