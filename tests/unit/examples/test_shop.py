"""The demo team's builder: history, documents, rules, deploys."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from examples.shop.build import Demo, build_demo, read_rules
from examples.shop.fault import DEFAULT, draw_fault, fault_kinds, load_fault
from examples.shop.history import TREE, HistoryMismatch, load_history, read_tree, replay
from tests.support.real_servers import need
from tests.unit.examples.conftest import NOW
from workers.errors import ToolUnavailable

DAY = timedelta(days=1)


def git(repo: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(repo), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


# --- the fault ------------------------------------------------------------------------------------------------


def test_the_default_is_a_cache_that_never_hits(demo: Demo) -> None:
    assert (demo.fault, demo.endpoint, demo.files) == (DEFAULT, "/api/search", ("search_service.py", "cache.py"))
    deploy = next(d for d in demo.deploys if d.commit == demo.commit)
    assert deploy.at == datetime(2026, 3, 10, 14, 4, tzinfo=UTC)
    assert demo.onset == datetime(2026, 3, 10, 14, 6, tzinfo=UTC)
    assert draw_fault(0) == load_fault(DEFAULT)


def test_seeds_draw_every_kind() -> None:
    assert len(fault_kinds()) == 6
    assert {draw_fault(seed).kind for seed in range(1, 80)} == set(fault_kinds())


def test_each_kind_has_an_endpoint_files_and_a_time_of_its_own() -> None:
    faults = [load_fault(kind) for kind in fault_kinds()]
    for part in ("endpoint", "files", "deploy_minute", "subject", "runbook"):
        assert len({getattr(f, part) for f in faults}) == 6, part


@given(st.integers(0, 10_000))
def test_a_drawn_fault_keeps_its_bounds(seed: int) -> None:
    fault = draw_fault(seed)
    assert 8 * 60 <= fault.deploy_minute <= 18 * 60
    assert 1 <= fault.onset_minutes <= 4
    assert all(effect.lead_minutes < fault.onset_minutes for effect in fault.effects)
    assert abs(fault.deploy_minute - load_fault(fault.kind).deploy_minute) <= 90


@pytest.mark.parametrize("kind", fault_kinds())
def test_a_fault_changes_a_few_lines_of_the_files_it_names(kind: str) -> None:
    fault, tree = load_fault(kind), read_tree()
    overlay = Path(TREE).parent / "faults" / kind / "tree"
    assert {p.relative_to(overlay).as_posix() for p in overlay.rglob("*") if p.is_file()} == set(fault.files)
    for path, text in fault.contents().items():
        before = set(tree.get(path, "").splitlines())
        assert 1 <= sum(line not in before for line in text.splitlines()) <= 45


# --- the repository -------------------------------------------------------------------------------------------


def test_the_fault_is_one_commit_and_not_the_last(demo: Demo) -> None:
    assert sorted(git(demo.repo, "show", "--name-only", "--format=", demo.commit)) == sorted(demo.files)
    later = git(demo.repo, "rev-list", f"{demo.commit}..main")
    assert 1 <= len(later) <= 2
    for commit in later:
        (stamp,) = git(demo.repo, "show", "-s", "--format=%cI", commit)
        assert demo.onset.date() == datetime.fromisoformat(stamp).date()
        touched = git(demo.repo, "show", "--name-only", "--format=", commit)
        assert touched
        assert all(path.startswith(("docs/", "tests/")) for path in touched)


def test_the_history_is_a_teams(demo: Demo) -> None:
    dates = [datetime.fromisoformat(d) for d in git(demo.repo, "log", "--reverse", "--format=%aI")]
    assert len(dates) >= 25
    assert dates == sorted(dates)
    assert timedelta(days=140) < dates[-1] - dates[0] < timedelta(days=170)
    assert len(set(git(demo.repo, "log", "--format=%an"))) == 5
    assert len(git(demo.repo, "tag")) >= 10
    assert git(demo.repo, "remote") == []
    assert git(demo.repo, "status", "--porcelain") == []
    (retried,) = git(demo.repo, "log", "--format=%s", "-S429, 500", "--", "payments/client.py")
    assert retried == "Retry on 429"


def test_every_version_of_every_python_file_compiles() -> None:
    history = load_history(draw_fault(0), NOW - DAY)
    for commit in history.commits:
        for path, text in commit.files.items():
            if path.endswith(".py"):
                compile(text, f"{commit.subject}: {path}", "exec")


def test_the_checkout_is_the_tree_with_the_fault_in_it(demo: Demo) -> None:
    expected = {**read_tree(), **load_fault(demo.fault).contents()}
    tracked = git(demo.repo, "ls-files")
    assert {path: (demo.repo / path).read_text(encoding="utf-8") for path in tracked} == expected


def test_the_same_moment_and_seed_give_the_same_demo(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\nname = X\n[core]\nautocrlf = true\n[commit]\ngpgsign = true\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    again = build_demo(tmp_path / "again", NOW)
    monkeypatch.delenv("GIT_DIR")
    assert again.commit == demo.commit
    assert git(again.repo, "rev-parse", "HEAD", "v1.42.0") == git(demo.repo, "rev-parse", "HEAD", "v1.42.0")
    assert again.openmetrics.read_bytes() == demo.openmetrics.read_bytes()
    assert again.deploys == demo.deploys


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(0, 500),
)
def test_whenever_it_is_the_fault_was_deployed_yesterday(now: datetime, seed: int) -> None:
    fault = draw_fault(seed)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    deployed_at = midnight - DAY + timedelta(minutes=fault.deploy_minute)
    history = load_history(fault, deployed_at)
    commit = history.commits[history.fault_index]
    assert commit.deployed_at == deployed_at
    assert history.commits[-1].at < midnight
    tagged = [c for c in history.commits if c.tag and c.deployed_at >= midnight - DAY]
    assert tagged == [commit]
    assert all(neighbour.at < midnight for neighbour in history.neighbours)


def test_an_edit_that_does_not_fit_is_named() -> None:
    tree = {"a.py": "x = 2\n"}
    good = {"subject": "Two", "adds": ["a.py"], "edits": [{"path": "a.py", "was": "x = 1\n", "now": "x = 2\n"}]}
    assert replay([good], tree) == [{"a.py": "x = 2\n"}]
    bad = {**good, "edits": [{"path": "a.py", "was": "", "now": "x = 3\n"}]}
    with pytest.raises(HistoryMismatch, match=r"Two: a\.py does not hold once"):
        replay([bad], tree)
    with pytest.raises(HistoryMismatch, match=r"no commit introduces a\.py"):
        replay([{"subject": "None"}], tree)
    with pytest.raises(HistoryMismatch, match="introduced twice"):
        replay([{"subject": "A", "adds": ["a.py"]}, {"subject": "B", "adds": ["*.py"]}], tree)
    with pytest.raises(HistoryMismatch, match="no file nowhere"):
        replay([{"subject": "A", "adds": ["nowhere"]}], tree)


# --- the folder -----------------------------------------------------------------------------------------------


def test_an_older_demo_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "old").write_text("old")
    built = build_demo(folder, NOW, 3)
    assert sorted(p.name for p in folder.iterdir()) == ["ahead.txt", "metrics.txt", "rules.yml", "shop"]
    assert [p.name for p in tmp_path.iterdir() if p.name != "home"] == ["demo"]
    assert built.docs.is_dir()


def test_a_build_that_fails_leaves_the_old_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "old").write_text("old")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable, match="git is not installed"):
        build_demo(folder, NOW)
    assert [p.name for p in folder.iterdir()] == ["old"]
    assert [p.name for p in tmp_path.iterdir() if p.name != "home"] == ["demo"]


def test_now_needs_a_time_zone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="time zone"):
        build_demo(tmp_path / "demo", datetime(2026, 3, 11))  # noqa: DTZ001


# --- deploys, documents, rules --------------------------------------------------------------------------------


def test_deploys_are_commits_of_the_repository(demo: Demo) -> None:
    own = [d for d in demo.deploys if d.service == "shop"]
    assert [d.at for d in demo.deploys] == sorted(d.at for d in demo.deploys)
    for deploy in own:
        (commit,) = git(demo.repo, "rev-parse", f"{deploy.version}^{{commit}}")
        assert commit == deploy.commit
    assert len([d for d in own if d.at > NOW - 10 * DAY]) >= 4
    assert [d.commit for d in own if d.at.date() == demo.onset.date()] == [demo.commit]
    assert any(d.service != "shop" and d.at.date() == demo.onset.date() for d in demo.deploys)


def headings(path: Path) -> list[str]:
    return [line.lstrip("#").strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("kind", fault_kinds())
def test_the_runbook_section_exists_among_others(kind: str) -> None:
    fault = load_fault(kind)
    path, _, heading = fault.runbook.partition("#")
    found = headings(TREE / path)
    assert heading in found
    assert len(found) >= 6
    assert f"`{fault.endpoint}`" in (TREE / path).read_text(encoding="utf-8")


def test_links_in_documents_lead_somewhere() -> None:
    documents = sorted((TREE / "docs").rglob("*.md"))
    assert 12 <= len(documents) <= 20
    links = 0
    for document in [*documents, TREE / "README.md"]:
        for target in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
            path, _, fragment = target.partition("#")
            linked = (document.parent / path).resolve() if path else document
            assert linked.is_file(), f"{document.name}: {target}"
            assert not fragment or fragment in map(anchor, headings(linked)), f"{document.name}: {target}"
            links += 1
    assert links > 15


def test_rules_are_valid_and_described(demo: Demo) -> None:
    (promtool,) = need("promtool")
    checked = subprocess.run([promtool, "check", "rules", str(demo.rules)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    described = (demo.docs / "alerting.md").read_text(encoding="utf-8")
    rules = [rule for group in read_rules() for rule in group["rules"]]
    loaded = yaml.safe_load(demo.rules.read_text(encoding="utf-8"))["groups"]
    assert [r for group in loaded for r in group["rules"]] == rules
    for rule in rules:
        assert f"`{rule['alert']}`" in described
        assert (demo.repo / rule["annotations"]["runbook_url"]).is_file()
