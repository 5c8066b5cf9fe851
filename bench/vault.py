"""``python -m bench vault FOLDER… [--moves 300] [--seed 1]``: random moves and renames in copies of vaults of others.

Each move is made on the result of those before it, as ``oracle vault move`` makes it. After each one every file is read
again from disk, and a second reading that shares no code with the first (`tests.support.vault_reference`) says whether
each link that led somewhere still leads there and whether any other byte changed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.support.vault_reference import Found, Targets, faults, led, links_in, read_vault
from workers.agents.memory.source.vault.apply import apply
from workers.agents.memory.source.vault.change_log import ChangeLog
from workers.agents.memory.source.vault.note_paths import folder_of, name_of
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import Vault
from workers.errors import ToolArgumentError

WORDS = "alpha Beta (gamma) Überblick naïve v1.2 C++ notes & more 100% 二 plan's_end x".split(" ")


def main(args: Sequence[str]) -> None:
    """Print a row a vault, and what went wrong."""
    parser = argparse.ArgumentParser(prog="bench vault")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--moves", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(args)
    print("| vault | notes | links that lead somewhere | cold read s | moves | refused | links rewritten |", end="")
    print(" links lost | other bytes changed | stage a move p50 / p95 ms | write it p50 / p95 ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for folder in chosen.folders:
        with tempfile.TemporaryDirectory() as place:
            root = Path(place, "vault")
            shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".git"))
            run(folder.name, root, ChangeLog(Path(place, "log")), chosen.moves, random.Random(chosen.seed))


def run(name: str, root: Path, log: ChangeLog, moves: int, chance: random.Random) -> None:
    """One vault."""
    began = time.perf_counter()
    vault = Vault.open(root)
    cold = time.perf_counter() - began
    before = read_vault(root)
    differ(vault, before)
    total = sum(sum(links.values()) for links in led(before, Targets(list(before))).values())
    staged, written, wrong, refused, rewritten, done = [], [], [], Counter[str](), 0, 0
    while done < moves:
        source, target = draw(vault, chance)
        began = time.perf_counter()
        staging = Staging(vault)
        try:
            mapping = staging.mapping(source, target)
            moved = staging.move(source, target)
        except ToolArgumentError as error:
            refused[str(error).partition(": ")[2][:60]] += 1
            continue
        changes = staging.change_set(f"move {source} to {target}")
        middle = time.perf_counter()
        apply(vault, changes, log)
        ended = time.perf_counter()
        staged.append((middle - began) * 1000)
        written.append((ended - middle) * 1000)
        rewritten += moved.links
        after = {path: same(before, raw, mapping, path) for path, raw in read_vault(root).items()}
        wrong += [f"{source} → {target}: {fault}" for fault in faults(before, after, mapping)]
        before, done = after, done + 1
    lost = sum("leads elsewhere" in fault for fault in wrong)
    times = " | ".join(f"{at(row, 0.5):.0f} / {at(row, 0.95):.0f}" for row in (staged, written))
    print(
        f"| {name} | {len(vault.index.notes):,} | {total:,} | {cold:.1f} | {done} | {sum(refused.values())} |", end=""
    )
    print(f" {rewritten:,} | {lost} | {len(wrong) - lost} | {times} |")
    for fault in wrong[:20]:
        print(f"wrong: {fault}")


def same(before: dict[str, bytes], raw: bytes, mapping: dict[str, str], path: str) -> bytes:
    """The object that was there before, when its bytes are equal: equal files are then told at once."""
    old = {new: old for old, new in mapping.items()}.get(path, path) if path in mapping.values() else path
    known = before.get(old)
    return known if known == raw and known is not None else raw


def draw(vault: Vault, chance: random.Random) -> tuple[str, str]:
    """A move: notes mostly, folders, attachments; to new names, to names that other notes have, by capital letters."""
    files, folders = vault.index.files, sorted(vault.index.folders())
    if chance.random() < 0.15 and folders:
        folder = chance.choice(folders)
        above = chance.choice(["", *folders]) if chance.random() < 0.5 else folder_of(folder)
        return folder, f"{above}/{new_name(chance)}".lstrip("/")
    notes = sorted(vault.index.notes)
    linked = [path for path in chance.sample(notes, min(len(notes), 20)) if vault.index.backlinks(path)]
    source = chance.choice(files) if chance.random() < 0.2 else chance.choice(linked or notes)
    name = name_of(source)
    drawn = chance.random()
    if drawn < 0.35:
        name = new_name(chance) + ("." + name.rpartition(".")[2] if "." in name else "")
    elif drawn < 0.5:
        name = name_of(chance.choice(files if not source.endswith(".md") else notes))
    elif drawn < 0.55:
        name = name.swapcase()
    folder = chance.choice(["", folder_of(source), *folders]) if chance.random() < 0.7 else folder_of(source)
    return source, f"{folder}/{name}".lstrip("/")


def new_name(chance: random.Random) -> str:
    """A name of several words."""
    return " ".join(chance.sample(WORDS, chance.randint(1, 3))) + f" {chance.randint(1, 999)}"


def differ(vault: Vault, files: dict[str, bytes]) -> None:
    """Say where both readings find different links."""
    for path, note in vault.index.notes.items():
        ours = Counter(Found(link.style, link.path) for link in note.links if link.path)
        theirs = Counter(links_in(files[path]))
        if ours != theirs:
            print(f"read otherwise: {path}: only here {dict(ours - theirs)}, only there {dict(theirs - ours)}"[:300])


def at(row: list[float], share: float) -> float:
    """A quantile."""
    return sorted(row)[min(int(len(row) * share), len(row) - 1)]
