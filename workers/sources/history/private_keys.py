"""Private keys that were committed: what is cut out of their files shows no part of them.

The redaction of what tools return knows a key by its first or last line, which a few lines out of its middle lack.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.sources.git import Repository, read_blobs
from workers.sources.history.commits import Change
from workers.sources.history.diff import FileChange, Hunk
from workers.toolkit.redaction import redact_text

KEY = "PRIVATE KEY"
KEY_LINE = re.compile(r"(?m)[A-Za-z0-9+/=]{24,}$")


def whole_keys_hidden(lines: list[str]) -> list[str]:
    """The same lines; a private key among them is hidden as a whole, before a part of it is shown alone."""
    text = "\n".join(lines)
    return redact_text(text).split("\n") if KEY in text else lines


def key_lines_hidden(text: str, *, keyed: bool) -> str:
    """Lines apart from the rest of their file; of one with a private key, those that look like a part of it hidden."""
    return KEY_LINE.sub("[redacted:private-key]", text) if keyed else text


def with_keys(repo: Repository, commit: str, files: Sequence[FileChange]) -> set[str]:
    """The files of a commit that hold a private key, before or after it."""
    names = [name for f in files for name in (f"{commit}:{f.path}", f"{commit}^:{f.old_path or f.path}")]
    held = [KEY.encode() in source for source in read_blobs(repo, [n for n in names if "\n" not in n])]
    return {f.path for f, new, old in zip(files, held[::2], held[1::2], strict=False) if new or old}


def hidden(hunk: Hunk, *, keyed: bool) -> Hunk:
    """A hunk of a file with a private key without parts of it."""
    texts = (key_lines_hidden(text, keyed=keyed) for text in (hunk.added_text, hunk.removed_text))
    return replace(hunk, added_text=next(texts), removed_text=next(texts)) if keyed else hunk


def without_keys(repo: Repository, change: Change) -> Change:
    """A commit whose hunks show no part of a private key; files are read only where a line looks like one."""
    doubtful = [f for f in change.files if any(KEY_LINE.search(f"{h.added_text}\n{h.removed_text}") for h in f.hunks)]
    keyed = with_keys(repo, change.commit, doubtful) if doubtful else set()
    if not keyed:
        return change
    files = (replace(f, hunks=tuple(hidden(h, keyed=f.path in keyed) for h in f.hunks)) for f in change.files)
    return replace(change, files=tuple(files))
