"""``python -m bench sql CORPUS_FOLDER``: lists of SQL injections, and honest queries, through the guard and databases.

Every text of the folder is asked as a whole query and spliced into honest ones, on SQLite and on a PostgreSQL started
for the run. Lists are read from ``*.txt`` and files without an ending (a line each), code blocks of ``*.md``, and
sqlmap's ``*.xml``. Public lists: PayloadsAllTheThings ("SQL Injection"), sqlmap (``data/xml``), payloadbox.
"""

from __future__ import annotations

import hashlib
import html
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from bench.sql_attacks import REFUSED, SLOW
from bench.sql_honest import honest_queries
from tests.support.real_servers import run_postgresql
from workers.agents.operations.source.bulk_insert import write_rows
from workers.agents.operations.source.demo_requests import generate
from workers.agents.operations.source.sql_guard import guard_query
from workers.agents.operations.source.sql_run import QueryTooSlow, dialect_of, run_query, schema
from workers.agents.operations.source.tables import ORDER, create_tables, metadata
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.store.database import open_database

CANARY = "canary-7f3a9"
REQUESTS = 20_000
SPLICES = (
    "{}",
    "select id from users where id = '{}'",
    "select id from requests where latency_ms > {} limit 10",
    "select id, {} from users",
    "select id from models where provider like '%{}%' order by id",
    "select id from users order by {}",
)
SECOND_LINE = ("not authorized", "prohibited", "permission denied", "read-only", "readonly", "no such table")


@dataclass
class Tally:
    """What became of the texts on one database."""

    asked: int = 0
    refused: int = 0
    answered: int = 0
    rejected: int = 0
    late: int = 0
    broken: int = 0
    second_line: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    longest_ms: float = 0.0
    harmless: list[str] = field(default_factory=list)


def main(args: list[str]) -> None:
    """Run everything and print the tables."""
    if len(args) != 1:
        print("python -m bench sql CORPUS_FOLDER")
        return
    texts = read_corpus(Path(args[0]))
    print(f"{len(texts)} texts of {args[0]}, {len(REFUSED)} attacks and {len(SLOW)} endless queries of our own")
    with databases() as addresses:
        for address in addresses:
            measure(address, texts)


@contextmanager
def databases() -> Iterator[tuple[str, str]]:
    """An SQLite file and a PostgreSQL, both with a table that nobody may read; PostgreSQL's role may only read."""
    with tempfile.TemporaryDirectory() as folder, run_postgresql() as server:
        sqlite, owner = f"sqlite:///{Path(folder, 'context.db')}", f"{server}/postgres"
        for address in (sqlite, owner):
            fill(address, REQUESTS)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("create role oracle_sql login")
            for table in ORDER:
                connection.execute(f"grant select on {table.name} to oracle_sql")
        yield sqlite, owner.replace("//oracle@", "//oracle_sql@")


def fill(address: str, count: int) -> None:
    """The generated team, and a table of secrets."""
    database = open_database(address)
    with database.begin(exclusive=True) as connection:
        create_tables(connection)
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("set local statement_timeout = 0; set local timezone = 'UTC'")
        for name, rows in generate(datetime.now(UTC), 1, count).items():
            write_rows(connection, metadata.tables[name], rows)
        connection.exec_driver_sql("create table secrets (id text, name text, value text)")
        connection.exec_driver_sql(f"insert into secrets values ('{CANARY}', '{CANARY}', '{CANARY}')")
        connection.exec_driver_sql("analyze")
    database.close()


def measure(address: str, texts: list[str]) -> None:
    """One database's table."""
    kind = dialect_of(address)
    before = fingerprint(address)
    tally = Tally()
    started = time.monotonic()
    for text in texts:
        for splice in SPLICES:
            ask(address, splice.replace("{}", text), tally)
    own, slow, honest = Tally(), Tally(), Tally()
    for text in REFUSED:
        ask(address, text, own)
    for text in SLOW:
        ask(address, text, slow)
    for text in honest_queries(kind):
        ask(address, text, honest)
    print(f"\n## {kind}, {time.monotonic() - started:.0f} s")
    print(
        "| set | asked | refused by the guard | refused by the database | answered | stopped by the clock or memory |"
    )
    print("|---|---|---|---|---|---|")
    for name, t in (("public lists", tally), ("own attacks", own), ("endless", slow), ("honest", honest)):
        print(f"| {name} | {t.asked} | {t.refused} | {t.rejected} | {t.answered} | {t.late} |")
    everything = (tally, own, slow, honest)
    print(f"data changed: {fingerprint(address) != before}")
    print(f"secrets read: {sum(len(t.leaked) for t in everything)}")
    print(f"unavailable: {sum(t.broken for t in everything)}; longest {max(t.longest_ms for t in everything):.0f} ms")
    print(f"passed the guard, stopped by the database's rights: {sum(len(t.second_line) for t in everything)}")
    for line in [x for t in everything for x in (*t.second_line, *t.leaked)][:20]:
        print(f"  ! {line[:200]}")
    print(f"accepted as harmless SELECTs ({len(tally.harmless)} different texts run, by form):")
    for form, n in Counter(shape_of(x) for x in tally.harmless).most_common(60):
        print(f"  {n:5} × {form[:200]}")
    for line in own.harmless:
        print(f"  own attack answered: {line}")


