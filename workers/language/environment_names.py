"""The environment that a deploy or an alert is of, held against the one that questions are about."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workers.language.environment_labels import BESIDES, LABELS, PRODUCTION, kind_of

OWN_LABELS = (*(label for label in LABELS if label != BESIDES), "deploy_env", "stage")
"""Labels whose value is an environment, whatever it is called."""
PLACE_LABELS = (
    BESIDES,
    "exported_namespace",
    "kubernetes_namespace",
    "k8s_namespace_name",
    "destination_namespace",
    "cluster",
    "k8s_cluster_name",
)
"""Labels of a place: its name says the environment only where a word of it is one."""
LIVE = re.compile(r"[^a-z]*live[^a-z]*|(?!.*live).*", re.IGNORECASE | re.DOTALL)
"""Names in which "live" is all, or does not stand: in a longer one it may be anything, such as a service of videos."""
NONPRODUCTION = re.compile(r"\bnonprod", re.IGNORECASE)


def names_environment(name: str) -> bool:
    """Whether a name tells of an environment: ``prod``, ``Production – shop``, ``payments-qa``."""
    return (bool(kind_of(name)) and LIVE.fullmatch(name) is not None) or NONPRODUCTION.search(name) is not None


def spelled(name: str, configured: str) -> str:
    """An environment as the configuration spells it, where both are one: but for case, or as ``prod`` is production."""
    kind = kind_of(name) if names_environment(name) else ""
    same = bool(kind) and kind == kind_of(configured)
    return configured if same or name.casefold() == configured.casefold() else name


def environment_of(labels: Mapping[str, str], configured: str) -> str:
    """The environment of what carries some labels; the configured one where none is named."""
    named = next((labels[label].strip() for label in OWN_LABELS if labels.get(label, "").strip()), "")
    places = (labels[label].strip() for label in PLACE_LABELS if labels.get(label, "").strip())
    place = next((p for p in places if names_environment(p) or p.casefold() == configured.casefold()), "")
    return spelled(named or place or configured, configured)


def is_elsewhere(environment: str, configured: str) -> bool:
    """Whether an environment is another than the one that questions are about.

    Production is not elsewhere for an installation whose own environment is of no known kind, such as a demo.
    """
    if not environment or environment == configured:
        return False
    return kind_of(environment) != PRODUCTION or kind_of(configured) not in {"", PRODUCTION}
