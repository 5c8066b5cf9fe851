"""Which file is meant by a part of a path, by a path of another machine, or by a module's name."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.history.path_matching import in_folder, match_path, split_place

PATHS = (
    "backend/src/shop/cart.py",
    "backend/src/shop/__init__.py",
    "backend/src/shop/pay/client.py",
    "backend/src/shop/pay/__init__.py",
    "backend/src/shop/recommend/client.py",
    "backend/tests/pay/test_client.py",
    "web/cart.ts",
    "README.md",
    "examples/pay/readme.py",
)


@each_row(
    "asked, path",
    [
        ("backend/src/shop/cart.py", "backend/src/shop/cart.py"),
        ("/README.md", "README.md"),
        ("readme.md", "README.md"),
        ("cart.py", "backend/src/shop/cart.py"),
        ("shop/cart.py", "backend/src/shop/cart.py"),
        ("/app/src/shop/cart.py", "backend/src/shop/cart.py"),
        ("/srv/releases/42/shop/pay/client.py", "backend/src/shop/pay/client.py"),
        ("./../shop/cart.py", "backend/src/shop/cart.py"),
        ("shop.cart", "backend/src/shop/cart.py"),
        ("shop.cart.Cart.add", "backend/src/shop/cart.py"),
        ("shop.pay", "backend/src/shop/pay/__init__.py"),
        ("pay.client", "backend/src/shop/pay/client.py"),
    ],
)
def test_the_file_that_is_meant(asked: str, path: str) -> None:
    assert match_path(asked, PATHS).paths == (path,)


def test_several_are_told_apart_by_more_of_the_path() -> None:
    assert match_path("client.py", PATHS).paths == (
        "backend/src/shop/pay/client.py",
        "backend/src/shop/recommend/client.py",
    )


@each_row(
    "asked",
    [
        "../../../etc/passwd",
        "/usr/lib/python3.11/site-packages/requests/client.py",
        "/usr/lib/python3.11/site-packages/cart.py",
        "cart.rb",
        "",
        "..",
    ],
)
def test_what_is_not_of_the_repository_is_no_file(asked: str) -> None:
    assert match_path(asked, PATHS).paths == ()


def test_what_is_misspelt_is_answered_with_what_comes_near() -> None:
    assert match_path("shop/crat.py", PATHS).nearest[0] == "backend/src/shop/cart.py"


@each_row(
    "asked, place",
    [
        ("a/b.py:41", ("a/b.py", "41")),
        ("a/b.py:41-50", ("a/b.py", "41-50")),
        ("a/b.py:41:7", ("a/b.py", "41")),
        (r"C:\app\b.py", ("C:/app/b.py", "")),
        ("file:///a/b.py", ("/a/b.py", "")),
    ],
)
def test_lines_are_read_off_a_path(asked: str, place: tuple[str, str]) -> None:
    assert split_place(asked) == place


def test_folders_by_their_end() -> None:
    assert in_folder("pay", PATHS) == ("examples/pay/",)
    assert in_folder("shop/pay", PATHS) == ("backend/src/shop/pay/",)
    assert in_folder("backend/src/", PATHS) == ("backend/src/",)
    assert in_folder("src/shop", PATHS) == ("backend/src/shop/",)
    assert in_folder("nowhere", PATHS) == ()
