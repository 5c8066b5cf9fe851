"""Makefile, continuous integration, Procfile, Compose and Docker files say what is true."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.cli.commands import load_command
from workers.settings.load import ROOT
from workers.store.database import open_database

ORACLE = Path(sys.executable).with_name("oracle")
PINS = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def check_command(words: list[str]) -> None:
    """The command exists, and knows the options it is given."""
    assert words[0] == "oracle"
    known = {option for parameter in load_command(words[1]).params for option in parameter.opts}
    assert [w for w in words[2:] if w.startswith("--") and w.partition("=")[0] not in known] == []


def test_the_program_is_installed() -> None:
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run([ORACLE, "worker", "--help"], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    options = {option for parameter in load_command("worker").params for option in parameter.opts}
    assert [option for option in options if option.startswith("--") and option not in done.stdout] == []


def test_procfile_commands_exist() -> None:
    lines = (ROOT / "Procfile").read_text().splitlines()
    assert lines
    for line in lines:
        name, _, command = line.partition(": ")
        assert re.fullmatch(r"[a-z]+", name)
        check_command(shlex.split(command))


def test_compose_commands_exist() -> None:
    entrypoint = next(json.loads(line.partition(" ")[2]) for line in DOCKERFILE if line.startswith("ENTRYPOINT"))
    ours = {name: s for name, s in COMPOSE["services"].items() if s.get("build")}
    assert ours.keys() == {line.partition(":")[0] for line in (ROOT / "Procfile").read_text().splitlines()}
    for service in ours.values():
        check_command([*entrypoint, *service["command"]])
        test = service["healthcheck"]["test"]
        assert test[0] == "CMD"
        if test[1] == "oracle":
            check_command(test[1:])
    check_command([*entrypoint, *next(json.loads(x.partition(" ")[2]) for x in DOCKERFILE if x.startswith("CMD"))])


def test_compose_is_closed_and_complete() -> None:
    services = COMPOSE["services"]
    assert all("healthcheck" in s for s in services.values())
    ports = [str(p) for s in services.values() for p in s.get("ports", [])]
    assert [p for p in ports if not p.startswith("127.0.0.1:")] == []
    named = {v.partition(":")[0] for s in services.values() for v in s.get("volumes", [])} - {"${SOURCES", "${CONFIG"}
    assert named == COMPOSE["volumes"].keys()
    assert all(d in services for s in services.values() for d in s.get("depends_on", {}))


def test_compose_addresses_are_those_of_the_services_it_starts() -> None:
    environment = COMPOSE["services"]["worker"]["environment"]
    url = open_database(re.sub(r"\$\{\w+:\?[^}]*\}", "word", environment["DATABASE_URL"])).engine.url
    postgres = COMPOSE["services"]["postgres"]["environment"]
    assert (url.host, url.username, url.database) == ("postgres", postgres["POSTGRES_USER"], postgres["POSTGRES_DB"])
    assert re.fullmatch(r"redis://redis:6379/\d", environment["REDIS_URL"])


def test_compose_passes_every_variable_that_the_configuration_reads() -> None:
    """But for those that only other ways to start need: a log file, and Slack's address in tests."""
    read = {name for path in (ROOT / "config").glob("*.yaml") for name in re.findall(r"\$\{(\w+)", path.read_text())}
    for service in ("bot", "worker", "indexer", "beat"):
        given = COMPOSE["services"][service]["environment"].keys()
        assert read - given == {"ORACLE_LOG_FILE", "SLACK_API_URL"}


def test_compose_sets_no_password_and_refuses_to_start_without_one() -> None:
    services = COMPOSE["services"].values()
    values = [f"{name}={value}" for s in services for name, value in s.get("environment", {}).items()]
    needed = [v for v in values if "POSTGRES_PASSWORD" in v]
    assert needed
    assert all(re.search(r"\$\{POSTGRES_PASSWORD:\?[a-zA-Z_ ]{20,}\}", v) for v in needed)
    secret = re.compile(r"\w*(?:TOKEN|SECRET|PASSWORD|KEY)=(?!\$\{\w+:-\}$|\$\{\w+:\?[^}]+\}$)")
    assert [v for v in values if secret.match(v)] == []


def test_compose_gives_containers_no_rights_they_do_not_need() -> None:
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["read_only"] is True
        assert not service.get("privileged")
        assert name == "postgres" or not service.get("cap_add")


