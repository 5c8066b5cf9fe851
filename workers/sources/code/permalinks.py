"""Addresses at which a person can open lines, headings and commits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>[\w.-]+):(?!//)(?P<path>[^\s]+)")
RENDERED = (".md", ".markdown", ".rst", ".adoc", ".ipynb")
FORGES = {
    "github": ("{base}/blob/{commit}/{path}{plain}#L{start}-L{end}", "?plain=1", "{base}/commit/{commit}"),
    "gitlab": ("{base}/-/blob/{commit}/{path}{plain}#L{start}-{end}", "?plain=1", "{base}/-/commit/{commit}"),
    "bitbucket": ("{base}/src/{commit}/{path}{plain}#lines-{start}:{end}", "", "{base}/commits/{commit}"),
    "gitea": (
        "{base}/src/commit/{commit}/{path}{plain}#L{start}-L{end}",
        "?display=source",
        "{base}/commit/{commit}",
    ),
}
HOSTS = (
    ("github", "github"),
    ("gitlab", "gitlab"),
    ("bitbucket", "bitbucket"),
    ("gitea", "gitea"),
    ("forgejo", "gitea"),
    ("codeberg", "gitea"),
)
FIELDS = ("commit", "path", "start", "end")


@dataclass(frozen=True)
class Forge:
    """A repository on a code host. ``base`` is its page, without credentials and closing slash."""

    kind: str
    base: str


def read_remote(remote: str) -> Forge | None:
    """Recognise the remote of a repository: GitHub, GitLab, Bitbucket or Gitea, by https or ssh; None otherwise."""
    remote = remote.strip()
    if "://" in remote:
        try:
            parts = urlsplit(remote)
        except ValueError:
            return None
        if parts.scheme not in {"https", "http", "ssh", "git", "git+ssh"}:
            return None
        host, path = parts.hostname or "", parts.path
        port = f":{parts.port}" if parts.scheme in {"https", "http"} and safe_port(remote) else ""
        scheme = "http" if parts.scheme == "http" else "https"
    elif match := SCP.fullmatch(remote):
        host, path, port, scheme = match["host"].lower(), match["path"], "", "https"
    else:
        return None
    kind = next((kind for part, kind in HOSTS if part in host), None)
    path = path.strip("/").removesuffix(".git")
    return Forge(kind, f"{scheme}://{host}{port}/{quote(path)}") if kind and path else None


def safe_port(remote: str) -> int | None:
    """The port of an address; one that is no number counts as none."""
    try:
        return urlsplit(remote).port
    except ValueError:
        return None


def permalink(remote_or_template: str, commit: str, path: str, start: int, end: int) -> str | None:
    """The address of lines of a file at a commit.

    Args:
        remote_or_template: a remote's address, or a template with {commit} {path} {start} {end}.
        commit: full hash.
        path: from the root of the repository, with slashes.
        start: first line, from 1.
        end: last line.

    Returns:
        None when the remote is of no known host.
    """
    values = {"commit": commit, "path": quote(path), "start": start, "end": end}
    if "{" in remote_or_template:
        return fill(remote_or_template, values)
    forge = read_remote(remote_or_template)
    if forge is None:
        return None
    lines, plain, _ = FORGES[forge.kind]
    return lines.format(base=forge.base, plain=plain if path.lower().endswith(RENDERED) else "", **values)


def fill(template: str, values: dict[str, object]) -> str:
    """Put values into a template; braces that name none of them stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), template)


def unknown_fields(template: str, known: tuple[str, ...] = FIELDS) -> list[str]:
    """Names in braces that a template may not hold."""
    return [name for name in re.findall(r"\{(\w*)\}", template) if name not in known]


def commit_link(remote: str, commit: str) -> str | None:
    """The address of a commit, None when the remote is of no known host."""
    forge = read_remote(remote)
    return FORGES[forge.kind][2].format(base=forge.base, commit=commit) if forge else None


def heading_link(remote: str, commit: str, path: str, anchor: str) -> str | None:
    """The address of a heading of a rendered document at a commit, None when the remote is of no known host."""
    forge = read_remote(remote)
    if forge is None:
        return None
    page = FORGES[forge.kind][0].partition("#")[0].format(base=forge.base, commit=commit, path=quote(path), plain="")
    mark = f"markdown-header-{anchor}" if forge.kind == "bitbucket" else anchor
    return f"{page}#{mark}" if anchor else page


def file_link(root: Path, path: str, start: int, end: int) -> str:
    """The address of lines of a file on this machine."""
    return f"{(root / path).as_uri()}#L{start}-L{end}"
