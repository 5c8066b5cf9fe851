"""``python -m bench contexts``: a conversation of 300 exchanges in one context, compressed again and again.

Each exchange names a fact (who owns a part, its host, its limit) among sentences of real talk, every seventh decides
something. Measured for each compressor: the most tokens at any time, how much smaller each compression makes the
context, which decisions still stand there word for word, and how many facts of the first 50 exchanges are found by
seeking in the conversation's thread, asked in other words: among the first five entries with their neighbours.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workers.agents.memory.source.threads.seek import seek
from workers.conversations.compress import messages_of, size_of
from workers.conversations.conversation import keep_exchange
from workers.errors import ModelFailed
from workers.language.train_speech_acts import DATA, read_lines
from workers.ports import Compressor
from workers.store.contexts import Context, Exchange, load_context
from workers.store.database import Database, open_database
from workers.store.migrate import migrate

MESSAGES = DATA / "messages" / "sentences.jsonl"
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
NAMES = "billing search cart ledger login mail maps media orders parcel prices quotes stock tickets video".split()
PARTS = "gateway worker cache index queue importer exporter scheduler mirror router".split()
PEOPLE = "Maya Tom Ines Piotr Aiko Lena Omar Ruth Sven Zoe".split()
ASKED_OF, SHOWN = 50, 5


@dataclass(frozen=True)
class Said:
    """One exchange, with what it decides and what is asked of it later."""

    exchange: Exchange
    decision: str
    question: str
    answer: str


def main(args: list[str]) -> None:
    """Measure each compressor, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench contexts")
    parser.add_argument("--exchanges", type=int, default=300)
    given = parser.parse_args(args)
    print("| compressor | compressions | most tokens | smaller by | decisions word for word | early facts found |")
    print("|---|---|---|---|---|---|")
    compressors: dict[str, Compressor | None] = {
        "sentences": None,
        "a model that keeps first sentences": first_sentences,
        "a model that fails every second time": Flaky(),
    }
    for name, compressor in compressors.items():
        with tempfile.TemporaryDirectory(prefix="oracle-contexts-") as folder:
            database = open_database(f"sqlite:///{folder}/oracle.db")
            migrate(database)
            print(
                f"| {name} | {' | '.join(measure(database, conversation(given.exchanges), compressor))} |", flush=True
            )
            database.close()


def measure(database: Database, talk: Sequence[Said], compressor: Compressor | None) -> list[str]:
    """One conversation. Returns: the cells of its row."""
    most, smaller, decided = 0, list[float](), list[str]()
    for number, said in enumerate(talk):
        before = load_context(database, "reader", "shop")
        decisions = [said.decision] if said.decision else []
        decided += decisions
        now = NOON + timedelta(minutes=number)
        after = keep_exchange(
            database, "reader", "shop", said.exchange, decisions=decisions, now=now, model="m", compressor=compressor
        )
        most = max(most, after.tokens_used, size_of(after))
        if before is not None and after.compression_count > before.compression_count:
            grown = size_of(before) + size_of(with_only(after, said, decisions))
            smaller.append(1 - size_of(after) / grown)
    context = "\n".join(messages_of(after))
    kept = sum(text in context for text in decided)
    end = NOON + timedelta(minutes=len(talk))
    found = sum(answered(database, said, end) for said in talk[:ASKED_OF])
    bounds = f"{min(smaller):.0%} to {max(smaller):.0%}"
    return [
        str(len(smaller)),
        f"{most:,} of 16,000",
        bounds,
        f"{kept} of {len(decided)}",
        f"{found} of {len(talk[:ASKED_OF])}",
    ]


def with_only(context: Context, said: Said, decisions: Sequence[str]) -> Context:
    """What one exchange adds to a context, as a context."""
    return Context(
        context.id,
        context.user_id,
        context.project_id,
        NOON,
        NOON,
        recent_exchanges=(said.exchange,),
        key_decisions=tuple(decisions),
    )


def answered(database: Database, said: Said, now: datetime) -> bool:
    """Whether what was said is found again."""
    hits = seek(database, "reader", said.question, SHOWN, now=now)
    near = (entry for hit in hits for entry in (hit.before, hit.entry, hit.after))
    return any(said.answer in entry.content for entry in near if entry)


def conversation(number: int) -> list[Said]:
    """A conversation with facts and decisions in it, the same each time."""
    draw = random.Random(7)
    talk = [line["text"] for line in read_lines(MESSAGES)]
    subjects = [(name, part) for name in NAMES for part in PARTS]
    draw.shuffle(subjects)
    kinds: tuple[tuple[str, str, str, Callable[[], str]], ...] = (
        (
            "who owns the {name} {part}?",
            "{value} owns the {name} {part}.",
            "who is responsible for the {part} of {name}?",
            lambda: draw.choice(PEOPLE),
        ),
        (
            "on which host is the {name} {part}?",
            "The {name} {part} is on {value}.",
            "which machine does the {part} for {name} run on?",
            lambda: f"h{draw.randrange(9_999):04}",
        ),
        (
            "what is the limit of the {name} {part}?",
            "At most {value} a second pass the {name} {part}.",
            "how much may go through the {name} {part} in a second?",
            lambda: f"{draw.randrange(100, 9_999)}",
        ),
    )
    found = []
    for i in range(number):
        name, part = subjects[(i // len(kinds)) % len(subjects)]
        question, fact, later, make = kinds[i % len(kinds)]
        value = make()
        told = [*draw.sample(talk, draw.randrange(6, 16)), fact.format(name=name, part=part, value=value)]
        draw.shuffle(told)
        decision = (
            f"Decision {i}: the {name} {part} is moved by {draw.choice(PEOPLE)} on day {i}." if i % 7 == 3 else ""
        )
        exchange = Exchange(f"Tell me, {question.format(name=name, part=part)}", " ".join([*told, decision]).strip())
        found.append(Said(exchange, decision, later.format(name=name, part=part), value))
    return found


def first_sentences(texts: Sequence[str], most_words: int) -> str:
    """The beginning of each text, as much as fits."""
    each = max(5, most_words // max(1, len(texts)))
    return " ".join(" ".join(text.split()[:each]) for text in texts)


class Flaky:
    """A model that fails every second time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, texts: Sequence[str], most_words: int) -> str:
        """As `first_sentences`. Raises: ModelFailed."""
        self.calls += 1
        if self.calls % 2:
            raise ModelFailed("the model does not answer")
        return first_sentences(texts, most_words)
