"""config/*.yaml -> Settings: layers, where each value came from, and every mistake named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from workers.errors import ConfigError
from workers.settings.load import ROOT, Settings, load_settings, merge


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ORACLE_CONFIG."""
    folder = tmp_path / "extra"
    folder.mkdir()
    monkeypatch.setenv("ORACLE_CONFIG", str(folder))
    return folder


@pytest.fixture
def at_home(home: Path) -> Path:
    """The folder ORACLE_HOME/config."""
    folder = home / "config"
    folder.mkdir()
    return folder


def problems(**overrides: Any) -> tuple[str, ...]:
    """What is wrong, without the folders of the files."""
    with pytest.raises(ConfigError) as caught:
        load_settings({k.replace("__", "."): v for k, v in overrides.items()})
    parts = [p.partition(": ") for p in caught.value.problems]
    return tuple(f"{os.path.basename(place)}{sep}{rest}" for place, sep, rest in parts)  # noqa: PTH119 - may end in :12


def mistakes() -> tuple[str, ...]:
    """What is wrong, if anything."""
    try:
        load_settings()
    except ConfigError as error:
        return error.problems
    return ()


def test_shipped_configuration_is_right(home: Path) -> None:
    settings = load_settings()
    assert settings.home == home
    assert settings.core.default_agent in settings.tree.agents
    assert settings.database_url == f"sqlite:///{home}/oracle.db"
    assert set(settings.tree.agents["research"].tools) <= set(settings.tree.tools)


def test_later_layers_win_key_by_key(at_home: Path, extra: Path) -> None:
    (at_home / "oracle.yaml").write_text("timezone: Europe/Berlin\nlimits: {question_chars: 500}\n")
    (extra / "oracle.yaml").write_text("timezone: Asia/Tokyo\n")
    settings = load_settings({"oracle.log_user_text": "hash"})
    assert settings.core.timezone == "Asia/Tokyo"
    assert settings.core.limits.question_chars == 500
    assert settings.core.limits.context_messages == 50
    assert settings.core.log_user_text == "hash"


def test_lists_are_replaced_whole(at_home: Path, extra: Path) -> None:
    (at_home / "oracle.yaml").write_text("repositories: [{path: a}, {path: b}]\n")
    (extra / "oracle.yaml").write_text("repositories: [{path: c}]\n")
    assert [r.path for r in load_settings().core.repositories] == ["c"]


def test_home_may_be_given(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "config").mkdir(parents=True)
    (other / "config" / "oracle.yaml").write_text("timezone: Asia/Tokyo\n")
    settings = load_settings(home=other)
    assert (settings.home, settings.core.timezone) == (other, "Asia/Tokyo")


