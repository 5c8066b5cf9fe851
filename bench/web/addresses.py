"""Addresses that must not be reached, and how many were."""

from __future__ import annotations

from collections import Counter

from tests.support.forbidden_addresses import attacks, outcome, run_world


def print_addresses() -> None:
    """A row a kind of attack, and each address that was reached."""
    tried: Counter[str] = Counter()
    reached: list[str] = []
    with run_world() as world:
        for attack in attacks(world):
            said, touched = outcome(world, attack)
            tried[attack.kind] += 1
            if touched or said.startswith("fetched"):
                reached.append(f"{attack.kind}: {attack.url} {said}")
    print("| addresses | tried | reached |\n|---|---|---|")
    for kind, count in tried.items():
        print(f"| {kind} | {count} | {sum(line.startswith(f'{kind}:') for line in reached)} |")
    print(f"| all | {tried.total()} | {len(reached)} |")
    for line in reached:
        print(f"reached: {line}")
