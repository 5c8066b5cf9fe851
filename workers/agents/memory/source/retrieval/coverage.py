"""How much of a question a passage holds: what makes the scores of searches comparable that know no probability."""

from __future__ import annotations

from workers.language.repeated_actions import said_again
from workers.language.stems import stem
from workers.language.stop_words import HOW_MUCH, content_words


def covered(question: str, *texts: str) -> float:
    """The share of a question's telling words that stand in any of some texts, by their stems; 0 to 1."""
    wanted = {stem(word) for word in content_words(said_again(HOW_MUCH.sub(" ", question)))}
    held = {stem(word) for text in texts for word in content_words(text)}
    return len(wanted & held) / len(wanted) if wanted else 0.0
