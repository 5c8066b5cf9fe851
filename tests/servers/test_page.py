"""The page in Chromium, as a person uses it every day: watching, proof, feedback, re-run, Home, windows, incidents."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.servers.conftest import Up
from tests.servers.test_up import SHOWN_MS, WHY, open_channel, thread, type_in
from tests.support.deployment import until

pytestmark = pytest.mark.servers
ANSWERED = "metrics_query ×"


@pytest.fixture(scope="module")
def up(demo_up: Up) -> Up:
    return demo_up


@pytest.fixture
def answer(page: Page) -> Iterator[Locator]:
    """The thread of a question that was just asked and answered in #search."""
    open_channel(page, "search")
    type_in(page, "search", f"@oracle {WHY}")
    side = thread(page)
    expect(side.get_by_role("button", name="Show proof")).to_be_visible(timeout=SHOWN_MS)
    expect(side.get_by_role("button", name="Show proof")).to_have_count(1)
    yield side
    side.get_by_role("button", name="Close").first.click()


def control(up: Up, what: str, **body: object) -> dict[str, object]:
    response = httpx.post(f"{up.page}/control/{what}", json=body)
    response.raise_for_status()
    found: dict[str, object] = response.json()
    return found


def test_the_plan_is_watched_while_it_is_checked_and_can_be_stopped(up: Up, page: Page) -> None:
    control(up, "faults", method="files.getUploadURLExternal", action="hold", times=1)
    open_channel(page, "search")
    type_in(page, "search", f"@oracle {WHY}")
    side = thread(page)
    expect(side.get_by_text("Weigh what went out before it")).to_be_visible(timeout=SHOWN_MS)
    expect(side.get_by_text(re.compile(r"^(\d+) of \1$"))).to_be_visible(timeout=SHOWN_MS)
    stop = side.get_by_role("button", name="Stop")
    expect(stop).to_be_visible(timeout=SHOWN_MS)
    stop.click()
    expect(side.get_by_text(re.compile("^Stopped")).last).to_be_visible(timeout=SHOWN_MS)
    expect(stop).to_have_count(0, timeout=SHOWN_MS)
    httpx.delete(f"{up.page}/control/faults").raise_for_status()
    control(up, "release")
    assert until(lambda: httpx.get(f"{up.web}/healthz").json()["open"] == 0, "nothing is left open")
    expect(side.get_by_text(ANSWERED)).to_have_count(0)


def test_proof_shows_the_query_the_window_and_the_lines(page: Page, answer: Locator) -> None:
    answer.get_by_role("button", name="Show proof").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_text("Proof", exact=True)).to_be_visible(timeout=SHOWN_MS)
    expect(window.get_by_text("histogram_quantile(0.95").first).to_be_attached()
    expect(window.get_by_text(re.compile(r"Window: ")).first).to_be_attached()
    more = window.get_by_role("button", name=re.compile("Next|More"))
    while more.count():
        more.first.click()
        expect(window.get_by_text(re.compile("page [2-9] of"))).to_be_attached(timeout=SHOWN_MS)
        if window.get_by_text(re.compile(r"search_service\.py:\d+")).count():
            break
    expect(window.get_by_text(re.compile(r"search_service\.py")).first).to_be_attached()
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)


def test_feedback_is_taken_and_a_bad_one_may_say_why(page: Page, answer: Locator) -> None:
    answer.get_by_role("button", name=re.compile("Good", re.IGNORECASE)).click()
    expect(answer.get_by_text(re.compile("thank", re.IGNORECASE)).last).to_be_visible(timeout=SHOWN_MS)
    answer.get_by_role("button", name=re.compile("Bad", re.IGNORECASE)).click()
    window = page.get_by_role("dialog")
    window.get_by_text("Something is missing").click()
    window.get_by_role("textbox").fill("the deploy before it matters too")
    window.get_by_role("button", name="Send").click()
    expect(window).to_have_count(0, timeout=SHOWN_MS)


