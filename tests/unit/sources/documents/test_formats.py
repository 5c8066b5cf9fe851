"""Documents of every format: their text, sections, anchors, steps and links."""

from __future__ import annotations

import html
import json
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.document_files import make_notebook, make_pdf
from tests.support.each_row import each_row
from workers.sources.code.file_parsing import text_of
from workers.sources.documents.document import Document, Unreadable
from workers.sources.documents.section_reader import READ, read_source


def read(path: str, text: str | bytes) -> Document:
    document = read_source(path, text.encode() if isinstance(text, str) else text)
    assert document is not None
    check(document)
    return document


def check(document: Document) -> None:
    """What holds for a document of any format."""
    covered = [n for s in document.sections for n in range(s.start, s.end + 1)]
    assert covered == list(range(1, len(document.lines) + 1))
    anchors = [s.anchor for s in document.sections if s.anchor]
    assert len(anchors) == len(set(anchors))
    assert document.title
    for section in document.sections:
        assert section.breadcrumb[-1] == section.heading
        assert all(section.start <= line <= section.end for _, line in section.steps)
    assert all("\n" not in line for line in document.lines)
    assert all(1 <= line <= len(document.lines) + 1 for line, _, _ in document.links)
    "\n".join(document.lines).encode()  # no half of a surrogate pair


def outline(document: Document) -> list[tuple[str, int, int, int, str]]:
    return [(s.heading, s.level, s.start, s.end, s.anchor) for s in document.sections]


RST = """.. _top label:

=====================
 The ``queue`` guide
=====================

.. toctree::
   :maxdepth: 2

   other

See :doc:`the other </guide/other>` and :ref:`retries <retry-rules>`, or `this <more.rst>`_.

.. tabbed:: Never heard of

   Words inside of it.

   - restart the worker

What's :term:`new <change>`?
----------------------------

.. code-block:: console

   Not a heading
   -------------

.. _retry-rules:

Retries
-------

|unknown| words, :envvar:`QUEUE_URL`.

Retries
-------
"""


def test_restructured_text_of_sphinx(capfd: pytest.CaptureFixture[str]) -> None:
    document = read("queue.rst", RST)
    assert outline(document) == [
        ("The queue guide", 0, 1, 2, ""),
        ("The queue guide", 1, 3, 19, "the-queue-guide"),
        ("What's new?", 2, 20, 29, "what-s-new"),
        ("Retries", 2, 30, 34, "retries"),
        ("Retries", 2, 35, 36, "id1"),
    ]
    by_heading = {s.anchor: s for s in document.sections}
    assert by_heading["what-s-new"].mark == "whats-new"
    assert by_heading["retries"].names == ("retry-rules",)
    assert by_heading["id1"].mark == "retries-1"
    assert ("restart the worker", 18) in document.sections[1].steps
    assert [link[1:] for link in document.links] == [
        ("doc:/guide/other", "the other"),
        ("ref:retry-rules", "retries"),
        ("more.rst", "this"),
    ]
    assert not document.extracted
    assert capfd.readouterr() == ("", "")


def test_restructured_text_includes_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("x") / "secret.txt"
    secret.write_text("Hidden\n======\n")
    document = read("a.rst", f".. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n")
    assert [s.heading for s in document.sections] == ["a"]


def test_titles_that_docutils_does_not_accept_stay_text() -> None:
    document = read("a.rst", "Top\n===\n\nPart\n----\n\nwords\n\n* a\n\n  Not here\n  ~~~~~~~~\n")
    assert [s.heading for s in document.sections] == ["Top", "Part"]


ADOC = """= The guide
:product: Gatekeeper
:url: https://x.example

Preamble, see <<retry>> and xref:other.adoc#part[the other].

== What's in {product}?

----
== not a heading
----

[[retry]]
=== Retry `rules`

. Stop the queue
. Start it

====
=== inside an example
====

Old style
---------

////
== a comment
////
[#own.id]
== Old style
== Old style
:idprefix:
:idseparator: -
== After the change
"""


