"""Questions about changes, people and traces, asked of a repository with a history, without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.support.git_repositories import QUIET, commit, make_repository, run_git
from workers.bootstrap import build_engine
from workers.contracts import Answer, Question
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
ROUTES = """from parcels.quotes import Quotes
from parcels.tracking import Tracking


def add_routes(app, carriers):
    tracking = Tracking(carriers)
    app.get("/parcels/quote", Quotes(carriers).answer)
    app.get("/parcels/track", tracking.answer_one)
"""
QUOTES = """MARGIN_PERCENT = {margin}


class Quotes:
    def __init__(self, carriers):
        self.carriers = carriers

    def answer(self, request):
        return {{"price": self.price(request.weight)}}

    def price(self, weight):
        return min(self.carriers.{ask}(weight)) * (100 + MARGIN_PERCENT) / 100
"""
TRACKING = """class Tracking:
    def __init__(self, carriers):
        self.carriers = carriers

    def answer_one(self, request):
        return self.carriers.where_is(request.number)
"""
Ask = Callable[[str], Answer]


def day(number: int) -> datetime:
    return datetime(2026, 5, number, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Ask of three releases: 1.0, 1.1 with the quotes of another price, 1.2 with documents and the fork of a test."""
    folder = make_repository(
        tmp_path_factory.mktemp("repos") / "depot",
        {
            "routes.py": ROUTES,
            "parcels/quotes.py": QUOTES.format(margin=3, ask="offers"),
            "parcels/tracking.py": TRACKING,
            "README.md": "# Depot\n\nSends parcels.\n",
        },
        day(1),
    )
    run_git(folder, "tag", "v1.0", at=day(1))
    commit(folder, {"tests/test_quotes.py": "def test_price():\n    assert price(1) == 5\n"}, "Test the price", day(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(QUIET, "GIT_AUTHOR_NAME", "Noor Haddad")
        commit(folder, {"parcels/quotes.py": QUOTES.format(margin=9, ask="offers")}, "Earn on small parcels", day(4))
    run_git(folder, "tag", "v1.1", at=day(4))
    commit(folder, {"README.md": "# Depot\n\nSends parcels abroad, too.\n"}, "Say where to", day(12))
    commit(folder, {"parcels/tracking.py": TRACKING.replace("where_is", "locate")}, "Locate parcels", day(13))
    run_git(folder, "tag", "v1.2", at=day(13))
    home = tmp_path_factory.mktemp("home")
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text(f"repositories: [{{path: {folder}, name: depot}}]\n")
    oracle = build_engine(load_settings(home=home))
    engine = replace(oracle.engine, clock=SystemClock(NOW))

    def answer(text: str) -> Answer:
        log = engine.ask(Question(request_id="r1", text=text, received_at=NOW, agent="research"))
        assert log.answer is not None
        return log.answer

    yield answer
    oracle.close()


def test_a_release_tells_the_lines_of_the_handler_that_is_named(ask: Ask) -> None:
    found = ask("What did v1.1 change in the handler of /parcels/quote?")
    head = found.headline.text
    for part in (
        "parcels/quotes.py:1",
        "`MARGIN_PERCENT = 3` → `MARGIN_PERCENT = 9`",
        "to 9, which was 3",
        "Noor Haddad",
    ):
        assert part in head
    assert "Test the price" in found.what_changed[-1].text


def test_a_route_that_did_not_move_is_told_first(ask: Ask) -> None:
    found = ask("What did v1.1 change in /parcels/track?")
    assert found.headline.text.startswith("/parcels/track was not changed by deploy depot v1.1")
    assert "parcels/tracking.py" in found.headline.text
    assert "Earn on small parcels" in found.what_changed[0].text


def test_a_file_is_told_by_its_newest_commit(ask: Ask) -> None:
    head = ask("what has changed in quotes.py?").headline.text
    assert head.startswith("Noor Haddad changed parcels/quotes.py last")
    assert "Earn on small parcels" in head
    assert "`MARGIN_PERCENT = 9`" in head


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "what was changed in tracking.py in the last 2 days?",
            "No commit changed parcels/tracking.py “in the last 2 days”",
        ),
        ("what was changed in tracking.py in the last 9 days?", "Ada changed parcels/tracking.py last"),
        ("anything changed in pricing.py lately?", "No commit is known that touched pricing.py"),
    ],
)
def test_only_commits_of_the_span_are_told(ask: Ask, text: str, said: str) -> None:
    found = ask(text)
    assert found.headline.text.startswith(said)
    assert "Locate parcels" in found.headline.text or "pricing" in text


def test_a_difference_of_two_versions_opens_with_its_commits(ask: Ask) -> None:
    found = ask("what changed between v1.0 and v1.1?")
    assert not found.headline.text.startswith("Deploy")
    assert "Earn on small parcels" in found.headline.text
    assert not any("Locate parcels" in claim.text for claim in found.what_changed)
    own = ask("what is the difference of tracking.py between v1.1 and v1.2?").headline.text
    assert "it renames where_is to locate" in own
    assert own.startswith("v1.1..v1.2: parcels/tracking.py:6")


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("who touched quotes.py last?", "Noor Haddad changed parcels/quotes.py last"),
        ("who wrote tracking.py?", "Ada: 2 of the 2 commits"),
        ("who contributed answer_one?", "Ada brought `answer_one` in"),
        ("wer hat answer_one zuletzt geändert?", "Ada changed "),
        ("who changed __init__ of Quotes in quotes.py last?", "Ada changed `Quotes.__init__` last"),
    ],
)
def test_questions_of_who_lead_with_the_person(ask: Ask, text: str, lead: str) -> None:
    assert ask(text).headline.text.startswith(lead)


@pytest.mark.parametrize(
    "text",
    [
        'what is wrong here?\n```\nTraceback (most recent call last):\n  File "/opt/depot/routes.py", line 7, in add\n'
        '  File "/opt/depot/parcels/quotes.py", line 12, in price\n  File "/usr/lib/python3.12/heapq.py", line 4, in x'
        "\nTypeError: no offers\n```",
        "what does /opt/depot/parcels/quotes.py:12 do?",
    ],
)
def test_the_innermost_frame_that_exists_here_is_read(ask: Ask, text: str) -> None:
    head = ask(text).headline.text
    assert head.startswith("parcels/quotes.py:12 (`Quotes.price`): `return min(self.carriers.offers(weight))")
