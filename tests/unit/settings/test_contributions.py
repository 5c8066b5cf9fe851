"""What families bring beside agents, tools and settings."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from workers.settings.contributions import Contribution, find_contributions, own_contributions
from workers.settings.families import CONTRIBUTED


def test_everything_that_a_slice_declares_can_be_loaded() -> None:
    for kind, found in own_contributions().items():
        assert kind in {*CONTRIBUTED, "tables"}
        for one in found:
            assert one.load() is not None, one
            assert one.summary.endswith("."), one


def test_a_package_brings_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wharf.py").write_text("def tide() -> str:\n    return 'high'\n")
    about = tmp_path / "wharf-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: wharf\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text("[oracle.commands]\ntide = wharf:tide\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    found = {one.name: one for one in find_contributions("commands")}
    assert found["tide"] == Contribution("tide", "wharf:tide", "Of wharf 1.2.", "wharf 1.2")
    assert found["tide"].load()() == "high"
