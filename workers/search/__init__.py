"""Index and rank code and documents, as a library."""

from workers.search.code import CodeHit, CodeIndex

__all__ = ["CodeHit", "CodeIndex"]
