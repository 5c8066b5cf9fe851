"""Index and rank code, documents and changes, as a library."""

from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.code.permalinks import permalink
from workers.sources.documents.index import DocHit, DocIndex
from workers.sources.git import tags
from workers.sources.history.blame import last_change
from workers.sources.history.change_search import Found, change, find_changes
from workers.sources.history.commits import Change

__all__ = [
    "Change",
    "CodeHit",
    "CodeIndex",
    "DocHit",
    "DocIndex",
    "Found",
    "change",
    "find_changes",
    "last_change",
    "permalink",
    "tags",
]
