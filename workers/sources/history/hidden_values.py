"""Secrets that a whole file tells and a part of it does not: what is cut out of files shows none of them.

The redaction of what tools return knows a private key by its first line, a value by the name above it and a manifest by
its kind; a few lines out of the middle lack these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from workers.sources.git import Repository, read_blobs
from workers.sources.history.commits import Change
from workers.sources.history.diff import FileChange, Hunk
from workers.toolkit.redaction import hidden_lines, redact_text

KEY_LINE = re.compile(r"(?m)[A-Za-z0-9+/=]{24,}$")
VALUE_LINE = re.compile(
    r"(?m)[:=]\s?[\"']?[^\s\"']{4,400}[\"']?,?[ \t]{0,20}$|^[ \t]{0,40}\|.{1,400}\|[ \t]{0,20}$|\S[,;\t]\S"
    r"|^[ \t]{0,40}(?:- )?[^\s]{4,100}$"
)
DATA = re.compile(
    r"(?i)\.(?:ya?ml|jsonc?|json5|toml|ini|cfg|conf|env\w*|properties|xml|tf|tfvars|hcl|csv|tsv|md|txt|rst|adoc|sql|netrc|npmrc)$|(?:^|/)\.[\w.]+$"
)
"""Files in which a name and its value may stand on lines apart."""
MOST_FILE_BYTES, MOST_BYTES, HIDDEN = 200_000, 1_000_000, "[redacted:secret]"
REMEMBERED = 512
Values = Sequence[str]


def whole_hidden(lines: list[str]) -> list[str]:
    """The same lines without the secrets that they tell together, before a part of them is shown alone."""
    return redact_text("\n".join(lines)).split("\n") if lines else []


def without_values(text: str, values: Values) -> str:
    """A part of a file without what the whole of it hides."""
    for value in values:
        text = text.replace(value, HIDDEN)
    return text


def is_doubtful(path: str, text: str) -> bool:
    """Whether lines out of a file may hold a part of a private key, or a value whose name stands elsewhere."""
    return bool(KEY_LINE.search(text) or (DATA.search(path) and VALUE_LINE.search(text)))


@lru_cache(maxsize=REMEMBERED)
def values_in(source: bytes) -> Values:
    """What a file hides."""
    return hidden_lines(source.decode("utf-8", "replace"))


def values_of(repo: Repository, commit: str, files: Sequence[FileChange]) -> Mapping[str, Values]:
    """What the files of a commit hide, before it or after it, by path; files that hide nothing are missing."""
    named = [(f.path, name) for f in files for name in (f"{commit}:{f.path}", f"{commit}^:{f.old_path or f.path}")]
    named = [(path, name) for path, name in named if "\n" not in name]
    out: dict[str, Values] = {}
    read = 0
    for (path, _), source in zip(named, read_blobs(repo, [name for _, name in named]), strict=False):
        read += len(source)
        if len(source) <= MOST_FILE_BYTES and read <= MOST_BYTES and (found := values_in(source)):
            out[path] = tuple(sorted({*out.get(path, ()), *found}, key=len, reverse=True))
    return out


def hidden(hunk: Hunk, values: Values) -> Hunk:
    """A hunk without its secrets and without what the whole of its file hides."""
    texts = (redact_text(without_values(text, values)) for text in (hunk.added_text, hunk.removed_text))
    return replace(hunk, added_text=next(texts), removed_text=next(texts))


def without_secrets(repo: Repository, change: Change) -> Change:
    """A commit whose hunks show no secret of their files; files are read only where a line looks like a part of one."""
    doubtful = [
        f for f in change.files if any(is_doubtful(f.path, f"{h.added_text}\n{h.removed_text}") for h in f.hunks)
    ]
    values = values_of(repo, change.commit, doubtful) if doubtful else {}
    files = (replace(f, hunks=tuple(hidden(h, values.get(f.path, ())) for h in f.hunks)) for f in change.files)
    return replace(change, files=tuple(files))
