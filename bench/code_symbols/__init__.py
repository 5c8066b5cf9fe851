"""Definitions, uses and maps of real repositories beside ctags and language servers.

``python -m bench code_symbols REPO… [--sample 120] [--servers FOLDER]``

Each repository is a checkout with a work tree. ``--servers`` is a folder whose ``node_modules/.bin`` holds
``pyright-langserver`` and ``typescript-language-server``; ``ctags`` is Universal Ctags.
Symbols are sampled from what ctags finds outside of tests, with a fixed seed.
"""

from __future__ import annotations

from bench.code_symbols.measure import main

__all__ = ["main"]
