"""A real model behind the Messages API: llama.cpp's server (xllamacpp) in a process of its own on a free loopback port.

xllamacpp is no dependency of the project: ``pip install xllamacpp`` beside it. Weights are any GGUF file.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.support.real_servers import free_port

READY_S = 120.0
MISSING = "xllamacpp is not installed in this environment: pip install xllamacpp (34 MB, no compiler needed)"


class CannotServe(Exception):
    """The server cannot be started; the text says what to do."""


@dataclass(frozen=True)
class Llama:
    """A running server. ``url`` is what a client of the Messages API takes as its base URL."""

    url: str
    log: Path

    def counters(self) -> dict[str, float]:
        """The server's own counters: ``prompt_tokens_total``, ``tokens_predicted_seconds_total``, …"""
        lines = httpx.get(f"{self.url}/metrics", timeout=30).text.splitlines()
        pairs = (line.rpartition(" ") for line in lines if line.startswith("llamacpp:"))
        return {name.removeprefix("llamacpp:"): float(value) for name, _, value in pairs}


@contextmanager
def run_llama(
    weights: Path, log: Path, *, context: int = 16_384, threads: int = 2, template: Path | None = None
) -> Iterator[Llama]:
    """Serve a model until the block ends.

    Args:
        weights: a GGUF file.
        log: where the server's own words go.
        context: tokens of one conversation; two are held side by side.
        threads: that compute; more than there are idle cores make it slower by far.
        template: a chat template instead of the one in the weights, as for tool calls.

    Raises:
        CannotServe: no xllamacpp, no weights, or the server ended at once.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise CannotServe(MISSING)
    if not weights.is_file():
        raise CannotServe(f"{weights}: no such file; it takes the weights of a model as one GGUF file")
    port = free_port()
    command = [sys.executable, "-m", "bench.llama", str(weights), str(port), "--context", str(context)]
    command += ["--threads", str(threads)]
    command += ["--template", str(template)] if template else []
    with log.open("wb") as out, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out) as process:
        try:
            wait_ready(f"http://127.0.0.1:{port}", process, log)
            yield Llama(f"http://127.0.0.1:{port}", log)
        finally:
            process.kill()


def wait_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the weights are loaded. Raises: CannotServe: the process ended, or it takes too long."""
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise CannotServe(f"the model's server ended at once; its last words:\n{log.read_text()[-2_000:]}")
        try:
            if httpx.get(f"{url}/health", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise CannotServe(f"the model's server was not ready within {READY_S:g} s; see {log}")


def serve(weights: str, port: int, context: int, threads: int, template: str) -> None:
    """Serve, in this process, until standard input ends: the parent is gone then."""
    import xllamacpp  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - only this process has it

    slots = 2
    given = xllamacpp.CommonParams()
    given.model.path = weights
    given.hostnames, given.port = ["127.0.0.1"], port
    given.n_ctx, given.n_parallel = context * slots, slots
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    given.use_jinja = True
    given.endpoint_metrics = True
    if template:
        given.chat_template = Path(template).read_text(encoding="utf-8")
    server = xllamacpp.Server(given)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.llama")
    parser.add_argument("weights")
    parser.add_argument("port", type=int)
    parser.add_argument("--context", type=int, default=16_384)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--template", default="")
    options = parser.parse_args()
    serve(options.weights, options.port, options.context, options.threads, options.template)
