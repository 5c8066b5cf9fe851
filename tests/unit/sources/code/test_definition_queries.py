"""Every language's query finds what it should."""

from __future__ import annotations

from workers.sources.code.definition_queries import DEFINITIONS
from workers.sources.code.syntax_tree import enclosing, read_definitions
from workers.sources.terms.programming_languages import EXTENSIONS, language_of

SAMPLES: dict[str, tuple[str, str]] = {
    "python": (
        "X = 1\nclass A:\n    y = 2\n    z: int\n    def f(self):\n        pass\nasync def g(): pass\n",
        "X:constant A:class A.y:constant A.f:function g:function",
    ),
    "javascript": (
        "const a = 1;\nfunction f(){}\nclass K { m(){} }\nconst g = () => 1;\nexports.h = function(){};\n"
        "module.exports = { k: function(){} };\n",
        "a:constant f:function K:class K.m:method g:function h:function k:method",
    ),
    "typescript": (
        "export interface I { a(): void }\nexport type T = string;\nenum E {A}\nexport const q = 1;\n"
        "abstract class Z { abstract p(): void; w = () => 1 }\n",
        "I:type I.a:method T:type E:type q:constant Z:class Z.p:method Z.w:method",
    ),
    "tsx": ("export const C = () => <div/>;\n", "C:function"),
    "go": (
        "package a\nconst X = 1\nvar (\n Y = 2\n)\ntype S struct{}\ntype I interface { M() }\n"
        "func F() {}\nfunc (s *S) G() {}\n",
        "X:constant Y:constant S:type I:type I.M:method F:function G:method",
    ),
    "rust": (
        "pub struct A;\nimpl A { fn f(&self){} }\nstatic Q: u8 = 1;\nmacro_rules! m { () => {} }\nmod x { fn y(){} }\n"
        "trait T { fn z(); }\n",
        "A:class A:class A.f:function Q:constant m:function x:class x.y:function T:type T.z:method",
    ),
    "java": (
        "class A { int x; A(){} void f(){} }\ninterface I {}\nenum E {X}\nrecord R(int a) {}\n",
        "A:class A.x:constant A.A:method A.f:method I:class E:type R:class",
    ),
    "kotlin": (
        "val top = 1\nclass A {\n  val x = 1\n  fun f() {}\n}\nobject O\nfun g() = 1\ntypealias T = Int\n",
        "top:constant A:class A.x:constant A.f:function O:class g:function T:type",
    ),
    "c": (
        "#define M 1\nint f(int a) { return 1; }\nchar *g(void) { return 0; }\n"
        "struct s { int a; };\nstatic int v = 3;\n",
        "M:constant f:function g:function s:type v:constant",
    ),
    "cpp": (
        "namespace n { class A { public: void f(); int g() { return 1; } }; void A::f() {} }\n",
        "n:class n.A:class n.A.f:method n.A.g:function n.A.f:function",
    ),
    "objc": (
        "@interface A : NSObject\n- (void)f;\n@end\n@implementation A\n- (void)f {}\n@end\n",
        "A:class A:class A.f:method",
    ),
    "csharp": (
        "namespace N { class A { int x; public int P {get;set;} A(){} void F(){} } }\n",
        "N:class N.A:class N.A.x:constant N.A.P:constant N.A.A:method N.A.F:method",
    ),
    "ruby": (
        "module M\n class A\n  X = 1\n  def f; end\n  def self.g; end\n end\nend\n",
        "M:class M.A:class M.A.X:constant M.A.f:method M.A.g:method",
    ),
    "php": (
        "<?php\nclass A { public $x = 1; const Y = 2; function f() {} }\nfunction g() {}\n",
        "A:class A.x:constant A.Y:constant A.f:method g:function",
    ),
    "swift": (
        "let top = 1\nclass A { var x = 1\n func f() {} }\nprotocol P { func g() }\n",
        "top:constant A:class A.x:constant A.f:function P:class P.g:method",
    ),
    "scala": (
        "object O { val x = 1\n def f = 2 }\ntrait T { def g: Int }\n",
        "O:class O.x:constant O.f:function T:class T.g:function",
    ),
    "lua": ("local x = 1\nfunction M.f() end\nM.h = function() end\n", "x:constant M.f:function M.h:function"),
    "elixir": (
        "defmodule A do\n  def f(x), do: x\n  defp g(x) when x > 1 do\n x\n end\nend\n",
        "A:class A.f:function A.g:function",
    ),
    "bash": ("X=1\nexport Y=2\nf() { echo; }\n", "X:constant Y:constant f:function"),
    "sql": (
        "CREATE TABLE orders (id int);\nCREATE INDEX idx_a ON orders (id);\nCREATE VIEW v AS SELECT 1;\n",
        "orders:class idx_a:constant v:class",
    ),
    "dart": ("class A { void f() {} }\nint g() => 1;\nenum E {a}\n", "A:class A.f:function g:function E:type"),
    "zig": ("const x = 1;\nfn f() void {}\n", "x:constant f:function"),
    "proto": (
        'syntax = "proto3";\nmessage A { string b = 1; }\nservice S { rpc F (A) returns (A); }\n',
        "A:class S:class S.F:method",
    ),
    "graphql": ("type A { b: Int }\nquery Q { a }\n", "A:class Q:function"),
    "solidity": (
        "contract A { function f() public {} event E(uint a); struct S { uint x; } }\n",
        "A:class A.f:function A.E:constant A.S:type",
    ),
    "groovy": ("class A {}\ndef f() { 1 }\n", "A:class f:function"),
    "julia": ("function f(x)\n x\nend\nstruct S\n a\nend\n", "f:function S:class"),
    "r": ("f <- function(x) x\n", "f:function"),
    "perl": ("sub f { 1 }\n", "f:function"),
    "powershell": ("function Get-X { 1 }\nclass A { }\n", "Get-X:function A:class"),
    "starlark": ("X = 1\ndef f():\n    pass\n", "X:constant f:function"),
    "yaml": ("a:\n  b: 1\n  c:\n    - d: 2\n", "a:key a.b:key a.c:key a.c.d:key"),
    "json": ('{"a": {"b": 1}}\n', "a:key a.b:key"),
    "jsonc": ('{"a": {"b": 1}}\n', "a:key a.b:key"),
    "toml": ("x = 1\n[a.b]\ny = 2\n[[c]]\nz=1\n", "x:key a.b:class a.b.y:key c:class c.z:key"),
    "ini": ("[a]\nx = 1\n", "a:class a.x:key"),
    "properties": ("a.b=1\n", "a.b:key"),
    "hcl": ('resource "aws_x" "y" {\n a = 1\n}\n', "aws_x:class aws_x.y:class aws_x.y.a:key"),
    "dockerfile": ("FROM python:3.11 AS base\nENV A=1\nARG B=2\n", "python:3.11:class A:key B:key"),
    "make": ("X = 1\nall: a\n\techo\n", "X:constant all:function"),
    "just": ("x := '1'\nbuild:\n  echo\n", "x:constant build:function"),
    "css": (".a { color: red }\n", ".a:key"),
    "scss": (".a { .b { c: d } }\n", ".a:key .a..b:key"),
    "haskell": ("module A where\ndata T = X\nf x = x\n", "T:type f:function"),
    "ocaml": ("let f x = x\ntype t = A\nmodule M = struct end\n", "f:function t:type M:class"),
    "erlang": ("-module(a).\n-record(r, {a}).\n-define(X, 1).\nf(X) -> X.\n", "r:type X:constant f:function"),
    "clojure": ("(defn f [x] x)\n(def y 1)\n", "f:function y:function"),
}


