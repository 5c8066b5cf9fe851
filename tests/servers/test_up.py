"""``oracle up`` as a newcomer meets it: the page in Chromium, a question typed, the answer read, a button pressed."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.servers.conftest import Up
from tests.support.deployment import until

pytestmark = pytest.mark.servers
WHY = "Latency on /api/search has been spiky since yesterday's deploy. What's going on?"
SHOWN_MS = 120_000


def open_channel(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_text(name, exact=True).click()
    expect(page.get_by_role("combobox", name=re.compile(f"Message #?{name}", re.IGNORECASE))).to_be_visible()


def type_in(page: Page, name: str, text: str) -> None:
    box = page.get_by_role("combobox", name=re.compile(f"Message #?{name}", re.IGNORECASE))
    box.click()
    box.fill(text)
    box.press("Enter")


def thread(page: Page) -> Locator:
    return page.get_by_role("complementary").filter(has_text="Thread")


def test_a_question_typed_in_the_page_is_answered_in_its_thread(up: Up, page: Page) -> None:
    open_channel(page, "search")
    type_in(page, "search", f"@oracle {WHY}")
    side = thread(page)
    everything = side.get_by_role("button", name="Everything")
    expect(everything).to_be_visible(timeout=SHOWN_MS)
    for words in ("has not come back", "Next, by Runbook", "metrics_query ×"):
        expect(side.get_by_text(words).first).to_be_attached()
    picture = side.locator("img").last
    expect(picture).to_have_attribute("alt", re.compile(r"/api/search.*deploy", re.DOTALL))
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 1000
    expect(side.get_by_text("Metrics", exact=True)).to_have_count(0)
    everything.click()
    expect(side.get_by_text("What changed", exact=True)).to_be_attached(timeout=SHOWN_MS)
    for words in ("Metrics", "Hypothesis:", "Docs", "Cache misconfiguration"):
        expect(side.get_by_text(words).first).to_be_attached()
    everything.click()
    expect(side.get_by_text(re.compile("stands in this thread already"))).to_be_attached(timeout=SHOWN_MS)
    expect(side.get_by_text("What changed", exact=True)).to_have_count(1)


def test_a_clarifying_question_is_answered_by_its_button(page: Page) -> None:
    open_channel(page, "general")
    type_in(page, "general", "@oracle is it broken?")
    side = thread(page)
    button = side.locator("button", has_text="/api/")
    expect(button.first).to_be_visible(timeout=SHOWN_MS)
    chosen = re.search(r"/api/\w+", button.first.inner_text())
    assert chosen
    button.first.click()
    expect(side.get_by_text("metrics_query ×").last).to_be_visible(timeout=SHOWN_MS)
    expect(side.get_by_text(re.compile(f"p95 latency of.*{chosen.group()}", re.DOTALL)).first).to_be_attached()
    expect(button).to_have_count(0)


def test_the_command_opens_a_thread_and_helps(page: Page) -> None:
    open_channel(page, "payments")
    type_in(page, "payments", "/oracle Where is the retry policy configured for our payment client?")
    expect(page.get_by_text(re.compile("asked:")).first).to_be_visible(timeout=SHOWN_MS)
    replies = page.get_by_text(re.compile(r"\d+ repl(y|ies)"))
    expect(replies.first).to_be_visible(timeout=SHOWN_MS)
    replies.first.click()
    expect(thread(page).get_by_text("repo_search ×").first).to_be_visible(timeout=SHOWN_MS)
    type_in(page, "payments", "/oracle help")
    expect(page.get_by_text(re.compile("I answer engineering questions")).first).to_be_visible(timeout=SHOWN_MS)
    expect(page.get_by_text(re.compile("Only visible to you", re.IGNORECASE)).first).to_be_visible()


def test_health_readiness_and_metrics_are_served(up: Up) -> None:
    asked = {"channel": "general", "user": "you", "text": f"@oracle {WHY}"}
    httpx.post(f"{up.page}/control/message", json=asked).raise_for_status()
    done = 'agent_requests_total{question_type="debug_incident"}'
    until(lambda: done in httpx.get(f"{up.web}/metrics").text, "a question is counted")
    until(lambda: httpx.get(f"{up.web}/healthz").json()["open"] == 0, "nothing is open")
    assert httpx.get(f"{up.web}/healthz").json()["open"] == 0
    ready = httpx.get(f"{up.web}/readyz")
    assert (ready.status_code, set(ready.json().values()) - {True, "ready", "ok"}) == (200, set())
    counted = httpx.get(f"{up.web}/metrics").text
    assert 'oracle_requests_finished_total{state="done"}' in counted
    assert 'agent_tool_calls_total{tool="metrics_query"}' in counted
