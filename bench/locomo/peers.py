"""What is measured beside seeking: BM25 over whole sessions, and SQLite's full-text search alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from sqlalchemy import text

from workers.store.database import Database
from workers.store.threads import Entry

WORD = re.compile(r"\w+")
K1, LENGTH = 1.5, 0.75
DEEP = 10


class Bm25:
    """BM25 over sessions, a line ``speaker: text`` a turn, words in lower case as they stand."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        sessions: dict[str, list[str]] = {}
        for entry in entries:
            sessions.setdefault(entry.thread_id, []).append(f"{entry.speaker}: {entry.content}")
        self.names = list(sessions)
        self.counts = [Counter(WORD.findall("\n".join(lines).lower())) for lines in sessions.values()]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.mean = sum(self.lengths) / len(self.lengths)
        self.holding = Counter(word for counts in self.counts for word in counts)

    def threads(self, question: str) -> list[str]:
        """Sessions, best first."""
        scores = [0.0] * len(self.names)
        for word in set(WORD.findall(question.lower())) & self.holding.keys():
            holding = self.holding[word]
            idf = math.log(1 + (len(self.names) - holding + 0.5) / (holding + 0.5))
            for i, counts in enumerate(self.counts):
                if word in counts:
                    long = K1 * (1 - LENGTH + LENGTH * self.lengths[i] / self.mean)
                    scores[i] += idf * counts[word] * (K1 + 1) / (counts[word] + long)
        best = sorted(range(len(scores)), key=lambda i: -scores[i])[:DEEP]
        return [self.names[i] for i in best if scores[i] > 0]


def full_text(database: Database, question: str, most: int) -> list[Entry]:
    """Entries by FTS5's own ranking, any word of the question."""
    words = " OR ".join(f'"{word}"' for word in dict.fromkeys(WORD.findall(question.lower())))
    query = text(
        "select e.* from thread_entries_fts f join thread_entries e on e.id = f.rowid "
        "where thread_entries_fts match :words order by rank limit :most"
    )
    with database.begin() as connection:
        rows = connection.execute(query, {"words": words, "most": most}).mappings()
        return [
            Entry(row["entry_id"], row["thread_id"], row["content"], "", "", row["timestamp"], row["edited_at"])
            for row in rows
        ]
