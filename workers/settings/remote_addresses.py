"""Addresses of git repositories and web sites: which may be named, and when two mean the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

SCP = re.compile(r"(?:(?P<user>[\w.+-]+)@)?(?P<host>[\w.-]+):(?!//)(?P<path>[^\s:].*)")
SCHEMES = ("https", "http", "ssh", "file")
DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22}
TOKEN, USER = "GIT_TOKEN_", "GIT_USER_"
TOKEN_USERS = {"github": "x-access-token", "bitbucket": "x-token-auth"}


@dataclass(frozen=True)
class Remote:
    """Where a repository or a site lies. ``path`` begins with a slash; ``port`` is 0 for the scheme's own."""

    scheme: str
    host: str
    path: str
    user: str = ""
    port: int = 0

    @property
    def server(self) -> str:
        """Host, and port where it is not the scheme's own."""
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def name(self) -> str:
        """What the repository is called: the last part of its path."""
        return PurePosixPath(self.path).name.removesuffix(".git") or self.host

    @property
    def same(self) -> str:
        """Equal for all addresses of one repository: https, ssh, with a user or without, its page."""
        path = unquote(self.path).strip("/").removesuffix(".git").rstrip("/")
        return f"{self.host}/{path if self.scheme == 'file' else path.casefold()}"

    @property
    def asked(self) -> str:
        """The address as git is given it, for https and http."""
        return f"{self.scheme}://{self.user + '@' if self.user else ''}{self.server}{self.path}"

    @property
    def shown(self) -> str:
        """The address without a user."""
        if self.scheme == "file":
            return f"file://{self.path}"
        return f"{self.scheme}://{self.server}{self.path}"


def read_remote_address(address: str) -> Remote:
    """Read ``https://…``, ``ssh://…``, ``file:///…`` or ``user@host:path``.

    Raises:
        ValueError: what is wrong with it, as the end of a sentence; the address itself is not in it.
    """
    if not address.isprintable() or address.startswith("-") or any(c.isspace() for c in address):
        raise ValueError("it holds a blank or a character that no address has")
    if "://" not in address:
        match = SCP.fullmatch(address)
        if match is None or "::" in address:
            raise ValueError(f"it must begin with {', '.join(f'{s}://' for s in SCHEMES)}, or be user@host:path")
        return Remote("ssh", match["host"].lower(), "/" + match["path"].lstrip("/"), match["user"] or "")
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port or 0
    except ValueError as error:
        raise ValueError("its host or port cannot be read") from error
    if parts.scheme not in SCHEMES:
        raise ValueError(f"{parts.scheme}:// is not used; {', '.join(SCHEMES)} are")
    if parts.password is not None:
        raise ValueError("it holds a password: put that into the environment (GIT_TOKEN_NAME) instead")
    if parts.scheme == "file":
        if host or not parts.path.startswith("/"):
            raise ValueError("file:// needs a whole path, such as file:///srv/shop.git")
        return Remote("file", "", unquote(parts.path))
    if not host or host.startswith("-"):
        raise ValueError("it names no host")
    if not parts.path.strip("/"):
        raise ValueError("it names no repository")
    return Remote(
        parts.scheme, host, parts.path, parts.username or "", 0 if port == DEFAULT_PORTS[parts.scheme] else port
    )


def read_site_address(address: str) -> Remote:
    """Read the ``https://…`` or ``http://…`` address of a web site, whose path is where it begins.

    Raises:
        ValueError: what is wrong with it, as the end of a sentence.
    """
    if not address.isprintable() or any(c.isspace() for c in address):
        raise ValueError("it holds a blank or a character that no address has")
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port or 0
    except ValueError as error:
        raise ValueError("its host or port cannot be read") from error
    if parts.scheme not in {"https", "http"} or not host:
        raise ValueError("it must begin with https:// or http:// and a host")
    if parts.username or parts.password:
        raise ValueError("it holds a user or a password: only pages that anyone may read are crawled")
    if parts.query or parts.fragment:
        raise ValueError("it holds ? or #: give the address of a page or folder")
    return Remote(parts.scheme, host, parts.path or "/", port=0 if port == DEFAULT_PORTS[parts.scheme] else port)


def key_of(*words: str) -> str:
    """Twelve hexadecimal digits that stand for some words: the name of what is kept, without showing it."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def variable(prefix: str, name: str) -> str:
    """The environment variable for a name: ``GIT_TOKEN_`` and ``my-shop`` -> ``GIT_TOKEN_MY_SHOP``."""
    return prefix + re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def credential(remote: Remote, name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """User and token for a remote from the environment, by the source's name, else by the host; empty when none is set.

    The user is the address's own, else ``GIT_USER_…``, else the one that the host wants beside a token.
    """
    if remote.scheme not in {"https", "http"}:
        return "", ""
    for word in (name, remote.host):
        token = environment.get(variable(TOKEN, word), "")
        if token:
            known = next((user for part, user in TOKEN_USERS.items() if part in remote.host), "oauth2")
            return remote.user or environment.get(variable(USER, word), "") or known, token
    return "", ""


def offset_s(name: str, every_s: float) -> float:
    """When within its period something of a name is done, in seconds: always the same, and not when others are."""
    return int(key_of(name), 16) / 16**12 * every_s
