"""Index and rank code, documents and changes, as a library."""

from workers.search.blame import last_change
from workers.search.code import CodeHit, CodeIndex
from workers.search.commits import Change
from workers.search.docs import DocHit, DocIndex
from workers.search.git import tags
from workers.search.history import change, changes
from workers.search.links import permalink

__all__ = [
    "Change",
    "CodeHit",
    "CodeIndex",
    "DocHit",
    "DocIndex",
    "change",
    "changes",
    "last_change",
    "permalink",
    "tags",
]
