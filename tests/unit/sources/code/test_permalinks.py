"""Addresses of code."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.code.permalinks import commit_link, file_link, heading_link, permalink, read_remote, unknown_fields

SHA = "a" * 40


@each_row(
    "remote, address",
    [
        ("https://github.com/o/r.git", f"https://github.com/o/r/blob/{SHA}/src/a.py#L1-L9"),
        ("https://user:token@github.com/o/r", f"https://github.com/o/r/blob/{SHA}/src/a.py#L1-L9"),
        ("git@github.com:o/r.git", f"https://github.com/o/r/blob/{SHA}/src/a.py#L1-L9"),
        ("ssh://git@github.com:22/o/r.git", f"https://github.com/o/r/blob/{SHA}/src/a.py#L1-L9"),
        ("git@github.corp.example:o/r.git", f"https://github.corp.example/o/r/blob/{SHA}/src/a.py#L1-L9"),
        ("https://gitlab.com/g/sub/r.git", f"https://gitlab.com/g/sub/r/-/blob/{SHA}/src/a.py#L1-9"),
        ("git@bitbucket.org:o/r.git", f"https://bitbucket.org/o/r/src/{SHA}/src/a.py#lines-1:9"),
        ("https://codeberg.org/o/r", f"https://codeberg.org/o/r/src/commit/{SHA}/src/a.py#L1-L9"),
        ("http://gitea.local:3000/o/r", f"http://gitea.local:3000/o/r/src/commit/{SHA}/src/a.py#L1-L9"),
        ("https://git.example/{path}?h={commit}#n{start}", f"https://git.example/src/a.py?h={SHA}#n1"),
        ("https://example.org/o/r.git", None),
        ("/srv/git/r.git", None),
        ("file:///srv/github/r.git", None),
        ("", None),
        ("https://github.com", None),
        ("https://[github.com/o/r", None),
        ("https://github.com:port/o/r", "https://github.com/o/r/blob/" + SHA + "/src/a.py#L1-L9"),
    ],
)
def test_permalinks(remote: str, address: str | None) -> None:
    assert permalink(remote, SHA, "src/a.py", 1, 9) == address


def test_rendered_documents_are_linked_as_source() -> None:
    assert permalink("git@github.com:o/r", SHA, "a.md", 3, 4) == f"https://github.com/o/r/blob/{SHA}/a.md?plain=1#L3-L4"
    assert heading_link("git@github.com:o/r", SHA, "a.md", "x") == f"https://github.com/o/r/blob/{SHA}/a.md#x"
    assert heading_link("git@github.com:o/r", SHA, "a.md", "") == f"https://github.com/o/r/blob/{SHA}/a.md"
    assert heading_link("git@bitbucket.org:o/r", SHA, "a.md", "x") == (
        f"https://bitbucket.org/o/r/src/{SHA}/a.md#markdown-header-x"
    )
    assert heading_link("elsewhere", SHA, "a.md", "x") is None


def test_commits_and_files(tmp_path: Path) -> None:
    assert commit_link("https://gitlab.com/o/r", SHA) == f"https://gitlab.com/o/r/-/commit/{SHA}"
    assert commit_link("nowhere", SHA) is None
    assert file_link(tmp_path, "a b.py", 1, 2) == f"{(tmp_path / 'a b.py').as_uri()}#L1-L2"


@given(st.text(min_size=1, max_size=30), st.integers(1, 10**6), st.integers(0, 50))
def test_any_path_gives_one_plain_address(path: str, start: int, more: int) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return
    address = permalink("git@github.com:o/r.git", SHA, path, start, start + more)
    assert address is not None
    assert address.isascii()
    assert not any(c in address for c in " \n\t\"'<>")
    assert address.endswith(f"#L{start}-L{start + more}")


@given(st.text(max_size=40))
def test_any_remote_is_read_or_refused(remote: str) -> None:
    forge = read_remote(remote)
    assert forge is None or forge.base.startswith("http")


@given(st.from_regex(r"[a-z0-9]{1,8}:[a-zA-Z0-9]{8,20}@", fullmatch=True))
def test_credentials_never_show(credentials: str) -> None:
    address = permalink(f"https://{credentials}github.com/o/r.git", SHA, "p", 1, 1)
    assert address == f"https://github.com/o/r/blob/{SHA}/p#L1-L1"


def test_unknown_fields_of_a_template() -> None:
    assert unknown_fields("{path}{line}") == ["line"]
    assert unknown_fields("{path}#L{start}") == []
