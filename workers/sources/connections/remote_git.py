"""git against another machine: one protocol, no prompts, no hooks, a deadline, credentials from the environment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import IO

from workers.errors import ToolUnavailable
from workers.settings.remote_addresses import TOKEN, Remote, credential, variable
from workers.sources.git import environment

Progress = Callable[[str, int], None]
"""Told what git does (``receiving``, ``resolving``, ``checking out``) and how far it is, in percent."""
PHASES = {"Receiving objects": "receiving", "Resolving deltas": "resolving", "Updating files": "checking out"}
PROGRESS = re.compile(rf"({'|'.join(PHASES)}):\s+(\d{{1,3}})%")
SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "http.lowSpeedLimit=500",
    "http.lowSpeedTime=60",
    "protocol.version=2",
)
SSH = "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
PASSED = ("GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CAINFO")
ASKPASS = """#!/bin/sh
# Answers git from the environment, for one server only.
case "$1" in
  "Username for '$ORACLE_GIT_SERVER': ") printf '%s\\n' "$ORACLE_GIT_USER" ;;
  "Password for '${ORACLE_GIT_SERVER%%://*}://"*"@${ORACLE_GIT_SERVER#*://}': ") printf '%s\\n' "$ORACLE_GIT_TOKEN" ;;
  *) exit 1 ;;
esac
"""
NEEDS = re.compile(r"could not read (Username|Password)|terminal prompts disabled|unable to read askpass")
REFUSED = re.compile(r"Authentication failed|HTTP Basic: Access denied|The requested URL returned error: 40[13]")
NOISE = ("hint:", "warning:", "Please make sure you have the correct access rights", "and the repository exists")
VAGUE = re.compile(r"early EOF|index-pack failed|invalid index-pack output|hung up unexpectedly|could not fetch")
SAID_CHARS = 200


@dataclass(frozen=True)
class GitAccess:
    """How one remote is reached: its address, and the variables that git runs with. The token is in ``env`` alone."""

    remote: Remote
    address: str
    name: str
    env: Mapping[str, str]
    secret: str = ""


def open_access(remote: Remote, address: str, name: str, folder: Path) -> GitAccess:
    """Take credentials from the environment. ``folder``: where the program that hands them to git is written."""
    user, token = credential(remote, name, os.environ)
    allowed = {"https": "https", "http": "http:https"}.get(remote.scheme, remote.scheme)
    env = environment() | {"GIT_ALLOW_PROTOCOL": allowed, "GIT_LFS_SKIP_SMUDGE": "1", "GIT_ASKPASS": "/bin/false"}
    env["GIT_SSH_COMMAND"] = os.environ.get("GIT_SSH_COMMAND", SSH)
    env |= {name: os.environ[name] for name in PASSED if name in os.environ}
    if token:
        env["GIT_ASKPASS"] = str(write_askpass(folder))
        env |= {"ORACLE_GIT_SERVER": f"{remote.scheme}://{remote.server}"}
        env |= {"ORACLE_GIT_USER": user, "ORACLE_GIT_TOKEN": token}
    return GitAccess(remote, address, name, env, token)


def write_askpass(folder: Path) -> Path:
    """The program that git asks for a user and a token. It holds neither."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "askpass"
    if not path.is_file() or path.read_text(encoding="utf-8") != ASKPASS:
        unseen = folder / f".askpass.{os.getpid()}"
        unseen.write_text(ASKPASS, encoding="utf-8")
        unseen.chmod(0o700)
        unseen.replace(path)
    return path


def run_remote(
    access: GitAccess,
    args: Sequence[str],
    *,
    at: Path | None = None,
    timeout_s: float,
    progress: Progress | None = None,
    keep: int | None = None,
) -> bytes:
    """Run git and return its output.

    Args:
        access: of the remote.
        args: what git is to do.
        at: the repository; None for none.
        timeout_s: then git and all it started are killed.
        progress: told how far it is.
        keep: a file descriptor that git keeps open as long as it runs: a lock.

    Raises:
        ToolUnavailable: git failed, took too long, or is not installed; the sentence holds no credentials.
    """
    place = ["-C", str(at), "-c", f"safe.directory={at}"] if at else []
    own = ("credential.helper=",) if access.secret else ()  # no helper is asked, and none keeps our token
    command = ["git", *place, *(word for one in (*SAFE, *own) for word in ("-c", one)), *args]
    late: list[bool] = []
    with started(command, access.env, () if keep is None else (keep,)) as process:

        def stop() -> None:
            late.append(True)
            end(process)

        timer = Timer(timeout_s, stop)
        timer.daemon = True
        timer.start()
        try:
            said, out = read_both(process, progress)
            code = process.wait()
        finally:
            timer.cancel()
    if late:
        raise ToolUnavailable(f"git {args[0]} took longer than {timeout_s:g} s")
    if code:
        raise ToolUnavailable(sentence(access, said, code))
    return out


@contextmanager
def started(command: Sequence[str], env: Mapping[str, str], keep: tuple[int, ...]) -> Iterator[subprocess.Popen[bytes]]:
    """git in a process group of its own, which ends with the block.

    Raises:
        ToolUnavailable: git is not installed.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            pass_fds=keep,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise ToolUnavailable("git is not installed") from error
    with process:
        try:
            yield process
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill git and what it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def read_both(process: subprocess.Popen[bytes], progress: Progress | None) -> tuple[list[str], bytes]:
    """The last lines git said, and its output; neither pipe can fill and block."""
    if process.stdout is None or process.stderr is None:
        raise ValueError("git was started without pipes")
    out: list[bytes] = []
    reader = Timer(0, lambda stream: out.append(stream.read()), (process.stdout,))
    reader.daemon = True
    reader.start()
    said = read_progress(process.stderr, progress)
    reader.join()
    return said, b"".join(out)


def read_progress(stream: IO[bytes], progress: Progress | None) -> list[str]:
    """The last lines of what git says, without its progress, which is told."""
    last: deque[str] = deque(maxlen=20)
    rest = b""
    while chunk := stream.read1(4_096):  # type: ignore[attr-defined]
        *whole, rest = re.split(rb"[\r\n]", (rest + chunk)[-100_000:])
        for line in [*whole]:
            text = line.decode("utf-8", "replace").strip()
            found = PROGRESS.search(text)
            if found and progress:
                progress(PHASES[found[1]], min(int(found[2]), 100))
            elif text and not found:
                last.append(text)
    return [*last, rest.decode("utf-8", "replace").strip()]


def sentence(access: GitAccess, said: Sequence[str], code: int) -> str:
    """Why git failed, for people: printable, short, without credentials."""
    text = "\n".join(said)
    if NEEDS.search(text):
        return f"it asks for credentials: set {variable(TOKEN, access.name)} or {variable(TOKEN, access.remote.host)}"
    if access.secret and REFUSED.search(text):
        return "it refuses the token"
    plain = [line for line in said if line and not line.startswith(NOISE)]
    fatal = [line for line in plain if line.startswith(("fatal:", "ERROR:", "remote: fatal:", "remote: ERROR:"))]
    clear = [line for line in fatal if not VAGUE.search(line)]
    told = next(iter(clear or fatal or plain[-1:]), "")
    told = re.sub(r"^(remote: )?(fatal|ERROR): *", "", told)
    if access.secret:
        told = told.replace(access.secret, "…")
    told = re.sub(r"://[^/@\s]*@", "://", "".join(c if c.isprintable() else " " for c in told))
    return told[:SAID_CHARS] or f"git ended with {code}"
