"""read_file, grep_code and list_files on real repositories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from workers.contracts import Deploy, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.redaction import BUILTIN
from workers.toolkit.tool import Resources, Tool
from workers.tools.code_files import build_grep_code, build_list_files, build_read_file
from workers.tools.commits import build_log_of, build_show_commit

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CONTEXT = ToolContext("r1", "research", NOON)
LONG = "".join(f"value_{n} = {n}\n" + "\n" * (n % 10 == 0) for n in range(1, 901))
FILES: dict[str, str | bytes] = {
    "pay/client.py": "import net\n\nMAX_ATTEMPTS = 4\n\n\ndef charge():\n    return net.post(MAX_ATTEMPTS)\n",
    "cart/client.py": "MAX_ATTEMPTS = 1\n",
    "config/app.yaml": "max_attempts: 5\n",
    "tests/test_client.py": "assert MAX_ATTEMPTS\n",
    "long.py": LONG,
    "logo.png": b"\x89PNG\0\0",
    "empty.py": "",
}


def build(make: Any, home: Path, *folders: Path, deploys: tuple[Deploy, ...] = (), **entry: str) -> Tool:
    repositories = [{"path": str(folder), **entry} for folder in folders]
    settings = load_settings({"oracle.repositories": repositories}, home=home)
    nothing = Resources(settings, lambda start, end: (), deploys_anywhere=lambda start, end: deploys)
    tool: Tool = make({}, nothing)
    return tool


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_repository(tmp_path_factory.mktemp("files") / "shop", FILES, NOON - timedelta(days=30))
    run_git(folder, "tag", "v1.0")
    run_git(folder, "remote", "add", "origin", "git@github.com:acme/shop.git")
    commit(folder, {"pay/client.py": str(FILES["pay/client.py"]).replace("= 4", "= 9")}, "More", NOON)
    (folder / "link.py").symlink_to("/etc/passwd")
    commit(folder, {}, "A link", NOON)
    (folder / "pay/client.py").write_text("not committed\n")
    return folder


def test_lines_of_a_file_as_committed(shop: Path, home: Path) -> None:
    output = call(build(build_read_file, home, shop), path="pay/client.py", lines="3-7")
    (piece,) = output.evidence
    assert (piece.kind, piece.locator) == ("code", "pay/client.py:3-7")
    assert piece.excerpt == lines_at(shop, "HEAD", "pay/client.py", 3, 7)
    head = run_git(shop, "rev-parse", "HEAD").strip()
    assert piece.url == f"https://github.com/acme/shop/blob/{head}/pay/client.py#L3-L7"
    assert {n: piece.facts[n].value for n in ("path", "lines", "start_line", "end_line", "total_lines", "commit")} == {
        "path": "pay/client.py",
        "lines": "pay/client.py:3-7",
        "start_line": 3,
        "end_line": 7,
        "total_lines": 7,
        "commit": head,
    }
    assert all(f.entity for f in piece.facts.values())
    assert output.data["text"] == piece.excerpt


def test_as_of_a_tag_and_a_deployed_version(shop: Path, home: Path) -> None:
    first = run_git(shop, "rev-parse", "v1.0").strip()
    deploy = Deploy(service="shop", version="2.7", commit=first, at=NOON - timedelta(days=3))
    tool = build(build_read_file, home, shop, deploys=(deploy,))
    for name in ("v1.0", "2.7", first[:8]):
        output = call(tool, path="pay/client.py", lines="3", commit=name)
        assert output.evidence[0].excerpt == "MAX_ATTEMPTS = 4"
        assert output.data["commit"] == first
    with pytest.raises(ToolArgumentError, match="no commit, tag, branch or deployed version 'v9'") as caught:
        call(tool, path="pay/client.py", commit="v9")
    assert "v1.0" in caught.value.nearest


def test_a_long_file_is_cut_and_every_piece_holds_its_lines(shop: Path, home: Path) -> None:
    output = call(build(build_read_file, home, shop), path="long.py")
    assert output.data["end_line"] == 400
    assert "lines 401-990 of long.py were left out" in output.reason
    assert "\n".join(e.excerpt for e in output.evidence) == lines_at(shop, "HEAD", "long.py", 1, 400)
    for piece in output.evidence:
        assert len(piece.excerpt) <= 2_400
        assert piece.excerpt == lines_at(
            shop, "HEAD", "long.py", int(piece.facts["start_line"].value), int(piece.facts["end_line"].value)
        )
    assert call(build(build_read_file, home, shop), path="long.py", lines="401-").data["start_line"] == 401


def test_the_line_of_a_stack_trace_is_shown_with_what_is_around(shop: Path, home: Path) -> None:
    output = call(build(build_read_file, home, shop), path="/app/src/long.py:500")
    assert (output.data["start_line"], output.data["end_line"]) == (485, 515)


def test_several_files_that_may_be_meant_are_named(shop: Path, home: Path) -> None:
    output = call(build(build_read_file, home, shop), path="client.py")
    assert output.status == "empty"
    assert output.nearest == ("cart/client.py", "pay/client.py")
    assert not output.evidence
    assert call(build(build_read_file, home, shop), path="pay.client").data["path"] == "pay/client.py"


@each_row(
    "path, reason",
    [
        ("logo.png", "is binary"),
        ("empty.py", "is empty"),
        ("pay", "is a folder"),
        ("link.py", "no file 'link.py'"),
        ("../../etc/passwd", "no file"),
        ("/etc/passwd", "no file"),
        (".git/config", "no file"),
        ("pay/clientt.py", "no file"),
    ],
)
def test_what_cannot_be_read_is_said(shop: Path, home: Path, path: str, reason: str) -> None:
    output = call(build(build_read_file, home, shop), path=path)
    assert output.status == "empty"
    assert reason in output.reason
    assert not output.evidence


@each_row(
    "args, said",
    [
        ({"path": ""}, "path is empty"),
        ({"path": "pay/client.py", "lines": "x"}, "not a range"),
        ({"path": "pay/client.py", "lines": "9-3"}, "ends before it begins"),
        ({"path": "pay/client.py", "lines": "0"}, "line 1 or later"),
        ({"path": "pay/client.py", "lines": "80-90"}, "has 7 lines"),
        ({"path": "pay/client.py", "commit": "--output=x"}, "no commit"),
        ({"path": "pay/client.py", "commit": "\x00"}, "no commit"),
        ({"path": "pay/client.py", "repo": "shopp"}, "no repository is named 'shopp'"),
    ],
)
def test_mistakes_are_said(shop: Path, home: Path, args: dict[str, str], said: str) -> None:
    with pytest.raises(ToolArgumentError, match=said):
        call(build(build_read_file, home, shop), **args)


def test_matches_with_their_count_and_what_is_around(shop: Path, home: Path) -> None:
    output = call(build(build_grep_code, home, shop), pattern=r"MAX_ATTEMPTS\b")
    assert (
        output.summary == "4 matching lines in 3 files: cart/client.py (1), pay/client.py (2), tests/test_client.py (1)"
    )
    count, _, pay, _ = output.evidence
    assert (count.facts["matches"].value, count.facts["matching_files"].value) == (4, 3)
    assert pay.excerpt == "2- \n3: MAX_ATTEMPTS = 9\n4- \n--\n6- def charge():\n7:     return net.post(MAX_ATTEMPTS)"
    assert pay.facts["match_2"].value == "pay/client.py:7-7"
    assert pay.facts["match_1_text"].value == "MAX_ATTEMPTS = 9"
    assert pay.url is not None
    assert pay.url.endswith("/pay/client.py#L3-L3")


def test_matches_of_a_folder_a_glob_and_any_case(shop: Path, home: Path) -> None:
    tool = build(build_grep_code, home, shop)
    assert [r["path"] for r in call(tool, pattern="max_attempts", path="*.yaml").data["lines"]] == ["config/app.yaml"]
    assert call(tool, pattern="attempts", path="pay/", ignore_case=True).data["matches"] == 2
    none = call(tool, pattern="Max_Attempts")
    assert none.status == "empty"
    assert "with ignore_case 5 lines would" in none.reason
    assert call(tool, pattern="x", path="nowhere/").reason == "shop has no file or folder 'nowhere/'"


def test_very_many_matches_are_cut_and_counted(shop: Path, home: Path) -> None:
    output = call(build(build_grep_code, home, shop), pattern="value_")
    assert output.data["matches"] == 900
    assert len(output.data["lines"]) == 60
    assert "60 of 900 matching lines are shown" in output.reason
    assert all(len(e.excerpt) <= 2_400 for e in output.evidence)
    places = {f.value for e in output.evidence for f in e.facts.values() if f.unit == "lines"}
    assert places == {f"long.py:{row['line']}-{row['line']}" for row in output.data["lines"]}
    assert output.evidence[0].facts["matches"].value == 900


def test_files_of_a_folder_and_of_a_glob(shop: Path, home: Path) -> None:
    tool = build(build_list_files, home, shop)
    whole = call(tool)
    assert whole.evidence[0].facts["file_count"].value == len(FILES)
    assert "pay/client.py  79 B" in whole.evidence[0].excerpt.split("\n")
    assert call(tool, path="pay").data["folders"][0]["rows"] == ["pay/client.py  79 B"]
    assert call(tool, glob="**/client.py").data["folders"][0]["files"] == 2
    none = call(tool, path="payy")
    assert (none.status, none.nearest) == ("empty", ("pay/",))


def test_folders_that_hold_very_much_are_counted(tmp_path: Path, home: Path) -> None:
    many = {f"pkg{n % 3}/part{n % 40}/f{n}.py": "x = 1\n" for n in range(500)}
    folder = make_repository(tmp_path / "big", {**many, "README.md": "# Big\n"})
    output = call(build(build_list_files, home, folder))
    (listed,) = output.data["folders"]
    assert listed["files"] == 501
    assert len(listed["rows"]) == 121
    assert listed["rows"][0] == "README.md  6 B"
    assert listed["rows"][1].endswith("/part0/  5 files, 30 B")
    inside = call(build(build_list_files, home, folder), path="pkg0/part0/")
    assert inside.data["folders"][0]["rows"][0].startswith("pkg0/part0/f0.py")


def test_several_repositories(shop: Path, tmp_path: Path, home: Path) -> None:
    other = make_repository(tmp_path / "till", {"pay/client.py": "MAX_ATTEMPTS = 0\n", "own.py": "x = 1\n"})
    output = call(build(build_read_file, home, shop, other), path="pay/client.py")
    assert output.status == "empty"
    assert "shop: pay/client.py, till: pay/client.py" in output.reason
    assert (
        call(build(build_read_file, home, shop, other), path="pay/client.py", repo="Till").data["repository"] == "till"
    )
    assert call(build(build_read_file, home, shop, other), path="own.py").data["repository"] == "till"
    assert (
        call(build(build_grep_code, home, shop, other), pattern="MAX_ATTEMPTS = 0").data["lines"][0]["repository"]
        == "till"
    )


def test_only_the_connected_folder_of_a_repository_is_seen(shop: Path, home: Path) -> None:
    assert call(build(build_list_files, home, shop / "pay")).data["folders"][0]["rows"] == ["pay/client.py  79 B"]
    assert call(build(build_read_file, home, shop / "pay"), path="cart/client.py").status == "empty"
    assert call(build(build_grep_code, home, shop / "pay"), pattern="MAX_ATTEMPTS = 1").status == "empty"


def test_nothing_of_a_private_key_is_shown_whatever_part_is_asked_for(tmp_path: Path, home: Path) -> None:
    rows = [f"{n:02}{'QkFTRTY0' * 7}abcdef" for n in range(60)]
    kind = "RSA PRIVATE" + " KEY"
    key = "\n".join([f"-----BEGIN {kind}-----", *rows, f"-----END {kind}-----", "after = 1\n"])
    folder = make_repository(tmp_path / "keys", {"id.pem": key}, NOON - timedelta(days=3))
    commit(folder, {"id.pem": key.replace("30QkFT", "31QkFT")}, "Turn it", NOON - timedelta(days=2))
    outputs = [
        call(build(build_read_file, home, folder), path="id.pem"),
        call(build(build_read_file, home, folder), path="id.pem", lines="20-30"),
        call(build(build_grep_code, home, folder), pattern="^3"),
        call(build(build_show_commit, home, folder), commit="HEAD"),
        call(build(build_show_commit, home, folder), commit="HEAD~1", path="id.pem"),
        call(build(build_log_of, home, folder), path="id.pem", lines="28-36"),
    ]
    for output in outputs:
        assert output.evidence
        assert "QkFTRTY0" not in str([e.model_dump() for e in BUILTIN.output(output).evidence])
        assert "QkFTRTY0" not in str(BUILTIN.output(output).data)
    assert "after = 1" in outputs[0].evidence[-1].excerpt


def test_without_sources(home: Path, tmp_path: Path) -> None:
    for make, args in ((build_read_file, {"path": "a"}), (build_grep_code, {"pattern": "a"}), (build_list_files, {})):
        assert call(build(make, home), **args).reason == "no repository is connected"
        with pytest.raises(ToolUnavailable, match="does not exist"):
            call(build(make, home, tmp_path / "gone"), **args)
