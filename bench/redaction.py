"""``python -m bench redaction``: how many secrets are taken out, and how much that only looks like one.

Tokens are made from the shape of each kind (`tests.support.secret_samples`), in every form ten times; the sentences
stand in ``password_mentions.txt`` and ``password_harmless.txt`` below ``bench/data``, a line each, the former with a
slot for a password of some sort.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.secret_samples import FORMS, commands, lookalikes, password, tokens
from workers.toolkit.redaction import redact_text

DATA = Path(__file__).parent / "data"
SORT = re.compile(r"\{(\w+)\}")
ROUNDS = 10
IN_SENTENCES = ("{}", 'note: "{}"', "# {}", "connect()  // {}", "@Ann {}\nok thanks")


def main(args: Sequence[str]) -> None:
    """Print a table, and each sentence that is missed or spoilt."""
    del args
    pasted = [(form.format(text), secret) for text, secret in all_tokens() for form in FORMS.values()]
    told = list(mentions())
    harmless = [*lookalikes(random.Random(3)), *lines("password_harmless.txt")]
    print("| what | n | taken out |\n|---|---|---|")
    for name, found in (("tokens, pasted", pasted), ("passwords, told", told)):
        print(f"| {name} | {len(found)} | {sum(secret not in redact_text(text) for text, secret in found)} |")
    print(f"| look-alikes | {len(harmless)} | {sum(redact_text(text) != text for text in harmless)} |")
    for text in sorted({text for text, secret in told if secret in redact_text(text)}):
        print(f"missed: {text!r}")
    for text in harmless:
        if redact_text(text) != text:
            print(f"taken out: {text!r}")


def all_tokens() -> Iterator[tuple[str, str]]:
    """Tokens and commands with a secret, and that."""
    for number in range(ROUNDS):
        yield from tokens(random.Random(number))
        yield from commands(random.Random(number))


def mentions() -> Iterator[tuple[str, str]]:
    """Sentences that tell a password, and that."""
    chance = random.Random(2)
    for sentence in lines("password_mentions.txt"):
        found = SORT.search(sentence)
        if found:
            for form in IN_SENTENCES:
                secret = password(found[1], chance)
                yield form.format(sentence.replace(found[0], secret)), secret


def lines(name: str) -> list[str]:
    """The lines of a table."""
    return (DATA / name).read_text(encoding="utf-8").splitlines()
