"""``python -m bench web [--articles FOLDER] [--docs FOLDER]…``: how pages are read, and what may be reached.

``--articles``: a checkout of scrapinghub/article-extraction-benchmark; ``--docs``: folders of documentation in HTML.
The table of addresses needs neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.web.addresses import print_addresses
from bench.web.articles import print_articles
from bench.web.documentation import print_documentation


def main(args: Sequence[str]) -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench web")
    parser.add_argument("--articles", type=Path)
    parser.add_argument("--docs", type=Path, action="append", default=[])
    given = parser.parse_args(args)
    if given.articles:
        print_articles(given.articles)
    for folder in given.docs:
        print_documentation(folder)
    print_addresses()
