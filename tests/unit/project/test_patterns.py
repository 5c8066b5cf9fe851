"""No pattern of the product takes long on a long text, whatever of its own parts the text is made of."""

from __future__ import annotations

import subprocess
import sys

from tests.support.pattern_costs import all_patterns
from workers.settings.load import ROOT

LONGEST = 160
"""Characters of a pattern that a reader takes in at once."""
PROBE = """
import re, signal
from tests.support.pattern_costs import is_slow, too_slow
signal.signal(signal.SIGALRM, too_slow)
print(bool(is_slow(re.compile(r"(?:so )*bad"), {"search"})), bool(is_slow(re.compile(r"so bad"), {"search"})))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_pattern_is_linear() -> None:
    """In a process of its own: a quadratic one takes sixteen times as long for four times the text."""
    done = run("-m", "tests.support.pattern_costs")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_patterns_are_found_wherever_they_are_kept() -> None:
    names = {f"{module}.{name}" for module, name, _ in all_patterns().values()}
    assert {"workers.language.injected_instructions.PATTERNS", "workers.toolkit.redaction.VENDORS"} <= names
    assert len(names) > 500


def test_no_pattern_of_incidents_is_long() -> None:
    """What people say is told by a classifier; patterns are of forms alone."""
    long = {
        f"{module}.{name}"
        for (pattern, *_), (module, name, _) in all_patterns().items()
        if module.startswith("workers.incidents") and len(pattern) > LONGEST
    }
    assert long == set()


def test_a_quadratic_pattern_is_found() -> None:
    assert run("-c", PROBE).stdout.split() == ["True", "False"]
