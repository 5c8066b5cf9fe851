"""Stack traces, in every language's way of writing them, and the lines of a repository that they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.search import CodeIndex
from workers.sources.history.stack_traces import read_trace
from workers.sources.history.trace_hits import COMPILED, MOVED, find_frames

TRACES = {
    "python, chained, behind a log's prefix": (
        """2026-11-20 10:00:01 ERROR [worker] Traceback (most recent call last):
  File "/app/src/shop/web.py", line 41, in handle
    return pay(order)
  File "/app/src/shop/pay.py", line 12, in pay
    bank.charge(order.total)
KeyError: 'total'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/flask/app.py", line 1, in wsgi
shop.errors.PayFailed: could not pay order""",
        [("/app/src/shop/pay.py", 12, "pay"), ("/app/src/shop/web.py", 41, "handle")],
        ("KeyError 'total'", "could not pay order"),
    ),
    "java, caused by": (
        """Exception in thread "main" java.lang.IllegalStateException: could not start
\tat com.acme.shop.Main.run(Main.java:20)
\tat java.base/java.lang.Thread.run(Thread.java:833)
Caused by: java.sql.SQLException: connection refused
\tat app//com.acme.shop.db.Pool$Inner.lambda$open$0(Pool.java:77)
\t... 2 more""",
        [("com/acme/shop/db/Pool.java", 77, "open"), ("com/acme/shop/Main.java", 20, "run")],
        ("connection refused", "could not start"),
    ),
    "go": (
        """panic: runtime error: index out of range [3] with length 3 [recovered]

goroutine 1 [running]:
main.(*Server).handle(0xc0000b6000, {0x1, 0x2})
\t/app/cmd/server/main.go:42 +0x1d
created by net/http.(*Server).Serve
\t/usr/local/go/src/net/http/server.go:3086 +0x5cb""",
        [("/app/cmd/server/main.go", 42, "handle")],
        ("runtime error: index out of range [3] with length 3",),
    ),
    "node": (
        """TypeError: Cannot read properties of undefined (reading 'id')
    at Cart.addItem (/app/src/cart.ts:88:13)
    at async Promise.all (index 0)
    at new Foo (webpack:///./src/foo.ts?abc:3:1)
    at file:///app/src/main.mjs:5:1""",
        [("/app/src/cart.ts", 88, "addItem"), ("./src/foo.ts", 3, "Foo"), ("/app/src/main.mjs", 5, "")],
        ("Cannot read properties of undefined (reading 'id')",),
    ),
    "ruby": (
        """/app/lib/shop/cart.rb:12:in `add': undefined method `price' for nil:NilClass (NoMethodError)
\tfrom /app/lib/shop/web.rb:30:in `block in call'
\tfrom /app/lib/shop/app.rb:7:in 'Shop::App#run'""",
        [
            ("/app/lib/shop/cart.rb", 12, "add"),
            ("/app/lib/shop/web.rb", 30, "call"),
            ("/app/lib/shop/app.rb", 7, "run"),
        ],
        ("undefined method `price' for nil:NilClass",),
    ),
    "rust": (
        """thread 'main' panicked at src/main.rs:4:5:
index out of bounds: the len is 3 but the index is 99
stack backtrace:
   3: shop::cart::add_item
             at ./src/cart.rs:31:9""",
        [("src/main.rs", 4, ""), ("./src/cart.rs", 31, "add_item")],
        ("index out of bounds: the len is 3 but the index is 99",),
    ),
    "dotnet": (
        """Unhandled exception. System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Shop.Cart.Add(Item item, Int32 n) in /src/Shop/Cart.cs:line 42
   at Shop.Web.Run() in C:\\src\\Shop\\Web.cs:line 7""",
        [("/src/Shop/Cart.cs", 42, "Add"), ("C:/src/Shop/Web.cs", 7, "Run")],
        ("Sequence contains no elements",),
    ),
    "php": (
        """PHP Fatal error:  Uncaught RuntimeException: no stock in /var/www/html/src/Cart.php:17
Stack trace:
#0 /var/www/html/src/Shop.php(9): App\\Cart->add('x')
#1 {main}""",
        [("/var/www/html/src/Cart.php", 17, ""), ("/var/www/html/src/Shop.php", 9, "add")],
        ("no stock",),
    ),
    "inside a JSON line": (
        r'{"level":"error","trace":"Traceback (most recent call last):\n  File \"/app/a/b.py\", line 3, in f\n'
        r'    x()\nValueError: no \"x\" here"}',
        [("/app/a/b.py", 3, "f")],
        ('no "x" here',),
    ),
    "coloured, one line of a container's log": (
        "\x1b[31m2026-11-20T10:00:01.123Z stderr F     at Cart.addItem (/app/dist/cart.js:88:13)\x1b[0m",
        [("/app/dist/cart.js", 88, "addItem")],
        (),
    ),
}