def found(language: str) -> list[str]:
    return [f"{d.qualified}:{d.kind}" for d in read_definitions(SAMPLES[language][0].encode(), language)]


def test_definitions() -> None:
    assert {language: found(language) for language in DEFINITIONS} == {
        language: SAMPLES[language][1].split() for language in DEFINITIONS
    }


def test_every_language_can_be_read() -> None:
    for name in set(EXTENSIONS.values()):
        read_definitions(b"x\n", name)


LANGUAGES = {
    "a/b.py": "python",
    "Dockerfile": "dockerfile",
    "deploy/Dockerfile.prod": "dockerfile",
    "Makefile": "make",
    ".env.local": "properties",
    "notes.txt": "text",
    "LICENSE": "",
    "x.unknown": "",
}


def test_language_of() -> None:
    assert {path: language_of(path) for path in LANGUAGES} == LANGUAGES


def test_lines_and_enclosing() -> None:
    source = "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    definitions = read_definitions(source.encode(), "python")
    assert [(d.qualified, d.start, d.end) for d in definitions] == [("A", 4, 9), ("A.f", 5, 6), ("A.g", 8, 9)]
    inner = enclosing(definitions, 6)
    assert inner is not None
    assert inner.qualified == "A.f"
    assert enclosing(definitions, 1) is None


def test_members_that_begin_with_type_parameters_hide_nothing_below() -> None:
    source = """interface On<E> {
  <I extends E>(one: I): [I]

  // two
  <
    I extends E,
    J extends E,
  >(one: I, two: J): [I, J]
}
type Fn =
  <T>(x: T) => T
export class After {}
"""
    found = read_definitions(source.encode(), "typescript")
    assert [(d.name, d.start) for d in found] == [("On", 1), ("Fn", 10), ("After", 12)]
