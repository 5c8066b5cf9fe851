"""The tables. Moments are stored in UTC and come back aware; leases are seconds since the epoch by the database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)

HEAD = "0022"
"""The migration these tables stand for."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: aware going in, UTC and aware coming out, also where the database knows no time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy passes it
        """To UTC. Raises: ValueError: the moment is naive."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored moment needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy passes it
        """To an aware moment."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def lease_columns(*, rests: bool = True) -> tuple[Column[Any], ...]:
    """The columns of a table that `workers.store.leases.Leases` works on.

    ``due_at``: since when something is to be done, empty when nothing is (``rests``: it may be); ``wait_until``: not
    before, whatever comes; ``published_at``: when a worker was told last; ``fence``: the token of the lease that ends
    at ``lease_until``; ``failures`` and ``delays``: since the last time that all went well; ``lost_leases``: of workers
    that died; ``error``: why it waits.
    """
    counts = [Column(name, Integer, nullable=False, server_default="0") for name in ("delays", "lost_leases")]
    return (
        Column("due_at", Double, nullable=rests),
        Column("wait_until", Double, nullable=False, server_default="0"),
        Column("published_at", Double, nullable=False),
        Column("fence", Integer, nullable=False),
        Column("lease_until", Double),
        Column("failures", Integer, nullable=False),
        *counts,
        Column("error", Text, nullable=False, server_default=""),
    )


