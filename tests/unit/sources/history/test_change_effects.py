"""What a diff can do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.history.change_effects import effects_of


def effects(diff: str, *files: str) -> str:
    found = effects_of(files or ("service/main.go",), diff)
    return found.inert or "; ".join(found.kinds)


@each_row(
    "diff, told",
    [
        ("-\tif order.Coupon == nil {\n-\t\treturn 0\n-\t}\n \treturn order.Coupon.Value", "drops the condition"),
        ("-timeout: 30s\n+timeout: 200ms", "30s” to “timeout: 200ms"),
        ("-\tttl := 10 * time.Minute\n+\tttl := 10 * time.Second", "changes “ttl"),
        ('-  key = row["customer"]\n+  key = row["client"]', 'changes "customer" to "client"'),
        ("-    rows = db.load_all(ids)\n+    for i in ids:\n+        rows.append(db.load(i))", "calls load in a loop"),
        ("-SELECT id FROM jobs LIMIT 50\n+SELECT id FROM jobs", "drops LIMIT"),
        ('-  "threads": false,\n+  "threads": true,', 'changes “"threads": false,” to “"threads": true,”'),
        ("-a = fetch(b)\n-return a\n+return fetch(b)", "moves or renames"),
    ],
)
def test_what_a_change_does_is_told(diff: str, told: str) -> None:
    assert told in effects(diff)


@each_row("file", ["docs/api.md", "web/button.css", "pkg/retry/backoff_test.go", "tests/test_x.py"])
def test_documents_styles_and_tests_do_nothing(file: str) -> None:
    assert "only documents, tests or styles" in effects("+x = 1", file)


@pytest.mark.parametrize("file", ["requirements.txt", "web/package.json", "go.sum"])
def test_versions_of_dependencies_are_told_as_such(file: str) -> None:
    assert "versions of dependencies" in effects("-left==1.0\n+left==2.0", file)


def test_a_condition_that_is_kept_in_a_helper_is_not_dropped() -> None:
    diff = "-\tif r.Low < -5 || r.Low > 5 {\n-\t\treturn errRange(r.Low)\n-\t}\n+\treturn inRange(r.Low, -5, 5)"
    assert "drops the condition" not in effects(diff)


@given(st.text(alphabet="+-@ abc01(){}\"'\n=<>:", max_size=300), st.lists(st.text(max_size=20), max_size=3))
def test_any_diff_is_read(diff: str, files: list[str]) -> None:
    found = effects_of(tuple(files), diff)
    assert 0 <= found.strength <= 1


def test_a_file_without_a_suffix_after_a_document_counts() -> None:
    diff = "diff --git a/README.md b/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-Old\n+New\n"
    diff += "diff --git a/Dockerfile b/Dockerfile\n--- a/Dockerfile\n+++ b/Dockerfile\n@@ -1 +1 @@\n"
    diff += '-CMD ["serve", "--workers=50"]\n+CMD ["serve", "--workers=1"]\n'
    found = effects_of(("README.md", "Dockerfile"), diff)
    assert "50" in " ".join(found.kinds)


def test_versions_imports_and_tests_in_a_mixed_commit_do_nothing() -> None:
    diff = "+++ b/tests/test_a.py\n@@ -1 +1 @@\n-limit = 5\n+limit = 900\n"
    diff += (
        '+++ b/shop/a.py\n@@ -1 +1 @@\n-import shop.fast\n+import shop.slow\n-VERSION = "1.2.3"\n+VERSION = "1.2.4"\n'
    )
    found = effects_of(("tests/test_a.py", "shop/a.py"), diff)
    assert found.strength < 0.5
