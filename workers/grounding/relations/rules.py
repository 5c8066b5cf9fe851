"""The rules of relations, in the order they are asked."""

from __future__ import annotations

from workers.grounding.relations.assurance import check_assurance
from workers.grounding.relations.behaviour import check_behaviour
from workers.grounding.relations.comparisons import check_comparisons
from workers.grounding.relations.directions import check_directions, check_own_values, check_sizes, check_swapped
from workers.grounding.relations.orders import check_order, check_time_kinds
from workers.grounding.relations.owners import check_fields, check_moments, check_owners, check_plainest
from workers.grounding.relations.reading import Reading
from workers.grounding.relations.roles import check_roles
from workers.grounding.relations.rows import check_named_pairs, check_named_rows

RULES = (
    check_own_values, check_swapped, check_roles, check_directions, check_sizes, check_order, check_time_kinds,
    check_owners, check_fields, check_plainest, check_moments, check_named_rows, check_named_pairs,
    check_comparisons, check_behaviour, check_assurance,
)  # fmt: skip


def first_fault(reading: Reading) -> str:
    """The first reason why a claim's relations do not hold; "" when none is known."""
    return next((reason for rule in RULES if (reason := rule(reading))), "")
