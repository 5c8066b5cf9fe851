"""Which language a file is in, by its path."""

from __future__ import annotations

EXTENSIONS: dict[str, str] = {
    suffix: name
    for name, suffixes in {
        "asciidoc": "adoc asciidoc",
        "astro": "astro",
        "bash": "sh bash zsh ksh bats",
        "batch": "bat cmd",
        "c": "c h",
        "clojure": "clj cljs cljc edn",
        "cmake": "cmake",
        "cpp": "cc cpp cxx c++ hh hpp hxx ipp inl cu cuh",
        "csharp": "cs",
        "css": "css",
        "dart": "dart",
        "dockerfile": "dockerfile",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "fortran": "f f90 f95 f03 f08",
        "go": "go",
        "gotmpl": "gotmpl tmpl",
        "graphql": "graphql gql graphqls",
        "groovy": "groovy gradle",
        "haskell": "hs",
        "hcl": "hcl tf tfvars",
        "html": "html htm",
        "ini": "ini cfg conf editorconfig",
        "java": "java",
        "javascript": "js mjs cjs jsx",
        "jinja2": "j2 jinja jinja2",
        "json": "json webmanifest",
        "json5": "json5",
        "jsonc": "jsonc",
        "jsonnet": "jsonnet libsonnet",
        "julia": "jl",
        "just": "just",
        "kdl": "kdl",
        "kotlin": "kt kts",
        "latex": "tex",
        "lua": "lua",
        "make": "mk mak",
        "markdown": "md markdown mdx",
        "nix": "nix",
        "objc": "m mm",
        "ocaml": "ml",
        "perl": "pl pm",
        "php": "php phtml",
        "powershell": "ps1 psm1",
        "properties": "properties env",
        "proto": "proto",
        "python": "py pyi pyw",
        "r": "r",
        "racket": "rkt",
        "rst": "rst",
        "ruby": "rb rake gemspec ru",
        "rust": "rs",
        "scala": "scala sc sbt",
        "scheme": "scm ss",
        "scss": "scss",
        "solidity": "sol",
        "sql": "sql",
        "starlark": "bzl star",
        "svelte": "svelte",
        "swift": "swift",
        "toml": "toml",
        "tsx": "tsx",
        "typescript": "ts mts cts",
        "vim": "vim",
        "vue": "vue",
        "xml": "xml xsd xsl plist csproj",
        "yaml": "yaml yml",
        "zig": "zig",
    }.items()
    for suffix in suffixes.split()
}
NAMES: dict[str, str] = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "justfile": "just",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "podfile": "ruby",
    "vagrantfile": "ruby",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "pipfile": "toml",
    "cargo.lock": "toml",
    ".env": "properties",
    ".bashrc": "bash",
    ".npmrc": "ini",
    ".gitconfig": "ini",
}
PROSE = frozenset({"markdown", "rst", "asciidoc", "latex", "text", "html"})
CONFIG = frozenset(
    {"dockerfile", "hcl", "ini", "json", "json5", "jsonc", "jsonnet", "kdl", "nix", "properties", "toml", "xml", "yaml"}
)


def language_of(path: str) -> str:
    """Name the language of a file by its path: a grammar's name, ``text`` for prose, or ``""`` when unknown."""
    name = path.rpartition("/")[2].lower()
    if name in NAMES:
        return NAMES[name]
    if name.startswith(("dockerfile.", ".env.")):
        return "dockerfile" if name.startswith("dockerfile") else "properties"
    suffix = name.rpartition(".")[2] if "." in name else ""
    if suffix in {"txt", "text", ""} and "." in name:
        return "text"
    return EXTENSIONS.get(suffix, "")
