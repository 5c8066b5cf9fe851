"""Fetched pages as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.document_files import make_pdf
from tests.support.each_row import each_row
from workers.errors import ToolUnavailable
from workers.sources.web.page_reading import PageText, read_page

URL = "https://docs.example.org/guide/retry"
LONG = "It is repeated three times with a pause that doubles, and then it is given up and told to whoever called. " * 4
TABLE = "<table><tr><th>Key</th><th>Default</th></tr><tr><td>timeout</td><td>30s</td></tr></table>"


def framed(title: str, main: str, head: str = "") -> str:
    """A page with what sites put around their text."""
    navigation = "<nav><a href='/'>Home</a><a href='/blog'>Blog</a></nav>"
    footer = "<footer>© 2026 Example. Imprint. Cookies.</footer>"
    return f"<html><head><title>{title}</title>{head}</head><body>{navigation}{main}{footer}</body></html>"


ARTICLE = framed(
    "Retry policy | Example",
    "<article><h1>Retry policy</h1><p>A <b>failed</b> call: see <a href='/x'>the docs</a> for *.log and a_b.</p>"
    f"<p>{LONG}</p><h2>Limits</h2><ul><li>three times</li><li>two seconds</li></ul>{TABLE}</article>",
    '<meta property="article:published_time" content="2025-03-04T10:00:00Z">',
)
REFERENCE = framed(
    "Client — Example docs",
    "<main><h1>Client</h1><p>Set it:</p><pre><code># how often\nretries: 3\n  backoff: 2s</code></pre>"
    f"<h2>Keys</h2>{TABLE}</main>",
)


def read(body: str | bytes, kind: str = "text/html", url: str = URL) -> PageText:
    return read_page(url, kind, body.encode() if isinstance(body, str) else body)


def test_an_article_without_its_frame() -> None:
    page = read(ARTICLE)
    assert (page.title, page.published, page.suffix) == ("Retry policy", "2025-03-04", ".html")
    assert "A failed call: see the docs for *.log and a_b." in page.text
    assert "## Limits" in page.text
    assert "- three times\n- two seconds" in page.text
    assert "| timeout | 30s |" in page.text
    assert not any(word in page.text for word in ("Blog", "Imprint", "/x", "**"))


def test_documentation_keeps_code_headings_and_cells() -> None:
    page = read(REFERENCE)
    assert page.title == "Client"
    assert "# Client" in page.text.split("\n")
    assert "# how often\nretries: 3\n  backoff: 2s" in page.text
    assert "## Keys" in page.text
    assert "timeout | 30s" in page.text
    assert "Imprint" not in page.text
    assert page.published == ""


def test_a_page_of_hardly_any_text_is_read_too() -> None:
    assert read("<p>All systems operational</p>").text == "All systems operational"


def test_a_day_that_only_stands_in_the_text_is_no_date_of_the_page() -> None:
    assert read(f"<p>{LONG} On 4 March 2021 it failed.</p>").published == ""
    assert read('<meta name="date" content="2999-01-01"><p>x</p>').published == ""


def test_a_pdf_keeps_its_page_numbers() -> None:
    page = read(make_pdf([["Rollback in two steps"], ["Tell the channel"]], title="Runbook"), "application/pdf")
    assert (page.title, page.suffix) == ("Runbook", ".pdf")
    assert page.text == "## Page 1\n\nRollback in two steps\n\n## Page 2\n\nTell the channel"
    assert read(make_pdf([["x"]]), "text/html").title == "retry", "it looks like one, whatever the server says"


def test_text_and_markdown_as_they_are() -> None:
    assert read("one\r\n  two\n", "text/plain; charset=utf-8") == PageText("retry", "one\n  two", ".txt")
    page = read("---\nx: 1\n---\n# Retry policy\n\n*three* times", "text/plain", "https://x.example/a/README.md")
    assert (page.title, page.suffix) == ("Retry policy", ".md")
    assert page.text.endswith("*three* times")


def test_json_with_a_line_a_value() -> None:
    assert read('{"a": {"b": 1}}', "application/json").text == '{\n "a": {\n  "b": 1\n }\n}'
    lines = json.dumps({"a": 1, "b": [1, 2]}, indent=4)
    assert read(lines, "application/problem+json").text == lines
    assert read("{broken", "application/json").text == "{broken"


@each_row(
    "body, kind, words",
    [
        (b"", "text/html", "no text"),
        (b"<html><script>make()</script></html>", "text/html", "no text"),
        (b"\0\1\2", "text/plain", "it is binary"),
        (b"%PDF-1.7 broken", "application/pdf", "it is broken"),
        (b"<div>" * 5_000, "text/html", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_said(body: bytes, kind: str, words: str) -> None:
    with pytest.raises(ToolUnavailable, match=words):
        read(body, kind)


PIECES = st.sampled_from(
    ["<p>", "</p>", "<table>", "<td>", "<pre>", "<!--", "<script>", "&amp;", "<h1>x", "text ", "<a href=x>"]
)


@given(
    st.lists(PIECES | st.text(max_size=10), max_size=60).map("".join), st.sampled_from(["text/html", "text/plain", ""])
)
def test_any_page_is_read_or_refused(body: str, kind: str) -> None:
    try:
        page = read(body.encode("utf-8", "replace"), kind)
    except ToolUnavailable:
        return
    assert page.text.strip()
    assert page.title.strip()
