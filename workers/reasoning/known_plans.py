"""Known plans of ``patterns.yaml``, filled with what a question names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from workers.contracts import PatternEntry, PatternStep, Scalar, Step

SLOT = re.compile(r"\{([^{}]+)\}")


def find_pattern(patterns: Mapping[str, PatternEntry], kind: str, otherwise: str = "other") -> tuple[str, PatternEntry]:
    """The pattern for a kind of question, else that for ``otherwise``."""
    for wanted in (kind, otherwise):
        for name, pattern in patterns.items():
            if wanted in pattern.question_types:
                return name, pattern
    return "NOVEL", PatternEntry(query_intent="other", question_types=("other",), steps=())


def fill_step(step: PatternStep, values: Mapping[str, str], kept: Collection[str]) -> Step:
    """Fill the slots known now; slots with a dot wait for the run."""
    args: dict[str, Scalar] = {k: fill(v, values) if isinstance(v, str) else v for k, v in step.args.items()}
    after = tuple(a for a in step.after if a in kept)
    return Step(id=step.id, tool=step.tool, args=args, purpose=fill(step.purpose, values), after=after)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}``; anything else in braces stays."""
    return re.sub(r" {2,}", " ", SLOT.sub(lambda m: values.get(m[1], m[0]), text)).strip()
