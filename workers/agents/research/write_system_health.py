"""How the whole stands: services by their alerts and metrics, model deployments by incidents and health."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Gap
from workers.grounding.health import find_trouble
from workers.ports import Brief
from workers.reasoning.deployment_parts import deployment_claims, found_of, incident_claims, unchecked
from workers.reasoning.deployment_state import next_steps, state_headline


def looked_at_deployments(brief: Brief) -> bool:
    """Whether incidents or the health of deployments were looked up."""
    found = found_of(brief)
    return found.incidents is not None or found.status is not None


def with_deployments(services: Draft, brief: Brief, *, trouble: bool) -> Draft:
    """The state of the services with that of the deployments: the half that is in trouble first, both in the headline.

    Args:
        services: what is said of the services.
        brief: what it is written from.
        trouble: the services are in trouble.
    """
    found = found_of(brief)
    if found.incidents is None and found.status is None:
        return services
    state = state_headline(found)
    ours = not trouble and any(t.kind != "stale" for t in find_trouble(brief.evidence))
    heads = [state, services.headline] if ours or not services.headline.evidence else [services.headline, state]
    told = [head for head in heads if head.evidence]
    untold = [Gap(text=head.template) for head in heads if not head.evidence]
    incidents, deployments = incident_claims(found, state), tuple(c for c in deployment_claims(found) if c != state)
    return services.model_copy(
        update={
            "headline": both(told or heads[:1]),
            "what_changed": (*services.what_changed, *incidents),
            "metrics": (*services.metrics, *deployments),
            "next_steps": (*services.next_steps, *next_steps(found)),
            "missing": (*services.missing, *untold, *unchecked(found)),
        }
    )


def both(heads: list[Claim]) -> Claim:
    """Two sentences as one statement, with the evidence of both."""
    evidence = dict.fromkeys(key for head in heads for key in head.evidence)
    return Claim(template=" ".join(head.template for head in heads), evidence=tuple(evidence))
