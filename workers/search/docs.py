"""Search over a folder of documents, a section at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.errors import ToolUnavailable
from workers.search.cover import Coverage, check_coverage
from workers.search.doc_build import (
    BODY,
    CRUMBS,
    FIELDS,
    FILE,
    HEADING,
    SCHEMA,
    DocRecord,
    build_docs,
    is_current,
    open_folder,
    read_records,
)
from workers.search.excerpt import tighten
from workers.search.links import fill, heading_link
from workers.search.parse import unpack
from workers.search.postings import Postings, from_arrays
from workers.search.query import Query, read_query
from workers.search.rank import Floats, idf
from workers.search.sections import Section
from workers.search.store import Container, read_container
from workers.search.vocabulary import ALTERNATES

K1, B = 1.6, 0.6
FIELD_WEIGHTS = np.array([1.0, 5.0, 2.0])
WHOLE_DOCUMENT, FILE_K1 = 0.5, 6.0
ALTERNATE, COMPOUND, ROUTE, PHRASE = 0.3, 0.25, 0.6, 0.6
TOP_SECTION = 0.8
ASKED_KIND = 1.35
KIND_INTENTS = (
    ("runbook", re.compile(r"\b(run-?book|play-?book|mitigat\w*|on-?call|what (should|do) (i|we) do|how (do|to|can) (i|we)?"
                           r" ?(fix|recover|roll ?back|restore|debug)|spik\w+|slow|outage|errors?|failing|latency)\b", re.IGNORECASE)),
    ("adr", re.compile(r"\b(adrs?|why (did|do|have|are) we|decid\w*|decision|rationale|chose|choose|trade-?offs?)\b", re.IGNORECASE)),
    ("postmortem", re.compile(r"\b(post-?mortems?|rca|last (incident|outage)|happened before|previous incident)\b", re.IGNORECASE)),
    ("design", re.compile(r"\b(design\w*|architecture|overview|how (is|are|does) .*(work|wired|built|structured))\b", re.IGNORECASE)),
)


@dataclass(frozen=True)
class DocHit:
    """Lines of one section. ``start_line`` and ``end_line`` are those of ``excerpt``, which is exactly those lines.

    ``kind`` is runbook, adr, postmortem, design or guide; ``steps`` are all list items of the section with their
    lines; ``commit`` is empty when the file differs from what is committed.
    """

    path: str
    start_line: int
    end_line: int
    title: str
    heading: str
    breadcrumb: tuple[str, ...]
    anchor: str
    kind: str
    url: str
    excerpt: str
    score: float
    commit: str
    symbols: tuple[str, ...] = ()
    steps: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class DocResults:
    """Hits for a question, and what of it was found."""

    hits: tuple[DocHit, ...]
    coverage: Coverage
    query: Query