def test_asciidoc() -> None:
    document = read("guide.adoc", ADOC)
    assert [(s.heading, s.level, s.start, s.anchor, s.mark) for s in document.sections] == [
        ("The guide", 1, 1, "", "the-guide"),
        ("What's in Gatekeeper?", 2, 7, "_whats_in_gatekeeper", "whats-in-gatekeeper"),
        ("Retry rules", 3, 14, "retry", ""),
        ("Old style", 2, 23, "_old_style", "old-style"),
        ("Old style", 2, 30, "own.id", ""),
        ("Old style", 2, 31, "_old_style_2", "old-style-1"),
        ("After the change", 2, 34, "after-the-change", ""),
    ]
    assert document.sections[2].steps == (("Stop the queue", 16), ("Start it", 17))
    assert document.links == ((5, "#retry", ""), (5, "other.adoc#part", "the other"))
    assert document.sections[2].breadcrumb == ("The guide", "What's in Gatekeeper?", "Retry rules")


def test_markdown_with_ids_and_headings_of_html() -> None:
    document = read(
        "a.md",
        '<h1 align="center">The <b>tool</b></h1>\n\n## Set up {#setup}\n\nSee [the guide](b.md#x) and\n'
        "[code](../src/a.py).\n\n<h2 id='more'>More</h2>\n\n[ref]\n\n[ref]: https://example.org/\n",
    )
    assert outline(document) == [
        ("The tool", 1, 1, 2, "the-tool"),
        ("Set up", 2, 3, 7, "setup"),
        ("More", 2, 8, 12, "more"),
    ]
    assert document.sections[1].mark == "set-up-setup"
    assert document.links == (
        (5, "b.md#x", "the guide"),
        (6, "../src/a.py", "code"),
        (10, "https://example.org/", "ref"),
    )


def test_a_byte_order_mark_hides_no_heading() -> None:
    for path, text in (("a.md", "# Top\nx"), ("a.rst", "Top\n===\n\nx"), ("a.adoc", "= Top\n\nx")):
        document = read(path, "\ufeff" + text)
        assert (document.title, document.sections[0].heading) == ("Top", "Top")
        assert document.lines[0].startswith("\ufeff")


HTML = """<!doctype html><html><head><title>Retries | The handbook</title><style>p {}</style>
<link rel="canonical" href="https://docs.example.org/retries/"></head>
<body><nav><a href="/">Home</a> navigation</nav><ol class="breadcrumbs"><li>Handbook</li><li>Queues</li></ol>
<header>banner</header><main>
<h1 id="retries">Retries<a class="headerlink" href="#retries">¶</a></h1>
<p>How a <b>job</b>
is tried
again. See <a href="queues.html#limits">limits</a>.</p>
<section id="limits"><h2>Limits</h2><ul><li>at most 5<ul><li>then parked</li></ul></li>
<li><p>one a minute</p></li></ul></section>
<h2>Code &amp; more</h2><pre>def f():
    return 1</pre>
<table><tr><th>Name</th><th>Value</th></tr><tr><td><p>tries</p></td><td>5</td></tr></table>
<script>var x = "script";</script><div class="edit-this-page">Edit</div>
</main><footer>Copyright</footer></body></html>"""


def test_html() -> None:
    document = read("retries/index.html", HTML)
    assert document.extracted
    assert document.title == "Retries"
    assert document.crumbs == ("Handbook", "Queues")
    assert document.address == "https://docs.example.org/retries/"
    assert document.lines == (
        "Retries",
        "How a job is tried again. See limits.",
        "Limits",
        "- at most 5",
        "  - then parked",
        "- one a minute",
        "Code & more",
        "def f():",
        "    return 1",
        "Name | Value",
        "tries | 5",
    )
    assert outline(document) == [
        ("Retries", 1, 1, 2, "retries"),
        ("Limits", 2, 3, 6, "limits"),
        ("Code & more", 2, 7, 11, ":~:text=Code%20%26%20more"),
    ]
    assert document.sections[1].steps == (("at most 5", 4), ("then parked", 5), ("one a minute", 6))
    assert document.links == ((2, "queues.html#limits", "limits"),)


