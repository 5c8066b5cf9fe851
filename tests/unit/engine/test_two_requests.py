"""Two requests in one message are told apart only when each is surely another agent's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.engine_fakes import NOW
from workers.contracts import Landscape, Question
from workers.engine.two_requests import SURE, two_requests

ON_CALL, SLOW = "who is on call tonight", "why is /api/search slow"


def likely(question: Question) -> dict[str, float]:
    text = question.text.lower()
    if "on call" in text and "search" in text:
        return {"calendar": 0.5, "research": 0.5}
    surely = {"on call": "calendar", "search": "research", "password": "unsafe", "pizza": "out_of_scope"}
    found = next((label for word, label in surely.items() if word in text), "")
    return {found: 0.95} if found else {"calendar": 0.4, "research": 0.4}


def split(text: str) -> tuple[str, str] | None:
    return two_requests(Question(request_id="r1", text=text, received_at=NOW), likely)


@each_row("joint", [" and ", ", and also ", "? ", ".\n", " und "])
def test_two_requests_for_two_agents(joint: str) -> None:
    found = split(f"{SLOW}{joint}{ON_CALL}?")
    assert found is not None
    assert [part.rstrip("?.") for part in found] == [SLOW, ON_CALL]


@each_row(
    "text",
    [
        SLOW,
        f"{SLOW} and {SLOW}",
        f"{SLOW} and what else is there",
        f"{SLOW} and the password of it",
        f"{SLOW} and order a pizza",
        "search and on call",
        f"{SLOW}. Only if {ON_CALL}",
        f"{SLOW}. Is this why they asked {ON_CALL}",
        f"{SLOW}. unless {ON_CALL}",
        f"{SLOW}. Wenn {ON_CALL}",
    ],
)
def test_one_request_however_it_is_said(text: str) -> None:
    assert split(text) is None


def test_both_have_to_be_sure() -> None:
    def hardly(question: Question) -> dict[str, float]:
        return dict.fromkeys(likely(question), SURE - 0.01)

    assert two_requests(Question(request_id="r1", text=f"{SLOW} and {ON_CALL}", received_at=NOW), hardly) is None


def test_a_list_of_names_is_one_request() -> None:
    text = "who was on call for search and api-search since monday"
    asked = Question(request_id="r1", text=text, received_at=NOW)

    def by_part(part: Question) -> dict[str, float]:
        return {"calendar" if "on call" in part.text else "research": 0.95}

    names = Landscape(labels={"service": ("api-search", "search")})
    assert two_requests(asked, by_part) is not None
    assert two_requests(asked, by_part, lambda: names) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = split(text)
    assert found is None or all(part in text for part in found)


def test_a_list_of_places_is_one_request() -> None:
    def likely_by_place(question: Question) -> dict[str, float]:
        return {"research" if "search" in question.text else "calendar": 0.95}

    text = "what is p95 of /api/search and /api/orders right now?"
    assert two_requests(Question(request_id="r1", text=text, received_at=NOW), likely_by_place) is None
