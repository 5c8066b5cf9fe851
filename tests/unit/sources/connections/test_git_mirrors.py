"""Repositories elsewhere: copied, fetched, indexed; whatever their remote does. Real git over file:// and http://."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployment import until
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from tests.support.git_server import GitServer, run_git_server
from workers.errors import ToolUnavailable
from workers.settings.load import Settings, load_settings
from workers.sources.code.index import CodeHit
from workers.sources.code.permalinks import permalink
from workers.sources.connections.git_mirrors import repository_of, start
from workers.sources.connections.local_copies import LocalCopy, hold, read_state, write_state
from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_sources import local_copies, open_code_sources, open_document_sources, pushed_to
from workers.sources.connections.refresh import refresh_copies, refresh_copy
from workers.sources.connections.source_status import SourceStatus, describe, source_statuses
from workers.sources.git import open_repository, remote_url

FIRST = {
    "client.py": "RETRY_LIMIT = 3\n\n\ndef charge_card(card):\n    return bank.post(card, tries=RETRY_LIMIT)\n",
    "docs/runbook.md": "# Cache\n\n## Restart\n\nRestart the cache with care.\n",
    "docs/guide.md": "# Guide\n\nHow orders travel.\n",
}
ASKED = "where is the card charged"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """The repository that others push to."""
    return make_repository(tmp_path / "remotes" / "shop", FIRST)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    with run_git_server(tmp_path / "remotes") as running:
        yield running


def configured(home: Path, *repositories: dict[str, Any], documents: list[dict[str, Any]] | None = None) -> Settings:
    return load_settings({"oracle.repositories": list(repositories), "oracle.documents": documents or []}, home=home)


def only(settings: Settings) -> LocalCopy:
    (kept,) = local_copies(settings).values()
    return kept


def row(settings: Settings) -> SourceStatus:
    return source_statuses(settings)[0]


def found(settings: Settings, query: str = ASKED) -> list[CodeHit]:
    opened, _ = open_all(open_code_sources(settings))
    return [hit for _, index in opened for hit in index.search(query)]


def told(settings: Settings) -> str:
    """What a question is told beside its hits, or instead of them."""
    try:
        return "; ".join(open_all(open_code_sources(settings))[1])
    except ToolUnavailable as error:
        return str(error)


def age(settings: Settings, seconds: float) -> None:
    """Let the last fetch be so long ago."""
    kept = only(settings)
    state = json.loads((kept.folder / "state.json").read_text())
    state["fetched_at"] -= seconds
    (kept.folder / "state.json").write_text(json.dumps(state))


# --- from nothing to answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_a_repository_elsewhere_is_cloned_indexed_and_followed(
    home: Path, origin: Path, server: GitServer, scheme: str
) -> None:
    address = f"file://{origin}" if scheme == "file" else server.address("shop/.git")
    settings = configured(home, {"url": address, "name": "shop", "permalink": "https://x/{commit}/{path}#L{start}"})
    assert told(settings) == "shop is not cloned yet"
    refresh_copies(settings)
    first = run_git(origin, "rev-parse", "HEAD").strip()
    (hit,) = found(settings)[:1]
    assert (hit.path, hit.commit, hit.url) == ("client.py", first, f"https://x/{first}/client.py#L{hit.start_line}")
    second = commit(origin, {"client.py": "# moved\n" + FIRST["client.py"], "a.md": "# Cards\n\nText\n"}, "Say so")
    assert found(settings)[0].excerpt == hit.excerpt, "nothing is seen before it is fetched"
    refresh_copies(settings)
    hits = [
        hit for query in (ASKED, "RETRY_LIMIT", "cache", "cards", "orders travel") for hit in found(settings, query)
    ]
    assert {hit.path for hit in hits} == {"client.py", "a.md", "docs/guide.md", "docs/runbook.md"}
    for later in hits:
        assert later.commit == second
        assert later.excerpt == lines_at(origin, second, later.path, later.start_line, later.end_line)
        assert later.url == f"https://x/{second}/{later.path}#L{later.start_line}"
    assert describe(row(settings)).startswith(
        f"shop at {second[:7]} of 2026-01-01 00:00 UTC, 4 files indexed, fetched "
    )


def test_tags_and_all_branches_come_along(home: Path, origin: Path) -> None:
    run_git(origin, "tag", "v1")
    run_git(origin, "tag", "-a", "v2", "-m", "two")
    run_git(origin, "branch", "feature/one")
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    refs = run_git(repository_of(only(settings)), "for-each-ref", "--format=%(refname:short)").split()
    assert refs == ["feature/one", "main", "v1", "v2"]
    run_git(origin, "tag", "-d", "v1")
    run_git(origin, "branch", "-D", "feature/one")
    run_git(origin, "branch", "feature")  # could not stand beside feature/one
    refresh_copies(settings)
    refs = run_git(repository_of(only(settings)), "for-each-ref", "--format=%(refname:short)").split()
    assert refs == ["feature", "main", "v2"]


def test_nothing_is_fetched_when_nothing_is_new(home: Path, origin: Path, server: GitServer) -> None:
    settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
    refresh_copies(settings)
    server.asked.clear()
    refresh_copies(settings)
    assert sum(asked.startswith("GET") for asked in server.asked) == 1


def test_documents_of_a_repository_are_those_of_its_folder_at_its_branch(home: Path, origin: Path) -> None:
    run_git(origin, "checkout", "-q", "-b", "wiki")
    commit(origin, {"docs/wiki.md": "# Wiki\n\nOnly the wiki branch says marmalade.\n"}, "Wiki")
    run_git(origin, "checkout", "-q", "main")
    address = f"file://{origin}"
    documents = [
        {"repository": address, "path": "docs"},
        {"repository": address, "path": "./docs/", "branch": "wiki", "name": "wiki"},
    ]
    settings = configured(home, {"url": address}, documents=documents)
    assert len(local_copies(settings)) == 1, "one copy serves all three"
    refresh_copies(settings)
    opened, problems = open_all(open_document_sources(settings))
    assert problems == ()
    (docs, wiki) = [index for _, index in opened]
    assert sorted(r.path for r in docs.records) == ["guide.md", "runbook.md"]
    assert sorted(r.path for r in wiki.records) == ["guide.md", "runbook.md", "wiki.md"]
    (hit,) = docs.search("restart the cache")[:1]
    head = run_git(origin, "rev-parse", "HEAD").strip()
    assert hit.commit == head
    assert hit.excerpt == lines_at(origin, head, "docs/runbook.md", hit.start_line, hit.end_line)
    commit(origin, {"docs/runbook.md": None, "docs/new.md": "# New\n\nRestart the broker.\n"}, "Anew")
    refresh_copies(settings)
    opened, _ = open_all(open_document_sources(settings))
    assert sorted(r.path for r in opened[0][1].records) == ["guide.md", "new.md"]


def test_a_folder_that_is_not_there_is_said(home: Path, origin: Path) -> None:
    settings = configured(home, documents=[{"repository": f"file://{origin}", "path": "nowhere", "name": "handbook"}])
    refresh_copies(settings)
    assert "handbook is not indexed yet; it has no folder nowhere" in describe_docs(settings)
    assert not row(settings).ok


def describe_docs(settings: Settings) -> str:
    with pytest.raises(ToolUnavailable) as caught:
        open_all(open_document_sources(settings))
    return str(caught.value)


# --- what remotes do --------------------------------------------------------------------------------------------


def test_a_branch_that_was_pushed_anew_is_followed(home: Path, origin: Path) -> None:
    commit(origin, {"a.py": "def old_way():\n    return 1\n"}, "Old")
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    assert found(settings, "old_way")
    run_git(origin, "reset", "-q", "--hard", "HEAD~1")
    new = commit(origin, {"a.py": "def new_way():\n    return 1\n"}, "New")
    refresh_copies(settings)
    assert row(settings).commit == new
    assert found(settings, "new_way")
    assert all("old_way" not in hit.excerpt for hit in found(settings, "old_way"))


def test_another_default_branch_is_followed(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    run_git(origin, "branch", "-m", "main", "trunk")
    new = commit(origin, {"a.py": "def after_the_move():\n    return 1\n"}, "Moved")
    refresh_copies(settings)
    assert row(settings).commit == new
    assert found(settings, "after_the_move")


@pytest.mark.parametrize("head", ["refs/heads/nowhere", "detached"])
def test_a_head_that_names_no_branch(home: Path, origin: Path, head: str) -> None:
    run_git(origin, "branch", "aside", "main")
    commit(origin, {"a.py": "def newest():\n    return 1\n"}, "More")
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    if head == "detached":
        run_git(origin, "checkout", "-q", "--detach", "main")
    else:
        run_git(origin, "symbolic-ref", "HEAD", head)
    refresh_copies(settings)
    assert (row(settings).ok, found(settings, "newest") != []) == (True, True)


def test_a_branch_that_is_deleted_is_said_and_what_was_indexed_stays(home: Path, origin: Path) -> None:
    run_git(origin, "branch", "release")
    settings = configured(home, {"url": f"file://{origin}", "branch": "release"})
    refresh_copies(settings)
    run_git(origin, "branch", "-D", "release")
    refresh_copies(settings)
    assert found(settings)
    assert told(settings).startswith("shop is known as it was indexed ")
    assert told(settings).endswith(" ago: its remote has no branch release")
    assert not row(settings).ok
    run_git(origin, "branch", "release")
    refresh_copies(settings)
    assert (told(settings), row(settings).ok) == ("", True)


def test_a_remote_without_commits_and_then_with_some(home: Path, tmp_path: Path) -> None:
    origin = make_repository(tmp_path / "young")
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    assert describe(row(settings)).startswith("young at no commit yet, 0 files indexed")
    assert describe(row(settings)).endswith("; its remote is empty")
    assert row(settings).ok
    commit(origin, FIRST, "Begin")
    refresh_copies(settings)
    assert found(settings)
    assert row(settings).note == ""


def test_a_remote_that_loses_everything_takes_nothing_away(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    run_git(origin, "update-ref", "-d", "refs/heads/main")
    refresh_copies(settings)
    assert found(settings)
    assert row(settings).problem == "the last fetch failed: its remote holds no branch any more"


def test_a_remote_that_disappears(home: Path, origin: Path, server: GitServer) -> None:
    settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
    refresh_copies(settings)
    server.gone = True
    assert not refresh_copy(settings, only(settings).key)
    assert found(settings), "the last index answers"
    assert told(settings) == "", "one look that failed is no news"
    age(settings, 3 * 3600)
    assert re.match(
        r"shop is known at [0-9a-f]{7} and was last fetched 3 h ago, at [\d-]+ \d\d:\d\d UTC: the last fetch failed: ",
        told(settings),
    )
    assert "not found" in told(settings)
    server.gone = False
    refresh_copies(settings)
    assert (told(settings), row(settings).problem) == ("", "")


def test_a_copy_that_nobody_renews_is_said_to_be_old(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    age(settings, 3 * 86_400)
    said = r"shop is known at [0-9a-f]{7} and was last fetched 3 d ago, at [\d-]+ \d\d:\d\d UTC: "
    assert re.fullmatch(f"{said}nothing has looked at it since", told(settings))
    refresh_copies(settings)
    assert told(settings) == ""


def test_a_repository_that_cannot_be_cloned_hides_no_other(home: Path, origin: Path, tmp_path: Path) -> None:
    settings = configured(home, {"url": f"file://{tmp_path}/nothing", "name": "gone"}, {"url": f"file://{origin}"})
    refresh_copies(settings)
    assert found(settings)
    assert told(settings).startswith("gone cannot be read: the last clone failed: ")
    assert [one.ok for one in source_statuses(settings)] == [False, True]


def test_repositories_of_either_hash(home: Path, tmp_path: Path) -> None:
    origin = tmp_path / "long"
    origin.mkdir()
    run_git(origin, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(origin, FIRST, "Begin")
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    assert len(row(settings).commit) == 64
    assert found(settings)


# --- questions never wait ---------------------------------------------------------------------------------------


def test_a_question_is_told_how_far_a_clone_is(home: Path, origin: Path, server: GitServer) -> None:
    settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
    kept = only(settings)
    server.gate.clear()
    thread = threading.Thread(target=refresh_copy, args=(settings, kept.key))
    thread.start()
    until(lambda: read_state(kept).doing, "it begins")
    assert told(settings) == "shop is being cloned"
    write_state(kept, type(read_state(kept))(doing="cloned", percent=42, tried_at=1.0))
    assert told(settings) == "shop is being cloned (42 %)"
    assert describe(row(settings)) == "shop: being cloned (42 %)"
    server.gate.set()
    thread.join()
    assert told(settings) == ""


def test_progress_of_git_is_read(home: Path, tmp_path: Path) -> None:
    origin = make_repository(tmp_path / "big", {f"f{i}.bin": os.urandom(3_000) for i in range(400)})
    settings = configured(home, {"url": f"file://{origin}"})
    seen: list[tuple[str, int]] = []

    def note(what: str, percent: int) -> None:
        seen.append((what, percent))

    from workers.sources.connections.git_mirrors import fetch

    kept = only(settings)
    with hold(kept) as lock:
        assert lock is not None
        fetch(kept, lock, 60, note)
    assert ("receiving", 100) in seen
    assert all(0 <= percent <= 100 for _, percent in seen)


def test_what_a_killed_clone_left_is_not_going_on(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    kept = only(settings)
    write_state(kept, type(read_state(kept))(doing="cloned", percent=42, tried_at=1.0))
    assert told(settings) == "shop is not cloned yet"


def test_locks_that_a_killed_fetch_left_are_in_nobodys_way(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    place = repository_of(only(settings))
    (place / "worktrees" / "x").mkdir(parents=True)
    for name in (
        "worktrees/x/index.lock",
        "refs/heads/main.lock",
        "packed-refs.lock",
        "HEAD.lock",
        "config.lock",
        "shallow.lock",
    ):
        (place / name).touch()
    (place / "objects" / "pack" / "tmp_pack_x").write_bytes(b"half")
    new = commit(origin, {"a.py": "x = 1\n"}, "More")
    refresh_copies(settings)
    assert row(settings).commit == new
    assert not list(place.glob("objects/pack/tmp_*"))


def test_a_damaged_copy_is_made_anew(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    place = repository_of(only(settings))
    (place / "HEAD").write_text("nonsense")
    refresh_copies(settings)
    assert row(settings).ok
    for path in [p for p in (place / "objects").rglob("*") if p.is_file()]:
        path.chmod(0o600)
        path.write_bytes(b"damaged")
    new = commit(origin, {"a.py": "def after_damage():\n    return 1\n"}, "More")
    refresh_copies(settings)
    assert row(settings).commit == new, describe(row(settings))
    assert found(settings, "after_damage")


def test_who_comes_second_leaves_it_to_the_first_who_looks_again(home: Path, origin: Path, server: GitServer) -> None:
    settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
    kept = only(settings)
    server.gate.clear()
    first = threading.Thread(target=refresh_copy, args=(settings, kept.key))
    first.start()
    until(lambda: any(a.startswith("POST") for a in server.asked), "it looks")
    new = commit(origin, {"a.py": "def pushed_meanwhile():\n    return 1\n"}, "Meanwhile")
    assert refresh_copy(settings, kept.key), "it does not wait"
    assert told(settings).startswith("shop is being cloned")
    server.gate.set()
    first.join()
    assert row(settings).commit == new
    assert found(settings, "pushed_meanwhile")


def test_git_that_hangs_is_ended(home: Path, origin: Path, server: GitServer) -> None:
    overrides = {"oracle.repositories": [{"url": server.address("shop/.git"), "name": "shop"}]}
    settings = load_settings({**overrides, "oracle.fetch.timeout_s": 1}, home=home)
    server.gate.clear()
    assert not refresh_copy(settings, only(settings).key)
    assert row(settings).problem == "the last clone failed: git fetch took longer than 1 s"
    server.gate.set()
    assert refresh_copy(settings, only(settings).key)


KILLED = """
import sys
from workers.sources.connections.refresh import refresh_copy
from workers.sources.connections.open_sources import local_copies
from workers.settings.load import load_settings
settings = load_settings({"oracle.repositories": [{"url": sys.argv[1], "name": "shop"}]})
refresh_copy(settings, *local_copies(settings))
"""


def test_a_fetch_that_is_killed_leaves_what_was_and_the_next_one_completes(
    home: Path, origin: Path, server: GitServer
) -> None:
    settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
    refresh_copies(settings)
    new = commit(origin, {"a.py": "def after_the_kill():\n    return 1\n"}, "More")
    server.gate.clear()
    server.asked.clear()
    process = subprocess.Popen([sys.executable, "-c", KILLED, server.address("shop/.git")])
    until(lambda: sum(a.startswith("POST") for a in server.asked) > 1, "it fetches")
    process.kill()
    process.wait()
    assert found(settings)
    assert read_state(only(settings)).doing == "fetched", "git still runs, and nobody else begins"
    assert refresh_copy(settings, only(settings).key)
    server.gate.set()

    def renewed() -> bool:
        refresh_copy(settings, only(settings).key)
        return row(settings).commit == new

    until(renewed, "the next one completes")
    assert found(settings, "after_the_kill")


# --- credentials and harm ---------------------------------------------------------------------------------------


def test_a_token_comes_from_the_environment_and_is_shown_nowhere(
    home: Path, origin: Path, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.user, server.token = "oauth2", "s3cret-t0ken"
    settings = configured(home, {"url": server.address("shop/.git"), "name": "my-shop"})
    assert not refresh_copy(settings, only(settings).key)
    assert row(settings).problem == (
        "the last clone failed: it asks for credentials: set GIT_TOKEN_MY_SHOP or GIT_TOKEN_127_0_0_1"
    )
    monkeypatch.setenv("GIT_TOKEN_MY_SHOP", "wrong-t0ken")
    assert not refresh_copy(settings, only(settings).key)
    assert row(settings).problem == "the last clone failed: it refuses the token"
    monkeypatch.setenv("GIT_TOKEN_MY_SHOP", server.token)
    server.gate.clear()
    thread = threading.Thread(target=refresh_copy, args=(settings, only(settings).key))
    thread.start()
    fetching = f"--progress --end-of-options {server.url}/shop/.git"
    processes = until(lambda: seen if fetching in (seen := command_lines()) else "", "git fetches")
    server.gate.set()
    thread.join()
    assert row(settings).ok, row(settings).problem
    assert server.token not in processes
    kept = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert server.token.encode() not in kept
    assert b"wrong-t0ken" not in kept


def command_lines() -> str:
    """Of all processes."""
    out = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            out.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return "\n".join(out)


def test_the_user_of_an_address_is_kept_for_the_token(
    home: Path, origin: Path, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.user, server.token = "ada", "s3cret-t0ken"
    monkeypatch.setenv("GIT_TOKEN_127_0_0_1", server.token)
    address = server.address("shop/.git").replace("://", "://ada@")
    settings = configured(home, {"url": address, "name": "shop"})
    assert refresh_copy(settings, only(settings).key), row(settings).problem
    assert remote_url(open_repository(repository_of(only(settings)))) == server.address("shop/.git")


@pytest.mark.parametrize("form", ["ssh://git@code.example.org:2222{}", "git@code.example.org:{}"])
def test_a_repository_over_ssh(
    home: Path, origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/said\nfor last; do :; done\neval "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    settings = configured(home, {"url": form.format(origin), "name": "shop"})
    assert refresh_copy(settings, only(settings).key), row(settings).problem
    assert found(settings)
    assert "git@code.example.org" in (tmp_path / "said").read_text()


@pytest.mark.parametrize(
    "address",
    ["git@github.com:acme/shop.git", "https://someone@github.com/acme/shop.git", "ssh://git@github.com/acme/shop"],
)
def test_links_lead_to_the_code_host_without_a_user(home: Path, address: str) -> None:
    kept = only(configured(home, {"url": address}))
    start(kept, "sha1")
    remote = remote_url(open_repository(repository_of(kept)))
    assert permalink(remote, "c" * 40, "a.py", 1, 2) == f"https://github.com/acme/shop/blob/{'c' * 40}/a.py#L1-L2"


def test_a_token_goes_to_no_other_server(
    home: Path, origin: Path, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_git_server(tmp_path / "remotes") as other:
        other.token = other.user = "x"
        server.elsewhere = other.url
        monkeypatch.setenv("GIT_TOKEN_SHOP", "s3cret-t0ken")
        settings = configured(home, {"url": server.address("shop/.git"), "name": "shop"})
        assert not refresh_copy(settings, only(settings).key)
        assert other.asked
        assert set(other.given) == {""}


def test_a_repository_runs_nothing_and_brings_no_other(
    home: Path, origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    for name in ("post-checkout", "post-merge", "reference-transaction", "post-receive", "post-update"):
        for place in (origin / ".git" / "hooks", tmp_path / "templates" / "hooks"):
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
            (place / name).chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "templates"))
    (origin / "docs" / "link.md").symlink_to("/etc/passwd")
    modules = '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch ' + str(mark) + '"\n'
    commit(origin, {".gitmodules": modules, ".gitattributes": "*.md filter=bad\n"}, "Bad")
    settings = configured(
        home, {"url": f"file://{origin}"}, documents=[{"repository": f"file://{origin}", "path": "docs"}]
    )
    mark.unlink(missing_ok=True)
    refresh_copies(settings)
    assert all(one.ok for one in source_statuses(settings)), [one.problem for one in source_statuses(settings)]
    assert not mark.exists()
    (tree,) = (only(settings).folder / "trees").iterdir()
    assert not (tree / "docs" / "link.md").is_symlink()


# --- pushes -----------------------------------------------------------------------------------------------------


def test_a_push_is_for_what_it_names(home: Path) -> None:
    settings = configured(
        home,
        {"url": "https://code.example.org/acme/shop.git", "name": "shop"},
        {"url": "git@code.example.org:acme/pay.git"},
        {"path": "local"},
        documents=[
            {"repository": "https://code.example.org/acme/shop.git", "path": "docs"},
            {"site": "https://docs.example.org/guide/", "name": "guide"},
        ],
    )

    def names(name: str, *addresses: str) -> list[str]:
        return [kept.name for kept in pushed_to(settings, name, addresses)]

    assert names("Shop") == ["shop"]
    assert names("docs") == ["shop"]
    assert names("guide") == ["guide"]
    assert names("local") == []
    assert names("", "https://code.example.org/acme/pay", "nonsense") == ["pay"]
    assert names("", "git@code.example.org:acme/shop") == ["shop"]
    assert names("", "https://docs.example.org/guide/") == []
    assert names("") == []


# --- what is left out, and how far it is ----------------------------------------------------------------------


def test_how_many_files_are_read_and_which_are_left_out_is_shown(
    home: Path, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.sources.connections.refresh.PROGRESS_S", 0.0)
    commit(origin, {"a.png": b"\x89PNG", "b.png": b"\x89PNG", "uv.lock": "x"}, "Pictures")
    settings = configured(home, {"url": f"file://{origin}", "name": "shop"})
    seen: list[str] = []
    refresh_copies(settings, lambda _: seen.append(row(settings).doing))
    assert "being indexed (3 of 3 files)" in seen
    assert row(settings).doing == ""
    assert read_state(only(settings)).total == 0
    assert row(settings).skipped == {"binary": 2, "generated": 1}
    assert describe(row(settings)).endswith("; left out: 2 binary, 1 generated")


def test_a_state_of_an_earlier_version_is_read(home: Path, origin: Path) -> None:
    settings = configured(home, {"url": f"file://{origin}"})
    refresh_copies(settings)
    path = only(settings).folder / "state.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps({name: value for name, value in state.items() if name not in {"done", "total"}}))
    assert read_state(only(settings)).fetched_at == state["fetched_at"] > 0
