"""Write the bill of materials of an installation as CycloneDX JSON: ``python sbom.py constraints.txt hashes/dev.txt``.

Of every pinned package its version and its address in the registry, and the SHA-256 of every file that may be installed
of it. Only the standard library is used, so that it can be made before anything is installed.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PIN = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def main(paths: list[str]) -> None:
    """Print it."""
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        read_pins(Path(path).read_text(encoding="utf-8"), found)
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    sys.stdout.write(json.dumps(describe(project["name"], project["version"], found), indent=2) + "\n")


def read_pins(text: str, found: dict[str, dict[str, Any]]) -> None:
    """Add the pins of a requirements file, by normalised name; hashes that follow a pin are its own."""
    name = ""
    for line in text.splitlines():
        if pin := PIN.match(line):
            name = re.sub(r"[-_.]+", "-", pin[1]).lower()
            known = found.setdefault(name, {"version": pin[2], "hashes": []})
            if known["version"] != pin[2]:
                raise SystemExit(f"{name}: pinned to {known['version']} and to {pin[2]}; make pins writes both anew")
        for sha256 in HASH.findall(line):
            if sha256 not in found[name]["hashes"]:
                found[name]["hashes"].append(sha256)


def describe(name: str, version: str, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """CycloneDX 1.5. The files of a package, one a platform, stand as its parts, each with its hash."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": name, "version": version}},
        "components": [component(package, found[package]) for package in sorted(found)],
    }


def component(name: str, pinned: dict[str, Any]) -> dict[str, Any]:
    """One package."""
    version = pinned["version"]
    files = [{"type": "distribution", "url": f"https://pypi.org/project/{name}/{version}/"}]
    hashes = [{"alg": "SHA-256", "content": one} for one in pinned["hashes"]]
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "externalReferences": [{**files[0], "hashes": hashes}] if hashes else files,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
