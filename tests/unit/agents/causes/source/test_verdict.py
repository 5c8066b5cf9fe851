"""Who did it, who did not, and that no change did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.incident_files import (
    CULPRIT,
    DECOY,
    LOOPED,
    ONSET,
    STYLE,
    at,
    commit,
    deploy,
    log_pattern,
    write_incident,
)
from workers.agents.causes.source.bundle import read_bundle
from workers.agents.causes.source.verdict import Verdict, reach_verdict
from workers.errors import ConfigError


def verdict(folder: Path, **changes: Any) -> Verdict:
    return reach_verdict(read_bundle(write_incident(folder, **changes)))


def against(found: Verdict, name: str) -> str:
    candidate = next(c for c in found.candidates if c.name == name)
    return "; ".join(r.text for r in candidate.reasons if r.weight < 0)


def test_the_change_that_can_do_it_is_named_not_the_latest(tmp_path: Path) -> None:
    found = verdict(tmp_path)
    assert found.commit == CULPRIT
    assert "moves or renames" in against(found, DECOY)
    assert "only documents" in against(found, STYLE)
    assert found.symptoms.incident.alert.service == "quote"


def test_what_was_deployed_after_the_onset_did_not_do_it(tmp_path: Path) -> None:
    late = [deploy(CULPRIT, ONSET + 20)]
    found = verdict(tmp_path, deploys=late)
    assert found.commit == "none"
    assert "after the onset" in against(found, CULPRIT)


def test_a_deploy_may_name_its_commit_by_a_short_sha(tmp_path: Path) -> None:
    found = verdict(tmp_path, deploys=[deploy(CULPRIT[:8], ONSET + 20)])
    assert "deployed after the onset" in against(found, CULPRIT)


def test_more_requests_where_they_come_in_explain_it(tmp_path: Path) -> None:
    file = write_incident(tmp_path, commits=[], deploys=[]) / "metrics.csv"
    lines = file.read_text().splitlines()
    grown = [line.rsplit(",", 1)[0] + ",2100" if "shopfront" in line and line >= at(ONSET) else line for line in lines]
    file.write_text("\n".join(grown))
    found = reach_verdict(read_bundle(tmp_path))
    assert found.cause is not None
    assert found.cause.kind == "traffic"


def test_what_a_provider_tells_explains_it(tmp_path: Path) -> None:
    lines = [log_pattern("POST https://api.cards.example.com/pay returned 503", 800)]
    status = {"incidents": [{"name": "Elevated errors on pay", "status": "investigating", "started_at": at(ONSET - 1)}]}
    found = verdict(tmp_path, patterns=lines, commits=[], deploys=[], card_status=status)
    assert found.cause is not None
    assert (found.cause.kind, found.cause.name) == ("upstream", "api.cards.example.com")


def test_two_that_fit_are_told_as_two(tmp_path: Path) -> None:
    commits = [commit(sha, 40, "refactor: build", "services/quote/build.py", LOOPED) for sha in (CULPRIT, DECOY)]
    deploys = [deploy(CULPRIT, 45), deploy(DECOY, 45)]
    found = verdict(tmp_path, commits=commits, deploys=deploys)
    assert found.cause is not None
    assert len(found.rivals) == 1


def test_without_anything_nothing_is_blamed(tmp_path: Path) -> None:
    found = verdict(tmp_path, commits=[], deploys=[], patterns=[], traces=[], metrics=None)
    assert found.cause is None
    assert found.confidence <= 0.6


def test_a_folder_without_an_alert_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"alert\.json"):
        read_bundle(tmp_path)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    found = read_bundle(write_incident(tmp_path, commits="[{"))
    assert found.commits == ()
    assert "commits.json" in found.unread[0]


def test_what_was_taken_back_before_the_onset_did_not_do_it(tmp_path: Path) -> None:
    before = deploy(STYLE, ONSET - 200)
    found = verdict(tmp_path, deploys=[before, deploy(CULPRIT, ONSET - 100), deploy(STYLE, ONSET - 60)])
    assert "took it back before the onset" in against(found, CULPRIT)
    assert found.commit != CULPRIT


def test_a_deploy_told_within_the_exactness_of_the_onset_counts_as_before_it(tmp_path: Path) -> None:
    found = verdict(tmp_path, deploys=[deploy(CULPRIT, ONSET + 1)])
    assert "after the onset" not in against(found, CULPRIT)


SLOWED = """--- a/services/quote/prices.py
+++ b/services/quote/prices.py
@@ -4,2 +4,2 @@ def prices(basket):
-    timeout = 300
+    timeout = 1
"""


@pytest.mark.parametrize(
    ("file", "first"), [("services/quote/parcel_prices.py", True), ("services/quote/prices.py", False)]
)
def test_what_an_earlier_deploy_brought_stands_behind_the_last_one_that_names_the_endpoint(
    tmp_path: Path, file: str, first: bool
) -> None:
    near = "e" * 40
    commits = [
        commit(CULPRIT, 1, "Fetch parcel by parcel", "services/quote/parcel.py", LOOPED),
        commit(near, ONSET - 6, "Wait less", file, SLOWED.replace("services/quote/prices.py", file)),
        commit(STYLE, ONSET - 5, "Translate parcel", "locales/parcel.po", "+msgstr 'Paket'\n"),
    ]
    deploys = [deploy(CULPRIT, 2, "1"), deploy(near, ONSET - 4, "2")]
    alert = {
        "service": "quote",
        "metric": "http_server_duration_p99_ms",
        "summary": "p99 of /api/parcel above 800 ms",
        "fired_at": at(ONSET + 4),
    }
    found = verdict(tmp_path, commits=commits, deploys=deploys, alert=alert)
    order = [c.name for c in found.candidates if c.kind == "commit"]
    assert (order[0] == near) is first
    assert order[-1] == STYLE