def ask(address: str, text: str, tally: Tally) -> None:
    """One query, counted."""
    tally.asked += 1
    started = time.monotonic()
    executed = ""
    try:
        guarded = guard_query(text, dialect_of(address), schema())
        executed = guarded.sql
        rows = run_query(address, guarded)
    except QueryTooSlow:
        tally.late += 1
    except ToolUnavailable as error:
        tally.broken += 1
        print(f"  unavailable: {error}: {text[:120]!r}")
    except ToolArgumentError as error:
        if "more memory" in str(error) or "out of memory" in str(error):
            tally.late += 1
        elif executed:
            tally.rejected += 1
            if any(word in str(error) for word in SECOND_LINE):
                tally.second_line.append(f"{error}: {executed}")
        else:
            tally.refused += 1
    else:
        tally.answered += 1
        tally.harmless.append(executed)
        if CANARY in str(rows.rows) and CANARY not in text:
            tally.leaked.append(executed)
    tally.longest_ms = max(tally.longest_ms, (time.monotonic() - started) * 1000)


def fingerprint(address: str) -> str:
    """A hash of the file, or of every row and relation of the database."""
    if dialect_of(address) == "sqlite":
        return hashlib.sha256(Path(address.removeprefix("sqlite:///")).read_bytes()).hexdigest()
    digest = hashlib.sha256()
    with psycopg.connect(address.replace("//oracle_sql@", "//oracle@")) as connection:
        relations = connection.execute("select relname, relkind from pg_class where relnamespace >= 2200 order by 1")
        digest.update(repr(relations.fetchall()).encode())
        for name in (*(table.name for table in ORDER), "secrets"):
            rows = connection.execute(f"select sum(hashtext(t::text)), count(*) from {name} t").fetchall()
            digest.update(repr(rows).encode())
        for query in ("select rolname from pg_roles order by 1", "select datname from pg_database order by 1"):
            digest.update(repr(connection.execute(query).fetchall()).encode())
    return digest.hexdigest()


def shape_of(sql: str) -> str:
    """A query without its texts and numbers."""
    return re.sub(r"\b\d[\d.]*\b", "1", re.sub(r"'(?:[^']|'')*'", "'…'", sql))


def read_corpus(folder: Path) -> list[str]:
    """Every different text of the lists, in order."""
    found: dict[str, None] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".md":
            blocks = re.findall(r"```[^\n]*\n(.*?)```", text, re.DOTALL)
            found.update(dict.fromkeys(b.strip() for b in blocks))
            found.update(dict.fromkeys(c for c in re.findall(r"`([^`\n]+)`", text)))
            text = "\n".join(blocks)
        elif path.suffix == ".xml":
            text = "\n".join(filled(x) for x in from_xml(text))
        elif path.suffix not in {".txt", ""}:
            continue
        found.update(dict.fromkeys(line.strip() for line in text.splitlines()))
    return [text for text in found if text]


def from_xml(text: str) -> list[str]:
    """Payloads, vectors and queries of sqlmap."""
    parts = re.findall(r"<(?:payload|vector|comparison|prefix|suffix)>(.*?)</", text, re.DOTALL)
    return [html.unescape(" ".join(x.split())) for x in parts + re.findall(r'\bquery2?="([^"]*)"', text)]


def filled(payload: str) -> str:
    """sqlmap's places with values."""
    payload = re.sub(r"\[RANDNUM\d?\]", "7", payload)
    payload = re.sub(r"\[RANDSTR\d?\]|\[DELIMITER_\w+\]", "qxq", payload).replace("[SLEEPTIME]", "30")
    payload = payload.replace("[INFERENCE]", "1=1").replace("[QUERY]", "(select value from secrets)")
    return payload.replace("[ORIGVALUE]", "1").replace("[GENERIC_SQL_COMMENT]", "-- x").replace("%s", "secrets")