@each_row("name", TRACES)
def test_frames_and_messages(name: str) -> None:
    text, frames, messages = TRACES[name]
    trace = read_trace(text)
    assert trace is not None
    read = [(f.path, f.line, f.function) for f in trace.frames]
    assert [f for f in read if f in frames] == frames
    assert read[0] == frames[0]
    assert trace.messages == messages


@each_row(
    "text",
    ["", "why is checkout slow", "File a bug at line 4", "see workers/code.py", "at 10:30 we met in main", "a (b.c:1)"],
)
def test_what_is_no_trace(text: str) -> None:
    assert read_trace(text) is None


@given(st.text(max_size=2_000))
def test_any_text_is_read(text: str) -> None:
    trace = read_trace(text)
    assert trace is None or all(f.line >= 1 and f.path for f in trace.frames)


FILES = {
    "src/shop/pay.py": "import bank\n\n\ndef check(order):\n    return order\n\n\n"
    + "def pay(order):\n    check(order)\n    total = order['total']\n    return bank.charge(total)\n",
    "src/shop/web.py": "from shop.pay import pay\n\n\ndef handle(order):\n    return pay(order)\n",
    "src/other/pay.py": "def refund(order):\n    return order\n",
    "app/base.py": "def base():\n    return 1\n",
    "tests/shop/pay.py": "def pay(order):\n    pass\n",
    "web/src/cart.ts": "export class Cart {\n  items = []\n\n  addItem(item) {\n    this.items.push(item.id)\n  }\n}\n",
    "server/src/main/java/com/acme/shop/db/Pool.java": "package com.acme.shop.db;\n\nclass Pool {\n"
    "  void open() {\n    connect();\n  }\n}\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    """A shop in three languages."""
    folder = make_repository(tmp_path_factory.mktemp("traces") / "shop", FILES)
    return CodeIndex.build(folder, tmp_path_factory.mktemp("index"))


def places(index: CodeIndex, text: str) -> list[tuple[str, int, str]]:
    trace = read_trace(text)
    assert trace is not None
    return [(f.hit.path, f.line, f.note) for f in find_frames(index, trace)]


def test_container_paths_and_the_innermost_own_frame_first(index: CodeIndex) -> None:
    text = """  File "/app/src/shop/web.py", line 5, in handle
  File "/app/src/shop/pay.py", line 10, in pay
  File "/usr/local/lib/python3.11/site-packages/bank/client.py", line 3, in charge
  File "/usr/local/lib/python3.11/site-packages/celery/app/base.py", line 1, in base
KeyError: 'total'"""
    assert places(index, text) == [("src/shop/pay.py", 10, ""), ("src/shop/web.py", 5, "")]
    trace = read_trace(text)
    assert trace is not None
    found = find_frames(index, trace)[0].hit
    assert found.symbols[0] == "pay"
    assert found.excerpt.split("\n") == FILES["src/shop/pay.py"].split("\n")[found.start_line - 1 : found.end_line]
    assert found.start_line <= 10 <= found.end_line


def test_an_installed_copy_of_the_project_is_its_own(index: CodeIndex) -> None:
    text = '  File "/usr/lib/python3/site-packages/shop/pay.py", line 10, in pay'
    assert places(index, text) == [("src/shop/pay.py", 10, "")]


def test_lines_that_moved_are_found_by_the_function(index: CodeIndex) -> None:
    assert places(index, '  File "/app/src/shop/pay.py", line 3, in pay') == [("src/shop/pay.py", 8, MOVED)]
    assert places(index, '  File "/app/src/shop/pay.py", line 900, in pay') == [("src/shop/pay.py", 8, MOVED)]


def test_compiled_scripts_lead_to_their_source(index: CodeIndex) -> None:
    assert places(index, "    at Cart.addItem (/app/web/dist/cart.js:1:2013)") == [("web/src/cart.ts", 4, COMPILED)]
    assert places(index, "    at /app/web/dist/cart.js:1:2013") == [], "nothing says where in it"


def test_packages_are_paths(index: CodeIndex) -> None:
    found = places(index, "\tat com.acme.shop.db.Pool$Inner.lambda$open$0(Pool.java:5)")
    assert found == [("server/src/main/java/com/acme/shop/db/Pool.java", 5, "")]
    assert places(index, "\tat org.other.Pool.open(Pool.java:5)") == []


def test_a_deployed_commit_moves_lines(index: CodeIndex) -> None:
    trace = read_trace('  File "/app/src/shop/pay.py", line 7, in pay')
    assert trace is not None
    (found,) = find_frames(index, trace, move=lambda path, line: (line + 3, "as deployed"))
    assert (found.line, found.note) == (10, "as deployed")