@each_row(
    "source, line",
    [
        ("<meta charset='iso-8859-1'><p>Gr\xfc\xdfe".encode("latin-1"), "Grüße"),
        ("\ufeff<p>Grüße".encode("utf-16-le"), "Grüße"),
        ("<meta charset='no-such'><p>Grüße".encode(), "Grüße"),
        (b"<p>Gr\xfc", "Gr\ufffd"),
        (b"<div>" * 3_000 + b"deep", "deep"),
        (b"<p><li>" * 50_000 + b"deep", "- deep"),
    ],
)
def test_html_of_any_encoding_and_depth(source: bytes, line: str) -> None:
    assert read("a.html", source).lines == (line,)


def test_a_page_that_would_take_hours_is_refused() -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        read_source("a.html", b"<div><b>" * 500_000)


def test_a_page_of_a_confluence_export() -> None:
    page = """<html><head><title>Payments : Rolling back</title></head><body><div id="main-header">
    <div id="breadcrumb-section"><ol id="breadcrumbs">
    <li class="first"><span><a href="index.html">Payments</a></span></li>
    <li><span><a href="Home_1.html">Home</a></span></li></ol></div>
    <h1 id="title-heading"><span id="title-text"> Payments : Rolling back </span></h1></div>
    <div id="content"><div class="page-metadata">Created by Ada</div><div id="main-content" class="wiki-content group">
    <p>First stop the queue.</p><h2 id="Rollingback-Then">Then</h2><p>Deploy.</p></div>
    <div class="pageSection"><h2 id="attachments">Attachments:</h2><a href="attachments/1/2.png">x.png</a></div>
    </div></body></html>"""
    document = read("Rolling-back_42.html", page)
    assert document.title == "Rolling back"
    assert document.crumbs == ("Payments", "Home")
    assert document.lines == ("First stop the queue.", "Then", "Deploy.")
    assert outline(document)[1] == ("Then", 2, 2, 3, "Rollingback-Then")


