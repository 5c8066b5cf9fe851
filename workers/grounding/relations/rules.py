"""The rules of relations, in the order they are asked."""

from __future__ import annotations

from workers.grounding.relations.directions import check_directions, check_sizes, check_swapped
from workers.grounding.relations.orders import check_order
from workers.grounding.relations.owners import check_behaviour, check_owners
from workers.grounding.relations.reading import Reading
from workers.grounding.relations.roles import check_roles

RULES = (
    check_swapped, check_roles, check_directions, check_sizes, check_order, check_owners, check_behaviour,
)  # fmt: skip


def first_fault(reading: Reading) -> str:
    """The first reason why a claim's relations do not hold; "" when none is known."""
    return next((reason for rule in RULES if (reason := rule(reading))), "")
