"""The nine tables of operations data. Moments are stored in UTC; ``*_json`` columns hold JSON objects as text.

A column's range and choices stand in its ``info`` (``low``, ``high``, ``choices``): the loader checks them, and so does
the database. Beside the tier's limits a user may have three of its own: the p95 latency, the error rate, and what one
request may cost.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from workers.store.tables import UtcDateTime

ID = 200
TIERS = ("premium", "standard", "budget")
HEALTH = ("healthy", "degraded", "down")
OUTCOMES = ("success", "error", "timeout")
TARGETS = ("deployment", "model", "backend")
INCIDENT_STATES = ("active", "resolved")
OBJECT = {"json": True}

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def key(name: str = "id") -> Column[str]:
    """The primary key, an id as text."""
    return Column(name, String(ID), primary_key=True)


def one_of(name: str, choices: tuple[str, ...], *, primary_key: bool = False) -> Column[str]:
    """A word of a fixed list."""
    listed = ", ".join(f"'{choice}'" for choice in choices)
    check = CheckConstraint(f"{name} in ({listed})", name=name)
    return Column(name, String(16), check, nullable=False, primary_key=primary_key, info={"choices": choices})


def whole(name: str, low: int = 0, *, nullable: bool = False) -> Column[int]:
    """A whole number from ``low``."""
    check = CheckConstraint(f"{name} >= {low}", name=name)
    return Column(name, Integer, check, nullable=nullable, info={"low": low})


def amount(name: str, high: float | None = None, *, nullable: bool = False) -> Column[float]:
    """A number from 0, at most ``high``."""
    condition = f"{name} >= 0" + (f" and {name} <= {high:g}" if high is not None else "")
    check = CheckConstraint(condition, name=name)
    return Column(name, Double, check, nullable=nullable, info={"low": 0, "high": high})


models = Table(
    "models",
    metadata,
    key(),
    Column("provider", String(ID), nullable=False),
    whole("max_context_tokens", 1),
    Column("supports_streaming", Boolean, nullable=False),
    Column("supports_tools", Boolean, nullable=False),
    Column("supports_json_mode", Boolean, nullable=False),
    Column("notes", Text),
)

backends = Table(
    "backends",
    metadata,
    key(),
    Column("provider", String(ID), nullable=False),
    Column("region", String(ID), nullable=False),
    Column("backend_type", String(ID), nullable=False),
    Column("notes", Text),
)

deployments = Table(
    "deployments",
    metadata,
    key(),
    Column("model_id", ForeignKey("models.id"), nullable=False),
    Column("backend_id", ForeignKey("backends.id"), nullable=False),
    Column("enabled", Boolean, nullable=False),
    amount("weight"),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("id = model_id || '/' || backend_id", name="id"),
    UniqueConstraint("id", "model_id", "backend_id"),
)

tiers = Table(
    "tiers",
    metadata,
    one_of("id", TIERS, primary_key=True),
    amount("latency_sla_p95_ms"),
    whole("sla_window_sec", 1),
    amount("max_error_rate", 1),
    amount("max_timeout_rate", 1),
)

users = Table(
    "users",
    metadata,
    key(),
    Column("tier_id", ForeignKey("tiers.id"), nullable=False),
    amount("daily_budget_usd"),
    amount("latency_sla_override_ms", nullable=True),
    amount("max_error_rate_override", 1, nullable=True),
    amount("max_cost_per_request_usd", nullable=True),
    Column("preferences_json", Text, info=OBJECT),
    Index(None, "tier_id"),
)

deployment_state_current = Table(
    "deployment_state_current",
    metadata,
    Column("deployment_id", ForeignKey("deployments.id"), primary_key=True),
    one_of("status", HEALTH),
    whole("window_sec", 1),
    whole("sample_count"),
    Column("updated_at", UtcDateTime, nullable=False),
    amount("latency_p50_ms", nullable=True),
    amount("latency_p95_ms", nullable=True),
    amount("error_rate", 1, nullable=True),
    amount("timeout_rate", 1, nullable=True),
    whole("queue_depth", nullable=True),
    whole("rate_limit_remaining", nullable=True),
    amount("ttft_p50_ms", nullable=True),
    amount("ttft_p95_ms", nullable=True),
    amount("decode_toks_per_sec_p50", nullable=True),
    amount("decode_toks_per_sec_p95", nullable=True),
)

requests = Table(
    "requests",
    metadata,
    key(),
    Column("created_at", UtcDateTime, nullable=False),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("deployment_id", String(ID), nullable=False),
    Column("model_id", String(ID), nullable=False),
    Column("backend_id", String(ID), nullable=False),
    Column("task_type", String(ID), nullable=False),
    whole("input_tokens"),
    whole("output_tokens"),
    amount("latency_ms", nullable=True),
    amount("ttft_ms", nullable=True),
    amount("decode_toks_per_sec", nullable=True),
    amount("cost_usd"),
    one_of("status", OUTCOMES),
    Column("error_code", String(ID)),
    Column("router_version", String(ID)),
    Column("experiment_id", String(ID)),
    Column("routing_reason_json", Text, info=OBJECT),
    ForeignKeyConstraint(
        ["deployment_id", "model_id", "backend_id"],
        ["deployments.id", "deployments.model_id", "deployments.backend_id"],
    ),
    Index("ix_requests_window", "created_at", "deployment_id", "status", "latency_ms"),
    Index(None, "user_id", "created_at", "cost_usd"),
)

incidents = Table(
    "incidents",
    metadata,
    key(),
    one_of("target_type", TARGETS),
    Column("target_id", String(ID), nullable=False),
    Column("title", String(500), nullable=False),
    one_of("status", INCIDENT_STATES),
    Column("started_at", UtcDateTime, nullable=False),
    Column("resolved_at", UtcDateTime),
    CheckConstraint("(status = 'resolved') = (resolved_at is not null)", name="resolved"),
    Index(None, "status"),
    Index(None, "target_id", "started_at"),
)

quality_scores = Table(
    "quality_scores",
    metadata,
    Column("request_id", ForeignKey("requests.id"), primary_key=True),
    Column("eval_type", String(ID), primary_key=True),
    amount("score", 1),
    Column("evaluated_at", UtcDateTime, nullable=False),
)

ORDER = (models, backends, deployments, tiers, users, deployment_state_current, requests, incidents, quality_scores)
"""All tables, those first that others point to."""


def create_tables(connection: Connection) -> None:
    """Make those that are missing."""
    metadata.create_all(connection)