def test_image_copies_what_exists_and_is_not_left_out() -> None:
    ignored = {line.rstrip("/") for line in (ROOT / ".dockerignore").read_text().splitlines()}
    sources = [w for line in DOCKERFILE if line.startswith("COPY") for w in line.split()[1:-1]]
    assert {"bot", "workers", "config", "pyproject.toml", "constraints.txt"} <= set(sources)
    assert [s for s in sources if not (ROOT / s).exists() or s in ignored] == []


def test_everything_is_pinned_without_addresses() -> None:
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+", line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(d for extra in project["optional-dependencies"].values() for d in extra)]
    pinned = {normal(line.partition("==")[0]) for line in PINS}
    assert {normal(re.split(r"[\[<>=!~; ]", d)[0]) for d in wanted} - pinned == set()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def make(*args: str, path: str | None = None, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")} | ({"PATH": path} if path else {})
    return subprocess.run(
        ["/usr/bin/make", *args], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_run_and_chat_pass_the_users_own_sources_on() -> None:
    sources = ["REPO=one two's", "DOCS=notes", "PROMETHEUS=http://127.0.0.1:9090"]
    for target, command in (("run", "up"), ("chat", "chat")):
        last = make("-n", "-o", ".venv/installed", target, *sources).stdout.strip().splitlines()[-1]
        expected = f"oracle {command} --repo one --repo two's --docs notes --prometheus http://127.0.0.1:9090"
        assert shlex.split(last)[1:] == [".venv/bin/oracle", *shlex.split(expected.replace("'", r"\'"))[1:]]


def test_run_without_sources_opens_the_local_slack() -> None:
    lines = make("-n", "-o", ".venv/installed", "run").stdout.strip().splitlines()
    assert lines[-1].split() == ["exec", ".venv/bin/oracle", "up"]


def test_old_python_is_refused_in_one_sentence(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    write_program(programs / "git", "exit 0")
    write_program(programs / "python3", "exit 1")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    done = make(".venv/bin/python", path=str(programs), folder=tmp_path)
    assert done.returncode != 0
    assert done.stderr.splitlines()[0].startswith("Python 3.11 or newer with its venv module is needed")


def test_missing_git_is_said(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    done = make(".venv/bin/python", path=str(tmp_path / "bin"), folder=tmp_path)
    assert done.stderr.splitlines()[0].startswith("git is needed")


@pytest.fixture
def ci(tmp_path: Path) -> Path:
    """A machine whose programs only write down how they were called."""
    log = tmp_path / "calls"
    write_program(tmp_path / "dpkg-query", '[ "${!#}" = redis-server ] && echo -n installed')
    write_program(tmp_path / "sudo", 'shift; exec "$@"')
    write_program(tmp_path / "make", f'echo "make $* CI=$CI" >> {log}')
    return log


def run_ci(log: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{log.parent}:/usr/bin:/bin"}
    return subprocess.run(
        [ROOT / ".ci" / "run"], env=environment, cwd=log.parent, capture_output=True, text=True, check=False
    )


WANTED = "prometheus prometheus-alertmanager chromium postgresql libgomp1"


def test_ci_installs_what_is_missing_and_runs_all_tests(ci: Path) -> None:
    write_program(ci.parent / "apt-get", f'echo "apt-get $*" >> {ci}')
    done = run_ci(ci)
    assert done.returncode == 0, done.stderr
    assert ci.read_text().splitlines() == [
        f"apt-get install -y -q --no-install-recommends {WANTED}",
        "make test CI=true",
    ]


def test_ci_fetches_the_lists_of_packages_when_they_are_missing(ci: Path) -> None:
    lists = ci.parent / "lists"
    write_program(
        ci.parent / "apt-get",
        f'echo "apt-get $1" >> {ci}; [ "$1" = update ] && touch {lists}; [ -e {lists} ]',
    )
    assert run_ci(ci).returncode == 0
    assert ci.read_text().splitlines() == ["apt-get install", "apt-get update", "apt-get install", "make test CI=true"]


def test_ci_fails_when_a_server_cannot_be_installed(ci: Path) -> None:
    write_program(ci.parent / "apt-get", f'echo "apt-get $1" >> {ci}; [ "$1" = update ]')
    assert run_ci(ci).returncode != 0
    assert "make" not in ci.read_text()


def test_links_in_documents_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "bench" / "README.md"]
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
        if not link.startswith(("http://", "https://")) and not (page.parent / link).exists()
    ]
    assert missing == []