def test_pdf_with_an_outline() -> None:
    source = make_pdf(
        [["Contents"], ["1 Retries", "At most five (5).", "2 Limits", "One a minute."], ["More on limits."]],
        [("Retries", 2), ("Limits", 2)],
        title="The handbook",
    )
    document = read("handbook.pdf", source)
    assert document.extracted
    assert document.title == "The handbook"
    assert document.lines == (
        "Contents",
        "1 Retries",
        "At most five (5).",
        "2 Limits",
        "One a minute.",
        "More on limits.",
    )
    assert outline(document) == [
        ("Page 1", 1, 1, 1, "page=1"),
        ("Retries", 1, 2, 3, "page=2&search=Retries"),
        ("Limits", 1, 4, 5, "page=2&search=Limits"),
        ("Limits", 1, 6, 6, "page=3"),
    ]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (make_pdf([["secret"]], password="x"), "it is encrypted"),
        (make_pdf([[]]), "it holds no text, only pictures of pages"),
        (b"%PDF-1.7 and nothing", "it is broken"),
        (b"", "it is broken"),
    ],
)
def test_pdfs_that_cannot_be_read(source: bytes, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(Unreadable, match=re.escape(reason)):
        read_source("a.pdf", source)


def test_a_pdf_locked_against_printing_is_read() -> None:
    assert read("a.pdf", make_pdf([["words"]], password="")).lines == ("words",)


def test_notebook() -> None:
    source = make_notebook(
        ("markdown", "# Load test\n\nHow we *measure*.\n\n- start it"),
        ("code", "# not a heading\nrun(users=10)\n"),
        ("markdown", "## Results of May\n\nSee [the guide](guide.md)."),
        ("raw", "## Results of May"),
        ("code", ""),
    )
    document = read("load.ipynb", source)
    assert document.extracted
    assert document.title == "Load test"
    assert document.lines == (
        *("# Load test", "", "How we *measure*.", "", "- start it", ""),
        *("# not a heading", "run(users=10)", "", "## Results of May", "", "See [the guide](guide.md).", ""),
        "## Results of May",
    )
    assert outline(document) == [
        ("Load test", 1, 1, 9, "Load-test"),
        ("Results of May", 2, 10, 13, "Results-of-May"),
        ("Results of May", 2, 14, 14, ""),
    ]
    assert document.sections[0].steps == (("start it", 5),)
    assert document.links == ((12, "guide.md", "the guide"),)


@each_row("source", [b"{}", b"[]", b"[" * 100_000, b"nothing", b'{"cells": []}', b'{"cells": [1, {}]}'])
def test_what_is_no_notebook(source: bytes) -> None:
    with pytest.raises(Unreadable):
        read_source("a.ipynb", source)


OPENAPI = """openapi: 3.1.0
info:
  title: Orders
  version: '1'
paths:
  /orders/{id}:
    parameters:
      - $ref: '#/components/parameters/id'
    get:
      summary: Show an order
      operationId: showOrder
      parameters:
        - name: full
          in: query
          schema: {type: boolean}
      responses:
        '200': {description: The order}
        '404':
          $ref: '#/components/responses/Missing'
    delete:
      responses: {}
components:
  parameters:
    id: {name: id, in: path, required: true, description: Of the order, schema: {type: string}}
  responses:
    Missing:
      description: |
        There is
        no such order.
tags:
  - name: orders
"""


def test_openapi() -> None:
    document = read("api.yaml", OPENAPI)
    assert not document.extracted
    assert document.lines == tuple(OPENAPI.splitlines())
    assert outline(document) == [
        ("Orders", 0, 1, 4, ""),
        ("GET /orders/{id} — Show an order", 2, 5, 19, "operation/showOrder"),
        ("DELETE /orders/{id}", 2, 20, 21, "paths/~1orders~1{id}/delete"),
        ("id (parameter)", 2, 22, 24, "parameters/id"),
        ("Missing (response)", 2, 25, 29, "responses/Missing"),
        ("tags", 2, 30, 31, "tags"),
    ]
    assert document.sections[1].steps == (
        ("id (path, string, required): Of the order", 8),
        ("full (query, boolean)", 13),
        ("200: The order", 17),
        ("404: There is no such order.", 18),
    )


def test_openapi_in_json_is_laid_out_when_it_is_one_line() -> None:
    whole = {
        "swagger": "2.0",
        "info": {"title": "Old"},
        "paths": {"/a": {"get": {"summary": "\U0001f600 " + "x" * 500}}},
    }
    for indent in (None, 1):
        source = json.dumps(whole, indent=indent)
        document = read("api.json", source)
        assert document.extracted == (indent is None or "\\ud83d" in source)
        assert [s.anchor for s in document.sections] == ["", "paths/~1a/get"]
    plain = json.dumps({**whole, "paths": {"/a": {"get": {"summary": "List"}}}}, indent=2)
    assert read("api.json", plain).lines == tuple(plain.split("\n"))


@each_row("text", ["a: 1\n", '{"a": 1}', "# openapi: 3\nkind: Deployment\n", "openapi_url: 3\n"])
def test_yaml_and_json_that_describe_no_interface_are_no_documents(text: str) -> None:
    assert read_source("a.yaml", text.encode()) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("openapi: 3.0.0\na: [", "no YAML"),
        ("openapi: 3.0.0\na: " + "[" * 5_000, "nested too deeply"),
        ('{"openapi": "3.0.0", "a": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
    ],
)
def test_descriptions_that_cannot_be_read(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_source("a.yaml", text.encode())


def test_aliases_of_yaml_do_not_grow() -> None:
    levels = "".join(f"x{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    assert read("a.yaml", f"openapi: 3.0.0\nx0: &a0 [1]\n{levels}").title == "a"


PIECES = st.sampled_from(
    "# A~## B {#b}~====~----~^^^^~text~- item~  more~1. one~> # q~---~    # code~= adoc~== Part~[[id]]~[#own]"
    "~[discrete]~....~////~****~--~```~.. _x:~.. note:: a~.. unknown:: b~   inside~:ref:`x`~`a <b>`_~*~**a~``~::"
    "~.. |x| image:: y~.. role:: z~<h1>t</h1>~<div~<!--~-->~<p id=a>~</li>~<ul><li>~<pre>~<td>~&amp;~openapi: 3.0.0"
    "~paths:~  /a:~    get:~      $ref: '#/paths'~  <<: *a~&a~\ufeff~\r~\x00~\x85~\u2028~\U0001f600~\\~+---+"
    "~| a |~|====".split("~")
)


@given(
    st.lists(
        PIECES | st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12), max_size=30
    ),
    st.sampled_from(sorted(READ - {".pdf", ".ipynb"})),
)
def test_any_text_is_read_or_refused(lines: list[str], suffix: str) -> None:
    source = "\n".join(lines).encode()
    try:
        document = read_source(f"x{suffix}", source)
    except Unreadable:
        return
    if document is not None:
        check(document)
        if not document.extracted:
            assert list(document.lines) == text_of(source)


@given(st.binary(max_size=400), st.sampled_from(sorted(READ)))
def test_any_bytes_are_read_or_refused(source: bytes, suffix: str) -> None:
    for start in (b"", b"%PDF-1.4\n", b'{"cells": [', b"openapi: 3.0.0\n", b"<html>"):
        try:
            document = read_source(f"x{suffix}", start + source)
        except Unreadable:
            continue
        if document is not None:
            check(document)


@given(st.data())
def test_a_damaged_pdf_is_read_or_refused(data: st.DataObject) -> None:
    source = bytearray(make_pdf([["Retries", "words"], ["Limits"]], [("Retries", 1), ("Limits", 2)]))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(source) - 1))
        source[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=8))
    try:
        document = read_source("x.pdf", bytes(source))
    except Unreadable:
        return
    assert document is not None
    check(document)


