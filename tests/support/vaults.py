"""Vaults to test with: from a table of notes, and drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hypothesis import strategies as st

from workers.agents.memory.source.vault.apply import apply
from workers.agents.memory.source.vault.change_log import ChangeLog, Entry
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import Vault

NAMES = ("Note", "note two", "Ärger", "a (b)", "v1.2", "Plan", "Index")
FOLDERS = ("", "projects", "projects/deep", "Area", "archive")


def make_vault(root: Path, files: Mapping[str, str | bytes]) -> Vault:
    """A vault on disk."""
    for path, body in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body if isinstance(body, bytes) else body.encode())
    return Vault.open(root)


def moved(vault: Vault, log: ChangeLog, source: str, target: str) -> Entry:
    """Make a move."""
    staging = Staging(vault)
    staging.move(source, target)
    return apply(vault, staging.change_set(f"move {source} to {target}"), log)


PATHS = st.builds(
    lambda folder, name: f"{folder}/{name}.md".lstrip("/"), st.sampled_from(FOLDERS), st.sampled_from(NAMES)
)


def written(path: str) -> list[str]:
    """Ways in which people link to a note."""
    bare = path.removesuffix(".md")
    name = bare.rpartition("/")[2]
    address = path.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return [
        f"[[{name}]]",
        f"[[{bare}]]",
        f"![[{name}|Alias é]]",
        f"[[{bare}#Heading#Below|x]]",
        f"[[/{bare}]]",
        f"[[./{name}]]",
        f"[[../{bare}]]",
        f"[[{name.upper()}#^block]]",
        f"[[{path}]]",
        f"[t]({address})",
        f'![t](<../{path}> "title")',
        f"[t]({address.rpartition('/')[2]}#part)",
        f"[ref]: {address}",
        f"`[[{name}]]`",
        f"%% [[{name}]] %%",
        f"```\n[[{name}]]\n```",
        f"| [[{name}\\|a]] | b |",
    ]


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    """Some notes with links between them, of every style."""
    paths = draw(st.lists(PATHS, min_size=2, max_size=9, unique_by=str.lower))
    out = {}
    for path in paths:
        linked = draw(st.lists(st.sampled_from(paths), max_size=4))
        lines = [draw(st.sampled_from(written(other))) for other in linked]
        ending = draw(st.sampled_from(["\n", "\r\n"]))
        front = draw(st.sampled_from(["", f'---\nup: "[[{draw(st.sampled_from(paths)).removesuffix(".md")}]]"\n---\n']))
        out[path] = (front + "\n\n".join(lines) + "\n").replace("\n", ending)
    return out
