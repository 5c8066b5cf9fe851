"""Where several repositories are connected, places and commits are told with the name of theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workers.contracts import Claim, Draft, Evidence
from workers.ports import Brief
from workers.reasoning.claim_phrases import has

PLACE = re.compile(r"\{(E\d+)\.(?:lines|frame_line|hunk_\d|short|folder|span_path)\}")


def name_repositories(draft: Draft, brief: Brief) -> Draft:
    """The first place of each claim with its repository before it; nothing changes where there is only one."""
    if len(brief.landscape.repositories) < 2:
        return draft
    known = {e.id: e for e in brief.evidence}
    return draft.model_copy(
        update={
            "headline": named(draft.headline, known),
            "what_changed": tuple(named(c, known) for c in draft.what_changed),
            "code": tuple(named(c, known) for c in draft.code),
        }
    )


def named(claim: Claim, known: Mapping[str, Evidence]) -> Claim:
    """One claim with the repository of its first place."""
    match = PLACE.search(claim.template)
    if match is None or match[1] not in known or not has(known[match[1]], "repository"):
        return claim
    at = match.start()
    template = f"{claim.template[:at]}{{{match[1]}.repository}}: {claim.template[at:]}"
    return claim.model_copy(update={"template": template})