WORDS = st.text(st.sampled_from("abcdefghij"), min_size=1, max_size=6)
TAGS = st.sampled_from("p div span b ul li table tr td th h1 h2 h3 pre section blockquote a code dl dt dd br".split())


@given(st.recursive(WORDS, lambda inner: st.tuples(TAGS, st.lists(inner, max_size=4)), max_leaves=25))
def test_no_word_of_a_page_is_lost(tree: object) -> None:
    said: list[str] = []

    def write(node: object) -> str:
        if isinstance(node, str):
            said.append(node)
            return f" {html.escape(node)} "
        tag, inner = node  # type: ignore[misc]
        return f"<{tag}>{''.join(map(write, inner))}</{tag}>"

    page = f"<main>{write(tree)}</main>"
    if said:
        document = read("a.html", page)
        assert sorted(re.findall(r"[a-j]+", "\n".join(document.lines))) == sorted(said)


@given(
    st.lists(
        st.lists(st.text(st.sampled_from("abcXYZ 1"), min_size=1, max_size=20), max_size=6), min_size=1, max_size=4
    )
)
def test_no_word_of_a_pdf_is_lost(pages: list[list[str]]) -> None:
    words = [w for page in pages for line in page for w in line.split()]
    if words:
        assert " ".join(read("a.pdf", make_pdf(pages)).lines).split() == words


@given(
    st.lists(st.tuples(st.sampled_from(["markdown", "code", "raw"]), st.text(st.sampled_from("ab# -`\n"))), max_size=6)
)
def test_no_line_of_a_notebook_is_lost(cells: list[tuple[str, str]]) -> None:
    lines = [line for _, text in cells if text.strip() for line in text.strip("\n").split("\n")]
    if any(line.strip() for line in lines):
        shown = read("a.ipynb", make_notebook(*cells)).lines
        assert [line for line in shown if line.strip()] == [line for line in lines if line.strip()]
