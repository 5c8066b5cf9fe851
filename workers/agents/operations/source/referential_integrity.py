"""What rows say of one another: ids stand once, and what they point to exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workers.agents.operations.source.row_parsing import shown
from workers.agents.operations.source.tables import metadata

Values = Mapping[str, Any]
SIMPLE = {
    "users": {"tier_id": "tiers"},
    "deployments": {"model_id": "models", "backend_id": "backends"},
    "deployment_state_current": {"deployment_id": "deployments"},
    "requests": {"user_id": "users", "deployment_id": "deployments"},
    "quality_scores": {"request_id": "requests"},
}
TARGETS = {"deployment": "deployments", "model": "models", "backend": "backends"}


class References:
    """Checks one row after the other. ``stored(table)``: ids that the database has already."""

    def __init__(self, stored: Callable[[str], Iterable[str]]) -> None:
        self.stored = stored
        self.known: dict[str, set[str]] = {}
        self.seen: dict[str, set[Any]] = {}
        self.keys = {name: tuple(c.name for c in table.primary_key) for name, table in metadata.tables.items()}

    def prepare(self, table: str) -> None:
        """Read the ids that rows of a table point to: once they are being written, the connection is busy."""
        for target in (*SIMPLE.get(table, {}).values(), *(TARGETS.values() if table == "incidents" else ())):
            self.ids(target)

    def check(self, table: str, row: Values) -> list[str]:
        """A sentence for each mistake of a row; a right one is known from then on."""
        wrong = [
            f"{column}: there is no {target[:-1]} {shown(row[column])}"
            for column, target in SIMPLE.get(table, {}).items()
            if row[column] not in self.ids(target)
        ]
        if rule := RULES.get(table):
            wrong.extend(rule(self, row))
        return [*wrong, *self.note(table, row)]

    def note(self, table: str, row: Values) -> list[str]:
        """Remember a row's key, also that of a wrong row: what points to it is not wrong too."""
        key = tuple(row[name] for name in self.keys[table])
        if None in key:
            return []
        seen = self.seen.setdefault(table, set())
        wrong = [f"{', '.join(self.keys[table])}: {shown('/'.join(key))} stands twice"] if key in seen else []
        seen.add(key)
        if table in self.known and len(key) == 1:
            self.known[table].add(key[0])
        return wrong

    def ids(self, table: str) -> set[str]:
        """The ids of a table: those stored and those that came before."""
        if table not in self.known:
            self.known[table] = {*self.stored(table), *(key[0] for key in self.seen.get(table, ()))}
        return self.known[table]


def deployment_rule(_: References, row: Values) -> list[str]:
    """Its id is made of the other two."""
    own = f"{row['model_id']}/{row['backend_id']}"
    return [] if row["id"] == own else [f"id: {shown(row['id'])} must be {shown(own)}"]


def request_rule(_: References, row: Values) -> list[str]:
    """Model and backend are those of its deployment."""
    own = f"{row['model_id']}/{row['backend_id']}"
    if row["deployment_id"] == own:
        return []
    return [f"deployment_id: {shown(row['deployment_id'])} is not of model_id and backend_id, {shown(own)}"]


def incident_rule(references: References, row: Values) -> list[str]:
    """Its target exists; it ends when it is resolved, and not before it started."""
    wrong = []
    kind = row["target_type"]
    if row["target_id"] not in references.ids(TARGETS[kind]):
        wrong.append(f"target_id: there is no {kind} {shown(row['target_id'])}")
    if (row["status"] == "resolved") != (row["resolved_at"] is not None):
        wrong.append("resolved_at stands with status resolved, and only then")
    elif row["resolved_at"] is not None and row["resolved_at"] < row["started_at"]:
        wrong.append("resolved_at is before started_at")
    return wrong


RULES: dict[str, Callable[[References, Values], list[str]]] = {
    "deployments": deployment_rule,
    "requests": request_rule,
    "incidents": incident_rule,
}
