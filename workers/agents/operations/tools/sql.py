"""safe_sql_query: one SELECT on the operations data, when no other tool answers; it cannot write."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pydantic import Field

from workers.agents.operations.sections import ContextSource, sql_address
from workers.agents.operations.source.database import check_tables, open_reading
from workers.agents.operations.source.sql_allowlist import MAX_ROWS, NAMES
from workers.agents.operations.source.sql_audit import AuditLog, Entry, moment
from workers.agents.operations.source.sql_evidence import row_evidence
from workers.agents.operations.source.sql_run import (
    TIMEOUT_S,
    QueryTooSlow,
    Rows,
    dialect_of,
    run_query,
    schema,
    writable_tables,
)
from workers.contracts import ToolOutput
from workers.errors import OracleError, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.redaction import build_redactor
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

if TYPE_CHECKING:
    from workers.agents.operations.source.sql_guard import Guarded

NOT_CONNECTED = "no operations data are connected: run oracle load, or set context.url"
TOO_SLOW = f"the query was stopped after {TIMEOUT_S:.0f} s; ask for less: a shorter time, fewer tables, fewer groups"


class SqlArgs(ToolArgs):
    """What to run. The bound on its length is the guard's, so that its sentence says what to do."""

    query: str = Field(description="one SELECT, or WITH … SELECT, on the tables named above")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool.

    Raises:
        pydantic.ValidationError: an option is unknown.
        ConfigError: the database's address is wrong.
    """
    NoOptions.model_validate(options)
    settings = resources.settings
    audit = AuditLog(settings.home / "sql_audit.jsonl", build_redactor(settings), settings.core.log_user_text)
    search = SqlQuery(sql_address(settings), audit)
    return Tool(
        name="safe_sql_query",
        source="operations data",
        key="context.sql_url" if settings.section(ContextSource).sql_url else "context.url",
        description=describe(search.address),
        access="read",
        args=SqlArgs,
        run=search.run,
        ping=search.ping,
        check=search.check,
    )


def describe(address: str) -> str:
    """The description: dialect, limits, tables and columns. Raises: ConfigError: the address is wrong."""
    tables = "; ".join(f"{name}({', '.join(columns)})" for name, columns in schema().items())
    dialect = NAMES[dialect_of(address)] if address else "SQL"
    return (
        f"Run one {dialect} SELECT on the operations data when no other tool answers. At most {MAX_ROWS} rows, "
        f"{TIMEOUT_S:.0f} s; nothing but these tables, common functions, no WITH RECURSIVE. Times are in UTC; "
        "write moments as RFC 3339, such as created_at >= '2026-11-20T10:00:00Z'. "
        f"Name each calculated column with AS. Tables: {tables}."
    )


def guard(query: str, address: str) -> Guarded:
    """The query as it may run on the database at the address. Raises: ToolArgumentError: it is not allowed."""
    from workers.agents.operations.source.sql_guard import guard_query  # noqa: PLC0415 - sqlglot is large, and few questions need SQL

    return guard_query(query, dialect_of(address), schema())


class SqlQuery:
    """The tool's state: which database, and the audit log."""

    def __init__(self, address: str, audit: AuditLog) -> None:
        self.address = address
        self.audit = audit

    def run(self, args: SqlArgs, context: ToolContext) -> ToolOutput:  # noqa: ARG002 - the protocol of every tool
        """Answer one call, and write its line of the audit log.

        Returns: ``data = {"rows", "row_count", "has_more"}``.

        Raises:
            ToolArgumentError: the query is not allowed, or the database refuses it.
            ToolUnavailable: there is no database, or the audit log cannot be written.
        """
        self.audit.check()
        started, ts = time.monotonic(), moment()
        executed, rows, error = "", 0, "internal error"
        try:
            address = self.connected(args.query)
            guarded = guard(args.query, address)
            executed = guarded.sql
            result = run_query(address, guarded)
            rows, error = len(result.rows), ""
            return found(executed, result)
        except QueryTooSlow:
            error = TOO_SLOW
            return ToolOutput(status="timeout", reason=TOO_SLOW)
        except OracleError as failure:
            error = str(failure)
            raise
        finally:
            spent = round((time.monotonic() - started) * 1000, 1)
            self.audit.write(Entry(ts, args.query, executed, rows, spent, not error, error))

    def check(self, args: SqlArgs) -> None:
        """Raises: ToolArgumentError: the query is not allowed. Without a database there is no dialect."""
        if self.address:
            guard(args.query, self.address)

    def connected(self, query: str) -> str:
        """The database's address. Raises: ToolArgumentError: there is no query. ToolUnavailable: no database."""
        if not query.strip():
            raise ToolArgumentError("query is empty; give one SELECT")
        if not self.address:
            raise ToolUnavailable(NOT_CONNECTED)
        return self.address

    def ping(self) -> str:
        """Name the database, and warn when its role may write.

        Raises:
            ToolUnavailable: it cannot be reached, or tables are missing.
        """
        if not self.address:
            return NOT_CONNECTED
        database = open_reading(self.address)
        dialect = dialect_of(self.address)
        try:
            check_tables(database)
        except OracleError as error:
            raise ToolUnavailable(str(error)) from error
        line = f"{NAMES[dialect]} at {database.address}"
        if dialect == "sqlite":
            return f"{line}, opened read-only"
        writable = writable_tables(self.address)
        if not writable:
            return f"{line}, its role may only read"
        names = ", ".join(writable[:5]) + (" …" if len(writable) > 5 else "")
        return f"{line}; WARNING: its role may write {names}: set context.sql_url to a role that may only read"


def found(sql: str, result: Rows) -> ToolOutput:
    """A result as an output; without rows it is empty."""
    count = len(result.rows)
    more = ", more exist" if result.has_more else ""
    return ToolOutput(
        status="ok" if count else "empty",
        summary=f"{count} {'row' if count == 1 else 'rows'}{more}",
        data={"rows": list(result.rows), "row_count": count, "has_more": result.has_more},
        evidence=row_evidence(sql, result) if count else (),
        reason="" if count else "no row matches the query",
    )
