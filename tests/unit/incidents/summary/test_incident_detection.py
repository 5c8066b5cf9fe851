"""Which channels hold an incident, and what it is called."""

from __future__ import annotations

import pytest

from workers.incidents.summary.incident_detection import has_marker, is_incident_name, title_of
from workers.settings.load import load_settings
from workers.settings.schema import IncidentSection

PATTERN = IncidentSection().channels
MARKERS = load_settings().core.incidents.markers


@pytest.mark.parametrize("name", ["inc-42", "incident_checkout", "sev1-payments", "outage-eu"])
def test_names_of_incident_channels(name: str) -> None:
    assert is_incident_name(name, PATTERN)


@pytest.mark.parametrize("name", ["", "incidents", "include-me", "team-inc-42", "sevilla-trip", "payments"])
def test_names_of_other_channels(name: str) -> None:
    assert not is_incident_name(name, PATTERN)


def test_markers_in_topics() -> None:
    assert has_marker("🚨 search is down", MARKERS)
    assert has_marker("SEV1: checkout", MARKERS)
    assert not has_marker("What is broken, and who is on it", MARKERS)
    assert not has_marker("anything", ["", " "])


@pytest.mark.parametrize(
    ("name", "topic", "title"),
    [
        ("inc-42-checkout-errors", "Checkout fails with 502", "Checkout fails with 502"),
        ("inc-2026-11-20-checkout-errors", "", "Checkout errors"),
        ("inc-20261120_search", " ", "Search"),
        ("incident-db", "", "Db"),
        ("inc-", "", "inc-"),
    ],
)
def test_titles(name: str, topic: str, title: str) -> None:
    assert title_of(name, topic, PATTERN) == title
