"""Index and rank code, documents and changes, as a library."""

from workers.search.code.index import CodeHit, CodeIndex
from workers.search.code.links import permalink
from workers.search.documents.index import DocHit, DocIndex
from workers.search.git import tags
from workers.search.history.blame import last_change
from workers.search.history.changes import Found, change, find_changes
from workers.search.history.commits import Change

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