def test_each_value_knows_where_it_came_from(at_home: Path, extra: Path) -> None:
    (at_home / "oracle.yaml").write_text("# first\ntimezone: Europe/Berlin\nprometheus:\n  timeout_ms: 300\n")
    (extra / "oracle.yaml").write_text("secrets:\n  - one\n  - two\n")
    settings = load_settings({"oracle.default_agent": "research"})
    assert settings.where("oracle.timezone") == f"{at_home}/oracle.yaml:2"
    assert settings.where("oracle.prometheus.timeout_ms") == f"{at_home}/oracle.yaml:4"
    assert settings.where("oracle.secrets.1") == f"{extra}/oracle.yaml:3"
    assert settings.where("oracle.default_agent") == "command line"
    assert settings.where("oracle.prometheus.timeout_ms.deeper") == f"{at_home}/oracle.yaml:4"
    assert settings.where("nothing.of.this") == "default"
    assert settings.where("tools.repo_search.module").rpartition(":")[0].endswith("config/tools.yaml")


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        ("log_file: ${A}", {"A": "/x"}, "/x"),
        ("log_file: a-${A}-${B:-c}", {"A": "1"}, "a-1-c"),
        ("log_file: ${A:-}", {}, ""),
        ("log_file: ${A:-d}", {"A": ""}, "d"),
        ('log_file: "$HOME costs $5"', {}, "$HOME costs $5"),
    ],
)
def test_environment_variables(
    extra: Path, monkeypatch: pytest.MonkeyPatch, text: str, environment: dict[str, str], expected: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (extra / "oracle.yaml").write_text(text)
    assert load_settings().core.log_file == expected


def test_number_from_the_environment_is_a_number(extra: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATIENCE", "250")
    (extra / "oracle.yaml").write_text("prometheus: {timeout_ms: '${PATIENCE}', headers: {X: 'n ${PATIENCE}'}}\n")
    assert load_settings().core.prometheus.timeout_ms == 250
    assert load_settings().core.prometheus.headers == {"X": "n 250"}


def test_value_of_a_variable_is_never_read_as_yaml(extra: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIL", "!!python/object/apply:os.system ['x']")
    (extra / "oracle.yaml").write_text("log_file: ${EVIL}\n")
    assert load_settings().core.log_file == "!!python/object/apply:os.system ['x']"


MISTAKES = [
    ("oracle", "timezon: x\n", "oracle.yaml:1: timezon: unknown key"),
    ("oracle", "limits:\n  question_chars: 5\n", "oracle.yaml:2: limits.question_chars: must be at least 100, and"),
    ("oracle", "limits: 5\n", "oracle.yaml:1: limits: must be a mapping of keys, and is 5"),
    ("oracle", "log_user_text: some\n", "oracle.yaml:1: log_user_text: must be 'full', 'redacted' or 'hash', and is"),
    ("oracle", "\nrepositories:\n  - {name: x}\n", "oracle.yaml:3: repositories.0: give either path (a folder on"),
    ("oracle", "repositories:\n  - {path: a, url: https://h/a}\n", "oracle.yaml:2: repositories.0: give either path"),
    ("oracle", "repositories:\n  - {url: 'ext::sh -c id'}\n", "oracle.yaml:2: repositories.0.url: it holds a blank"),
    ("oracle", "repositories:\n  - {url: ftp://h/a}\n", "oracle.yaml:2: repositories.0.url: ftp:// is not used; https"),
    ("oracle", "repositories:\n  - {url: https://a:s3cret@h/a}\n", "oracle.yaml:2: repositories.0.url: it holds a p"),
    ("oracle", "documents:\n  - {name: x}\n", "oracle.yaml:2: documents.0: give path (a folder), repository (an add"),
    ("oracle", "documents:\n  - {path: a, branch: b}\n", "oracle.yaml:2: documents.0.branch: it goes with repository"),
    ("oracle", "documents:\n  - {repository: 'git@h:a', path: ../b}\n", "oracle.yaml:2: documents.0.path: with rep"),
    ("oracle", "documents:\n  - {site: ftp://h/}\n", "oracle.yaml:2: documents.0.site: it must begin with https:// or"),
    ("oracle", "documents:\n  - {site: https://h/, path: a}\n", "oracle.yaml:2: documents.0: give either path or site"),
    ("oracle", "timezone: ${NOT_SET}\n", "oracle.yaml:1: oracle.timezone: environment variable NOT_SET is not set"),
    ("oracle", "timezone: a\nsecrets: []\ntimezone: b\n", "oracle.yaml:3: oracle.timezone stands twice"),
    ("oracle", "timezone: [a\n", "oracle.yaml:2: not YAML"),
    ("oracle", "limits:\n\tuser_per_hour: 3\n", "oracle.yaml:2: not YAML (a tab indents it: indent with blanks)"),
    ("oracle", "timezone: Berln\n", "oracle.yaml:1: timezone: 'Berln' is not an IANA name such as Europe/Berlin"),
    ("oracle", "a: b: c\n", "oracle.yaml:1: not YAML"),
    ("oracle", "- a\n", "oracle.yaml: must be a mapping of keys"),
    ("oracle", "timezone: !!python/name:os.system\n", "oracle.yaml:1: oracle.timezone: cannot be read"),
    ("oracle", "limits:\n  question_chars: !!int x\n", "oracle.yaml:2: oracle.limits.question_chars: cannot be read"),
    ("oracle", "timezone: 2026-13-45\n", "oracle.yaml:1: oracle.timezone: cannot be read (month must be in 1..12)"),
    ("oracle", "secrets: &x [*x]\n", "oracle.yaml:1: not YAML (aliases (*name) are not used here)"),
    ("oracle", "secrets: " + "[" * 3_000 + "]" * 3_000, "oracle.yaml: nested too deeply"),
    ("oracle", "default_agent: nobody\n", "oracle.yaml:1: default_agent: no agent named 'nobody' in agents.yaml"),
    ("tools", "repo_search:\n  timeout_ms: 1\n", "tools.yaml:2: repo_search.timeout_ms: must be at least 10, and is 1"),
    ("tools", "new_one: {}\n", "tools.yaml:1: new_one.module: is required"),
    ("tools", "repo_search: {enabled: false}\n", "agents.yaml:"),
    (
        "agents",
        "research:\n  tools:\n    - repo_search\n    - doc_search\n    - metrics_query\n    - shell\n",
        "agents.yaml:6: research.tools: no tool named 'shell' in tools.yaml",
    ),
    ("agents", "research: {overflow: maybe}\n", "agents.yaml:1: research.overflow: must be 'log' or 'stop', and is"),
]


@pytest.mark.parametrize(("file", "text", "expected"), MISTAKES)
def test_mistake_is_named_with_file_line_and_key(extra: Path, file: str, text: str, expected: str) -> None:
    (extra / f"{file}.yaml").write_text(text)
    assert any(p.startswith(expected) for p in problems()), problems()


def test_all_mistakes_at_once(extra: Path) -> None:
    (extra / "oracle.yaml").write_text("timezon: x\nlimits: {question_chars: 5}\n")
    (extra / "tools.yaml").write_text("repo_search: {colour: red}\n")
    assert len(problems()) == 3


def test_mistake_on_the_command_line_is_named() -> None:
    assert problems(oracle__prometheus__timeout_ms="soon") == (
        "command line: prometheus.timeout_ms: must be a whole number, and is 'soon'",
    )


@pytest.mark.parametrize("name", ["tool.yaml", "agents.yml", "extra.yaml"])
def test_unknown_files_are_not_ignored(extra: Path, name: str) -> None:
    (extra / name).write_text("{}\n")
    known = "oracle.yaml, tools.yaml, agents.yaml, patterns.yaml, models.yaml, access.yaml"
    assert problems() == (f"{name}: unknown file; known are {known}",)


def test_folder_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_CONFIG", "/no/such/folder")
    assert problems() == ("ORACLE_CONFIG: /no/such/folder is not a folder",)


def test_file_that_is_not_text(extra: Path) -> None:
    (extra / "oracle.yaml").write_bytes(b"\xff\xfe\x00")
    (problem,) = problems()
    assert problem.startswith("oracle.yaml: cannot be read")


def test_huge_file_is_refused(extra: Path) -> None:
    (extra / "oracle.yaml").write_text("# " + "x" * 1_000_000)
    assert problems() == ("oracle.yaml: larger than 1,000,000 characters",)


def test_empty_file_changes_nothing(extra: Path) -> None:
    before = load_settings().tree
    (extra / "oracle.yaml").write_text("# nothing\n")
    assert load_settings().tree == before


def test_database_address_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://oracle@db/oracle")
    assert load_settings().database_url == "postgresql://oracle@db/oracle"


def test_settings_are_read_only(home: Path) -> None:
    settings: Settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.core.timezone = "UTC"  # type: ignore[misc]


TREES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from(["oracle", "tools", "agents", "patterns"]), tree=TREES)
def test_any_yaml_is_settings_or_named_mistakes(extra: Path, file: str, tree: Any) -> None:
    path = extra / f"{file}.yaml"
    path.write_text(yaml.safe_dump(tree), encoding="utf-8")
    named = mistakes()
    path.unlink()
    assert all(f"{file}.yaml" in p or "agents.yaml" in p or "patterns.yaml" in p for p in named)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_settings_or_named_mistakes(extra: Path, raw: bytes) -> None:
    (extra / "oracle.yaml").write_bytes(raw)
    assert all("oracle.yaml" in p for p in mistakes())


@given(st.dictionaries(st.sampled_from("abc"), TREES), st.dictionaries(st.sampled_from("abc"), TREES))
def test_overlay_keeps_what_it_does_not_name(base: dict[str, Any], layer: dict[str, Any]) -> None:
    import copy

    merged = copy.deepcopy(base)
    merge(merged, layer)
    assert merged.keys() == base.keys() | layer.keys()
    for key in base.keys() - layer.keys():
        assert merged[key] == base[key]
    for key, value in layer.items():
        if not (isinstance(value, dict) and isinstance(base.get(key), dict)):
            assert merged[key] == value


def test_project_folder_holds_the_base_layer() -> None:
    assert (ROOT / "config" / "oracle.yaml").is_file()


def test_several_workspaces_need_all_that_oauth_needs(home: Path) -> None:
    one = {"oracle__slack__client_id": "1.2", "oracle__slack__client_secret": "s"}
    assert problems(oracle__slack__client_id="1.2") == (
        "oracle.yaml:16: slack.client_secret is empty, but slack.client_id is set",
    )
    assert [p.split(": ", 1)[1] for p in problems(**one)] == [
        "slack.public_url is empty: several workspaces need an https:// address that Slack can reach",
        "slack.teams is empty: several workspaces need the ids of those that may install the app "
        "(SLACK_TEAMS=T0123,E0456, or any)",
        "slack.signing_secret is empty: several workspaces need the app's signing secret",
    ]
    both = {"public_url": "https://oracle.example.com", "signing_secret": "s", "teams": "any"}
    keys = {k.replace("__", "."): v for k, v in one.items()} | {f"oracle.slack.{k}": v for k, v in both.items()}
    assert load_settings(keys).core.slack.client_id == "1.2"


@pytest.mark.parametrize(
    ("given", "teams"),
    [
        ("", ()),
        ("T1", ("T1",)),
        (" T0123, E0456 ,", ("T0123", "E0456")),
        (["T1", "E2"], ("T1", "E2")),
        ("any", ("any",)),
    ],
)
def test_teams_as_a_list_or_as_a_variable_has_them(home: Path, given: Any, teams: tuple[str, ...]) -> None:
    assert load_settings({"oracle.slack.teams": given}).core.slack.teams == teams


def test_teams_from_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_TEAMS", "T0123,E0456")
    assert load_settings().core.slack.teams == ("T0123", "E0456")


@pytest.mark.parametrize("given", ["acme", "T1,acme", "*", "t1", ["U1"], 7])
def test_a_team_that_is_none_is_named(home: Path, given: Any) -> None:
    (problem,) = problems(oracle__slack__teams=given)
    assert "slack.teams" in problem


def test_people_of_other_companies_are_refused_unless_the_settings_say_so(home: Path) -> None:
    assert load_settings().core.slack.outsiders == "refuse"
    (problem,) = problems(oracle__slack__outsiders="ask")
    assert "slack.outsiders" in problem
