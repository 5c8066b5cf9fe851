"""What a code host sends after a push -> the repository that was pushed to. GitHub's form (Gitea's and Forgejo's
too), GitLab's, Bitbucket Cloud's, and a plain ``{repository}`` or ``{url}``.

Source: GitHub's webhook event ``push``, GitLab's ``Push Hook`` and ``Tag Push Hook``, Bitbucket Cloud's ``repo:push``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.parse.hooks import LONGEST_NAME, Unreadable, read_text
from workers.language.payload_values import text_at

KEYS = ("repository", "url")
ADDRESSES = (
    "clone_url",
    "ssh_url",
    "html_url",
    "git_http_url",
    "git_ssh_url",
    "http_url",
    "web_url",
    "homepage",
    "url",
)
IN_LINKS = ("links", "html", "href")
LONGEST_URL = 2_000
TELLING = {"push", "push hook", "tag push hook", "create", "delete", "repository_update", "repo:push"}


@dataclass(frozen=True)
class Push:
    """A repository, by what it is called here or by its addresses. ``ignored``: why nothing was pushed."""

    name: str = ""
    addresses: tuple[str, ...] = ()
    shown: str = ""
    ignored: str = ""


def read_push(payload: Any, event: str = "") -> Push:
    """Read a push.

    Args:
        payload: the body.
        event: the header ``X-GitHub-Event``, ``X-Gitlab-Event`` or ``X-Event-Key``; empty for the plain form.

    Raises: Unreadable.
    """
    if not isinstance(payload, Mapping):
        raise Unreadable(f"the body is an object with {' or '.join(KEYS)}")
    if event:
        return read_hosted(payload, event)
    unknown = [str(key) for key in payload if key not in KEYS]
    if unknown:
        raise Unreadable(f"{unknown[0][:80]!a}: no such key; known are {', '.join(KEYS)}")
    if ("repository" in payload) == ("url" in payload):
        raise Unreadable("give either repository, its name in oracle.yaml, or url, its address")
    if "url" in payload:
        address = read_text(payload["url"], "url", LONGEST_URL)
        return Push(addresses=(address,), shown="that address")
    name = read_text(payload["repository"], "repository", LONGEST_NAME)
    return Push(name=name, shown=name)


def read_hosted(payload: Mapping[str, Any], event: str) -> Push:
    """What a code host sends."""
    if event.casefold() not in TELLING:
        elsewhere = "; deploys go to /hooks/deploy" if "deploy" in event.casefold() else ""
        return Push(ignored=f"events of the kind {event[:40]!r} tell of no push{elsewhere}")
    found = tuple(dict.fromkeys(addresses_of(payload)))
    if not found:
        raise Unreadable("repository: it has no address")
    shown = text_at(payload, "repository", "full_name") or text_at(payload, "project", "path_with_namespace")
    return Push(addresses=found, shown=(shown or "the repository")[:LONGEST_NAME])


def addresses_of(payload: Mapping[str, Any]) -> Iterator[str]:
    """All addresses of the repository that a payload names."""
    for part in ("repository", "project"):
        for path in (*((key,) for key in ADDRESSES), IN_LINKS):
            address = text_at(payload, part, *path)
            if address and len(address) <= LONGEST_URL:
                yield address
