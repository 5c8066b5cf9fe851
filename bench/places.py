"""Where-questions over checkouts that nobody here wrote: is the right file first, and are the cited lines really there?

``python -m bench places FILE``: FILE is a JSON list of ``{repo, question, files}``, fixed before the run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ORACLE = Path(sys.executable).with_name("oracle")


def main(args: list[str]) -> None:
    """Ask each question through the command line; print a row each and the totals."""
    rows = json.loads(Path(args[0]).read_text(encoding="utf-8"))
    right = exact = lines = 0
    print("| repository | question | first file | right | lines there |\n|---|---|---|---|---|")
    for row in rows:
        done = subprocess.run(
            [str(ORACLE), "ask", row["question"], "--repo", row["repo"], "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        log = json.loads(done.stdout)
        found = next((e for e in log["evidence"] if e["id"] in log["answer"]["headline"]["evidence"]), None)
        path = found["facts"]["path"]["value"] if found else "nothing"
        held = [same_lines(row["repo"], e) for e in log["evidence"] if e["kind"] == "code"]
        right += path in row["files"]
        exact += sum(held)
        lines += len(held)
        mark = "yes" if path in row["files"] else f"no, {row['files'][0]}"
        name = Path(row["repo"]).name
        print(f"| {name} | {row['question']} | `{path}` | {mark} | {sum(held)} of {len(held)} |")
    print(f"\nright file first: {right} of {len(rows)}; cited ranges really there at their commit: {exact} of {lines}")


def same_lines(repo: str, evidence: dict[str, object]) -> bool:
    """Whether the excerpt is exactly those lines of the file at that commit."""
    facts = evidence["facts"]
    commit, path = (facts[k]["value"] for k in ("commit", "path"))  # type: ignore[index]
    start, end = (int(facts[k]["value"]) for k in ("start_line", "end_line"))  # type: ignore[index]
    shown = subprocess.run(
        ["git", "-C", repo, "show", f"{commit}:{path}"], capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")
    return "\n".join(shown.splitlines()[start - 1 : end]) == str(evidence["excerpt"]).rstrip("\n")