def test_a_question_is_run_again_and_shared(page: Page, answer: Locator) -> None:
    answer.get_by_role("button", name="Re-run").click()
    expect(answer.get_by_text(re.compile("Since the last time"))).to_be_attached(timeout=SHOWN_MS)
    answer.get_by_role("button", name="Share").last.click()
    expect(page.get_by_text(re.compile("shared", re.IGNORECASE)).first).to_be_visible(timeout=SHOWN_MS)
    answer.get_by_role("button", name="Share").last.click()
    expect(page.get_by_text(re.compile("already", re.IGNORECASE)).first).to_be_visible(timeout=SHOWN_MS)


def test_the_home_tab_shows_what_was_asked_and_what_is_read(page: Page, answer: Locator) -> None:
    expect(answer).to_be_visible()
    page.get_by_role("navigation").get_by_text("oracle", exact=True).click()
    page.get_by_text("Home", exact=True).first.click()
    home = page.get_by_role("main")
    expect(home.get_by_text("Your recent questions")).to_be_visible(timeout=SHOWN_MS)
    expect(home.get_by_text(WHY).first).to_be_visible()
    for words in ("shop", "documents", "metrics known"):
        expect(home.get_by_text(re.compile(words)).first).to_be_attached()
    home.get_by_role("button", name="Show proof").first.click()
    expect(page.get_by_role("dialog").get_by_text("Proof", exact=True)).to_be_visible(timeout=SHOWN_MS)
    page.keyboard.press("Escape")
    open_channel(page, "search")
    page.get_by_text(re.compile(r"\d+ repl(y|ies)")).last.click()


def test_a_question_is_asked_in_a_window(page: Page) -> None:
    open_channel(page, "payments")
    box = page.get_by_role("combobox", name=re.compile("Message #?payments", re.IGNORECASE))
    box.fill("/oracle ")
    box.press("Enter")
    window = page.get_by_role("dialog")
    window.get_by_role("textbox").fill("Where is the retry policy configured for our payment client?")
    window.get_by_role("button", name=re.compile("Ask")).click()
    expect(window).to_have_count(0, timeout=SHOWN_MS)
    expect(page.get_by_text(re.compile("asked:")).last).to_be_visible(timeout=SHOWN_MS)


def test_an_incident_is_declared_listed_and_resolved(page: Page) -> None:
    open_channel(page, "incidents")
    type_in(page, "incidents", '/oracle incident "Checkout errors"')
    declared = page.get_by_role("article", name=re.compile("oracle.*Checkout errors", re.DOTALL))
    expect(declared.first).to_be_visible(timeout=SHOWN_MS)  # Home tells of it from then on
    page.get_by_role("navigation").get_by_text("oracle", exact=True).click()
    page.get_by_text("Home", exact=True).first.click()
    expect(page.get_by_role("main").get_by_text(re.compile("Checkout errors")).first).to_be_visible(timeout=SHOWN_MS)
    open_channel(page, "incidents")
    type_in(page, "incidents", "/oracle resolve rolled back")
    expect(page.get_by_text(re.compile("resolved", re.IGNORECASE)).first).to_be_visible(timeout=SHOWN_MS)


def test_a_phone_shows_one_pane_at_a_time(up: Up, page: Page) -> None:
    browser = page.context.browser
    assert browser is not None
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto(up.page)
    phone.get_by_role("button", name="Back to the list of channels").click()
    phone.get_by_role("navigation").get_by_text("search", exact=True).click()
    box = phone.get_by_role("combobox", name=re.compile("Message #?search", re.IGNORECASE))
    expect(box).to_be_visible()
    box.fill("@oracle something is broken, help")
    box.press("Enter")
    option = phone.locator("button", has_text="/api/search").first
    expect(option).to_be_visible(timeout=SHOWN_MS)
    option.click()
    expect(phone.get_by_role("button", name="Show proof")).to_be_attached(timeout=SHOWN_MS)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    answer = phone.get_by_role("article").filter(has_text=ANSWERED).last
    place = answer.bounding_box()
    assert place is not None
    assert place["height"] <= 1.5 * 844, "an answer with its chart is read on a screen and a half"
    phone.close()
