"""Environments that label values name: production and its rivals, whatever a team calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

PRODUCTION = "production"
LABELS = ("environment", "env", "deployment_environment", "deployment_environment_name", "namespace")
"""The labels that tell an environment, the surest first."""
BESIDES = "namespace"
"""A label that tells an environment only where it also has a value that is not production."""
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("production", "prod", "prd", "live", "produktion"), PRODUCTION),
    **dict.fromkeys(("staging", "stage", "stg"), "staging"),
    **dict.fromkeys(("development", "dev", "devel"), "development"),
    **dict.fromkeys(("testing", "test", "tst"), "testing"),
    **dict.fromkeys(("preproduction", "preprod"), "preproduction"),
    **dict.fromkeys(("qa", "uat", "sandbox", "canary", "integration"), "trial"),
}
LIVE = "live"
"""Production where it is the whole name; in a longer one it may be anything, such as a service of live videos."""
NEGATIONS = frozenset("non no not pre".split())


def is_environment(label: str) -> bool:
    """Whether a label tells an environment."""
    return label in LABELS


def kind_of(value: str) -> str:
    """The kind of environment that a value names (``production`` for ``shop-prod``); empty for none."""
    words = re.findall(r"[a-z]+", value.lower())
    found = next((KINDS[w] for w in words if w in KINDS and (w != LIVE or words == [LIVE])), "")
    return "preproduction" if found == PRODUCTION and NEGATIONS & set(words) else found


def same_environments(value: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of some values that name the kind of environment that a bare word does: ``prod`` for ``production``."""
    return tuple(v for v in values if kind_of(v) == KINDS[value.lower()]) if value.lower() in KINDS else ()


def production_label(labels: Mapping[str, Sequence[str]]) -> str:
    """The label that tells production from other environments; empty where none does.

    Args:
        labels: label -> its values.
    """
    for label in LABELS:
        kinds = {kind_of(v) for v in labels.get(label, ())}
        others = kinds - {PRODUCTION} - ({""} if label == BESIDES else set())
        if PRODUCTION in kinds and others:
            return label
    return ""


def others_than_production(values: Sequence[str]) -> tuple[str, ...]:
    """Those of some values that are of another environment."""
    return tuple(v for v in values if kind_of(v) != PRODUCTION)
