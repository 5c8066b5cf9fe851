"""Imports of each language as names and the modules they stand for."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.code.import_statements import Module, leads_to, read_imports, same_family


@each_row(
    "language, text, name, module",
    [
        ("python", "from a.b import (c,\n    d as e)", "e", Module(("a", "b"), member="d")),
        ("python", "from . import near", "near", Module(("x", "y"), True, "near")),
        ("python", "from ..up import thing", "thing", Module(("x", "up"), True, "thing")),
        ("python", "import a.b as c", "c", Module(("a", "b"))),
        ("typescript", "import { a as b } from './z'", "b", Module(("x", "y", "z"), True, "a")),
        ("typescript", "import D, { type T } from '../q/index.js'", "T", Module(("x", "q"), True, "T")),
        ("typescript", "import * as ns from 'pkg'", "ns", Module(("pkg",))),
        ("go", 'import (\n\t"host/owner/repo/v2"\n\tal "a/b"\n)', "al", Module(("a", "b"))),
        ("go", 'import (\n\t"host/owner/repo/v2"\n\tal "a/b"\n)', "repo", Module(("host", "owner", "repo", "v2"))),
        ("java", "import static a.b.C.m;", "m", Module(("a", "b", "C"), member="m")),
        ("rust", "use crate::a::{b, c::{self, d as e}};", "e", Module(("a", "c"), member="d")),
        ("php", "use A\\B\\C as D;", "D", Module(("A", "B"), member="C")),
    ],
)
def test_a_name_and_its_module(language: str, text: str, name: str, module: Module) -> None:
    assert read_imports([text], "x/y/file", language).names[name] == module


@each_row(
    "language, text",
    [
        ("python", "from a import *"),
        ("rust", "use a::*;"),
        ("java", "import a.*;"),
        ("typescript", "export * from './a'"),
    ],
)
def test_everything_of_a_module(language: str, text: str) -> None:
    assert read_imports([text], "file", language).wild == [Module(("a",), language == "typescript")]


def test_broken_imports_and_other_languages_bring_nothing() -> None:
    for language in ("python", "typescript", "go", "java", "rust", "ruby", ""):
        read_imports(["import", "from", "use {{{", "import {", "\x00", "from . import"], "a", language)
    assert read_imports(["require 'x'"], "a", "ruby").names == {}


def test_where_a_module_leads() -> None:
    assert leads_to(Module(("shop", "cart")), "src/shop/cart.py", "python") == 4
    assert leads_to(Module(("shop",)), "src/shop/cart.py", "python") == 3
    assert leads_to(Module(("other",)), "src/shop/cart.py", "python") == 0
    assert leads_to(Module(("shop",), True), "src/shop/cart.py", "python") == 0
    assert leads_to(Module(("host", "me", "repo", "pkg", "cart")), "pkg/cart/x.go", "go") == 4
    assert leads_to(Module(("host", "me", "repo", "pkg")), "pkg/cart/x.go", "go") == 0
    assert leads_to(Module(("shop", "Cart")), "src/shop/Cart.java", "java") == 4


def test_languages_that_use_each_other() -> None:
    assert same_family("tsx", "javascript")
    assert not same_family("go", "python")
