"""Properties whose examples are costly: a few in an ordinary run, all of them in a thorough one."""

from __future__ import annotations

from hypothesis import settings

ORDINARY = 25


def few_examples(count: int) -> settings:
    """Settings for a property of which ``count`` examples find what is wrong as surely as `ORDINARY` would."""
    usual = settings.default
    assert usual is not None
    return settings(usual, max_examples=count if usual.max_examples == ORDINARY else usual.max_examples)