requests = Table(
    "requests",
    metadata,
    Column("request_id", String(64), primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("state", String(16), nullable=False),
    Column("question_type", String(32), nullable=False),
    Column("grounded", Boolean, nullable=False),
    Column("question", Text, nullable=False),
    Column("log", JSON, nullable=False),
    Index(None, "created_at"),
)

kept_answers = Table(
    "kept_answers",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("request_id", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
"""Answers that are given again. The row with an empty key tells when all of them were forgotten."""

request_events = Table(
    "request_events",
    metadata,
    Column("request_id", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("name", String(16), nullable=False),
    Column("data", JSON, nullable=False),
)
"""What happened to requests that were asked over HTTP."""

deploys = Table(
    "deploys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("service", String(200), nullable=False),
    Column("version", String(200), nullable=False),
    Column("commit", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("environment", String(64), nullable=False),
    Column("source", String(64), nullable=False),
    Column("repeats", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("service", "environment", "version", "at"),
    Index(None, "at"),
)
"""Every telling of a deploy, once; ``repeats``: another row holds that deploy, which a second source told of."""

alerts = Table(
    "alerts",
    metadata,
    Column("fingerprint", String(64), primary_key=True),
    Column("starts_at", UtcDateTime, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("state", String(16), nullable=False),
    Column("ends_at", UtcDateTime),
    Column("labels", JSON, nullable=False),
    Column("summary", Text, nullable=False),
    Column("runbook_url", Text, nullable=False),
    Column("source", String(64), nullable=False),
    Column("last_told", UtcDateTime, nullable=False),
    Column("generator_url", Text, nullable=False, server_default=""),
    Column("environment", String(64), nullable=False, server_default=""),
    Index(None, "starts_at"),
)
"""Each alert that was told of: ``state`` firing or resolved, and since when it is, ``ends_at``; when last."""

hook_events = Table(
    "hook_events",
    metadata,
    Column("hook", String(64), primary_key=True),
    Column("taken", Integer, nullable=False),
    Column("ignored", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("reason_at", UtcDateTime),
)
"""How many events each hook took, ignored and refused; why it did the last that was not taken, and when."""

flag_changes = Table(
    "flag_changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("flag", String(200), nullable=False),
    Column("service", String(200), nullable=False),
    Column("environment", String(64), nullable=False),
    Column("change", String(300), nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("who", String(200), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("source", String(64), nullable=False),
    Column("url", Text, nullable=False),
    UniqueConstraint("flag", "environment", "at", "change"),
    Index(None, "at"),
)
"""Every change of a flag or a setting that was told of, once."""

alert_groups = Table(
    "alert_groups",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("ts", String(32), nullable=False),
    Column("url", Text, nullable=False),
    Column("members", JSON, nullable=False),
    Column("state", String(16), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("again_at", UtcDateTime),
    Column("told_at", UtcDateTime, nullable=False),
    Column("version", Integer, nullable=False),
    Column("shown", Integer, nullable=False),
    Column("looked", Boolean, nullable=False),
    *lease_columns(),
    Index(None, "key"),
    Index(None, "due_at"),
)
"""Alertmanager's groups, one row a thread, the newest of a ``key`` counts. ``members``: fingerprint, start and state of
its alerts; ``again_at``: since when it fires again after it was resolved; ``version`` counts changes, ``shown`` is the
one that the message shows; ``looked``: the first look was asked for."""

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("team", String(32), nullable=False),
    Column("event_id", String(128), nullable=False),
    Column("channel", String(32)),
    Column("ts", String(32)),
    Column("request_id", String(64), nullable=False),
    Column("accepted_at", Double, nullable=False),
    UniqueConstraint("team", "event_id"),
    UniqueConstraint("channel", "ts"),
)
"""What was accepted, once each: the event's id, and the message it is about (none for a command)."""

jobs = Table(
    "jobs",
    metadata,
    Column("request_id", String(64), primary_key=True),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("thread_ts", String(32), nullable=False),
    Column("asker", String(200), nullable=False),
    Column("question", JSON, nullable=False),
    Column("reply", JSON),
    Column("log", Text),
    Column("stage", String(16), nullable=False),
    Column("open", Boolean, nullable=False),
    Column("turn", Integer, nullable=False),
    *lease_columns(rests=False),
    Column("sent", JSON, nullable=False),
    Column("progress_ts", String(32), nullable=False),
    Column("stopped_by", String(32), nullable=False, server_default=""),
    Column("asks_back", Boolean, nullable=False, server_default=false()),
    Column("raw", Boolean, nullable=False, server_default=false()),
    Column("headline", Text, nullable=False, server_default=""),
    Column("accepted_at", Double, nullable=False),
    Column("waiting_since", Double, nullable=False),
    Column("finished_at", Double),
    Index(None, "open", "due_at"),
    Index(None, "channel", "thread_ts"),
    Index(None, "channel", "accepted_at"),
    Index(None, "asker", "accepted_at"),
)
"""One request each, and how far it is. ``open``: someone is waiting for Oracle; ``raw``: what people wrote stands as
they wrote it, no worker has taken secrets out yet."""

pacing = Table(
    "pacing",
    metadata,
    Column("channel", String(64), primary_key=True),
    Column("at", Double, nullable=False),
)
"""When the next message of a channel is due (GCRA's theoretical arrival time)."""

feedback = Table(
    "feedback",
    metadata,
    Column("request_id", String(64), primary_key=True),
    Column("user", String(32), primary_key=True),
    Column("team", String(32), nullable=False),
    Column("verdict", String(8), nullable=False),
    Column("reason", String(32), nullable=False),
    Column("text", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
"""What people said of an answer, the newest of each person: ``verdict`` good or bad, ``reason`` listed or empty."""

channel_settings = Table(
    "channel_settings",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("mode", String(16), nullable=False),
    Column("agent", String(64), nullable=False),
    Column("verbosity", String(16), nullable=False),
    Column("changed_by", String(32), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)
"""How Oracle behaves in a channel; one without a row is answered as `workers.store.channels.DEFAULT` says."""

incident_channels = Table(
    "incident_channels",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("title", String(300), nullable=False),
    Column("status", String(16), nullable=False),
    Column("ts", String(32), nullable=False),
    Column("opened_by", String(32), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("resolved_by", String(32), nullable=False),
    Column("resolved_at", UtcDateTime),
    Column("note", Text, nullable=False, server_default=""),
    Index(None, "team", "status"),
    Index(None, "channel", "status"),
)
"""Incidents that people declared in a channel: ``status`` active or resolved; ``ts`` the message that opened it;
``note`` what whoever ended it said of that."""

followed_channels = Table(
    "followed_channels",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("why", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("since_ts", String(32), nullable=False),
    Column("before_ts", String(32), nullable=False),
    Column("read_count", Integer, nullable=False),
    Column("read_done", Boolean, nullable=False),
    Column("dirty", Integer, nullable=False),
    Column("seen", Integer, nullable=False),
    Column("dirty_at", Double),
    *lease_columns(),
    Column("incident_id", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("summary", Text, nullable=False),
    Column("shown_at", Double),
    Index(None, "due_at"),
)
"""Channels whose messages are kept, for the incident in them. ``since_ts``: what was said before is not read;
``before_ts``: what was said from there on is, ``read_count`` messages; ``dirty`` counts changes, ``seen`` those that
the summary knows; ``summary``: the one that is shown, as JSON."""

unasked = Table(
    "unasked",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("paused", Boolean, nullable=False),
    Column("spoke_at", Double),
    Column("request_id", String(64), nullable=False),
)
"""What is said in a channel that nobody asked for. ``paused``: nothing; ``spoke_at``: when the turn to say something
was taken last, empty when it was given back; ``request_id``: by which request."""

channel_messages = Table(
    "channel_messages",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("ts", String(32), primary_key=True),
    Column("thread_ts", String(32), nullable=False),
    Column("user", String(32), nullable=False),
    Column("name", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("said", Boolean, nullable=False),
    Column("edited", Boolean, nullable=False),
    Column("files", JSON, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("version", Double, nullable=False),
    Column("replies_after", String(32)),
    Index(None, "version"),
)
"""Messages of followed channels; of a deleted one only that it is. ``replies_after``: the replies to it that came later
than this one are not read yet."""

channel_reactions = Table(
    "channel_reactions",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("ts", String(32), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("user", String(32), primary_key=True),
    Column("added", Boolean, nullable=False),
    Column("at", Double, nullable=False),
    Index(None, "at"),
)
"""Reactions to these messages, those that were taken away too; ``at``: by the newest word on each."""

channel_inbox = Table(
    "channel_inbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("change", JSON, nullable=False),
    Index(None, "team", "channel"),
)
"""What followed channels said, as it came, until a worker has taken secrets out and moved it to their messages."""

channel_inboxes = Table(
    "channel_inboxes",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    *lease_columns(),
    Index(None, "due_at"),
)
"""Which channels have something in ``channel_inbox``; one worker at a time cleans a channel's."""

slack_names = Table(
    "slack_names",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("user", String(32), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("zone", String(64), nullable=False),
    Column("known_at", Double, nullable=False),
)
"""What people and apps are called, and their zones, as Slack said at some time; empty: it could not say."""

hearing = Table("hearing", metadata, Column("id", Integer, primary_key=True), Column("at", Double, nullable=False))
"""One row: when the app last heard Slack."""

absences = Table(
    "absences",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("since", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("read", JSON, nullable=False),
    *lease_columns(),
    Index(None, "due_at"),
)
"""Spans in which the app heard or kept nothing, in seconds since the epoch; ``read``: the channels (``TEAM/CHANNEL``)
in which what was said to it meanwhile is read already."""

refusals = Table(
    "refusals",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("door", String(64), primary_key=True),
    Column("reason", String(32), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
)
"""How often something was not taken in a day of UTC, by where it came in (``Slack``, a hook) and why."""

write_probes = Table(
    "write_probes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("filler", Text, nullable=False),
)
"""One row that is written to see whether anything can be."""

channel_looks = Table(
    "channel_looks",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("user", String(32), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)
"""When each person was last told what went on in a channel."""

incident_corrections = Table(
    "incident_corrections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("incident_id", Integer, nullable=False),
    Column("entry", String(100), nullable=False),
    Column("was", Text, nullable=False, server_default=""),
    Column("at", UtcDateTime),
    Column("kind", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("removed", Boolean, nullable=False),
    Column("by", String(32), nullable=False),
    Column("said_at", UtcDateTime, nullable=False),
    Index(None, "incident_id"),
)
"""What people changed in the timeline of an incident."""

sources = Table(
    "sources",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("line", Text, nullable=False),
    Column("ok", Boolean, nullable=False),
    Column("checked_at", UtcDateTime, nullable=False),
    Column("fresh_at", UtcDateTime),
)
"""What the last refresh said of each source; ``fresh_at``: when it was last read without an error."""

slack_bots = Table(
    "slack_bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("client_id", String(32), nullable=False),
    Column("app_id", String(32), nullable=False),
    Column("enterprise_id", String(32)),
    Column("enterprise_name", String(200)),
    Column("team_id", String(32)),
    Column("team_name", String(200)),
    Column("bot_token", String(200)),
    Column("bot_id", String(32)),
    Column("bot_user_id", String(32)),
    Column("bot_scopes", String(1000)),
    Column("bot_refresh_token", String(200)),
    Column("bot_token_expires_at", DateTime),
    Column("is_enterprise_install", Boolean, nullable=False),
    Column("installed_at", DateTime, nullable=False),
    Index("slack_bots_idx", "client_id", "enterprise_id", "team_id", "installed_at"),
)
"""Where the app is installed, the newest row of a workspace counts. Columns as slack_sdk's installation store has them,
so that its own tools read them; its moments are UTC without a zone."""

slack_installations = Table(
    "slack_installations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("client_id", String(32), nullable=False),
    Column("app_id", String(32), nullable=False),
    Column("enterprise_id", String(32)),
    Column("enterprise_name", String(200)),
    Column("enterprise_url", String(200)),
    Column("team_id", String(32)),
    Column("team_name", String(200)),
    Column("bot_token", String(200)),
    Column("bot_id", String(32)),
    Column("bot_user_id", String(32)),
    Column("bot_scopes", String(1000)),
    Column("bot_refresh_token", String(200)),
    Column("bot_token_expires_at", DateTime),
    Column("user_id", String(32), nullable=False),
    Column("user_token", String(200)),
    Column("user_scopes", String(1000)),
    Column("user_refresh_token", String(200)),
    Column("user_token_expires_at", DateTime),
    Column("incoming_webhook_url", String(200)),
    Column("incoming_webhook_channel", String(200)),
    Column("incoming_webhook_channel_id", String(200)),
    Column("incoming_webhook_configuration_url", String(200)),
    Column("is_enterprise_install", Boolean, nullable=False),
    Column("token_type", String(32)),
    Column("installed_at", DateTime, nullable=False),
    Index("slack_installations_idx", "client_id", "enterprise_id", "team_id", "user_id", "installed_at"),
)
"""Who installed it, as slack_sdk's installation store has it."""

slack_oauth_states = Table(
    "slack_oauth_states",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("state", String(200), nullable=False),
    Column("expire_at", DateTime, nullable=False),
)
"""Installations that were begun and not finished, as slack_sdk's state store has them."""

spending = Table(
    "spending",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("team", String(32), primary_key=True),
    Column("asker", String(64), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_usd", Double, nullable=False),
)
"""What the language model used for a person in a day of UTC (``2026-11-20``), in tokens of all sorts and US dollars."""

thread_sequences = Table(
    "thread_sequences",
    metadata,
    Column("user_id", String(200), primary_key=True),
    Column("last_sequence", BigInteger, nullable=False),
)
"""The number of the last change of a person's threads; its row is locked by whoever writes the next one."""

threads = Table(
    "threads",
    metadata,
    Column("user_id", String(200), primary_key=True),
    Column("thread_id", String(64), primary_key=True),
    Column("project_id", String(128), nullable=False),
    Column("name", String(200), nullable=False),
    Column("status", String(16), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("edited_at", UtcDateTime, nullable=False),
    Column("sequence_id", BigInteger, nullable=False),
    Index(None, "user_id", "sequence_id"),
)
"""Threads of a person: ``status`` active, archived or blocked; ``updated_at``: the newest of it or its entries;
``edited_at``: since when its name, project and status are these; ``sequence_id``: of its last change."""

thread_entries = Table(
    "thread_entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("entry_id", String(64), nullable=False),
    Column("thread_id", String(64), nullable=False),
    Column("sequence_id", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    Column("author", String(16), nullable=False),
    Column("type", String(16), nullable=False),
    Column("timestamp", UtcDateTime, nullable=False),
    Column("edited_at", UtcDateTime, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("speaker", String(200), nullable=False),
    Column("url", Text, nullable=False),
    Column("words", Integer, nullable=False),
    UniqueConstraint("user_id", "entry_id"),
    Index(None, "user_id", "sequence_id"),
    Index(None, "user_id", "thread_id", "timestamp"),
)
"""What was said in threads. ``sequence_id``: of the last change, over all threads of the person; of a ``deleted`` one
only that it is stays; ``speaker``: the name of who said it, where the thread has several; ``url``: where it was said;
``words``: how many it has. The full-text index on ``content`` is made by the migration: ``thread_entries_fts`` in
SQLite, ``ix_thread_entries_text`` in PostgreSQL."""

thread_sync_status = Table(
    "thread_sync_status",
    metadata,
    Column("user_id", String(200), primary_key=True),
    Column("client_id", String(64), primary_key=True),
    Column("last_synced_sequence", BigInteger, nullable=False),
    Column("last_sync_at", UtcDateTime, nullable=False),
    Column("sync_error", Text, nullable=False),
)
"""How far each client of a person has synced, and why its last sync failed; empty when it did not."""

oracle_contexts = Table(
    "oracle_contexts",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("project_id", String(128), nullable=False),
    Column("session_start", UtcDateTime, nullable=False),
    Column("last_activity", UtcDateTime, nullable=False),
    Column("last_model", String(200), nullable=False),
    Column("token_budget", Integer, nullable=False, server_default="16000"),
    Column("tokens_used", Integer, nullable=False),
    Column("compressed_summary", Text, nullable=False),
    Column("recent_exchanges", JSON, nullable=False),
    Column("key_decisions", JSON, nullable=False),
    Column("mentioned_symbols", JSON, nullable=False),
    Column("mentioned_files", JSON, nullable=False),
    Column("status", String(16), nullable=False),
    Column("compression_count", Integer, nullable=False),
    UniqueConstraint("user_id", "project_id"),
)
"""What a conversation is about, within a budget of tokens: ``status`` active, suspended or closed."""

memories = Table(
    "memories",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("forgotten_at", UtcDateTime),
    Index(None, "user_id", "created_at"),
)
"""What a person asked to remember; of a forgotten one the text is gone. ``url``: where they asked."""

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("user_id", String(200), nullable=False),
    Column("name", String(100), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    Index(None, "user_id"),
)
"""Tokens of people for the HTTP API: only their SHA-256 is kept; ``id`` is what they are listed and revoked by."""
