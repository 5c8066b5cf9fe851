"""Keys of every form of configuration, and constants of code, with their value, line and environment."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.code.setting_values import environment_of_path, read_configuration, read_constants
from workers.sources.code.syntax_tree import Definition


@each_row(
    "path, text, expected",
    [
        ("config/production.yaml", "pay:\n  retry:\n    max: 5 # more\n", [("pay.retry.max", "5", 3, "production")]),
        ("base.toml", '[pay]\ntimeout = "3s"\n[env.staging.pay]\ntimeout = 4\n',
         [("pay.timeout", "3s", 2, ""), ("env.pay.timeout", "4", 4, "staging")]),
        ("flags.prod.json", '{\n  "a": {\n    "on": true,\n    "b": 1\n  },\n  "c": 2\n}\n',
         [("a.on", "true", 3, "production"), ("a.b", "1", 4, "production"), ("c", "2", 6, "production")]),
        (".env.staging", "export POOL_SIZE=4\n# OFF=1\n", [("POOL_SIZE", "4", 1, "staging")]),
        ("app.properties", "pay.timeout_ms=250\n", [("pay.timeout_ms", "250", 1, "")]),
        ("config/sidekiq.yml", "production:\n  :concurrency: 3\n", [("concurrency", "3", 2, "production")]),
        ("chart/values-prod.yaml", "env:\n  - name: RETRIES\n    value: 5\n  - alert: X\n    for: 5m\nrate: 1\n",
         [("RETRIES", "5", 3, "production"), ("rate", "1", 6, "production")]),
    ],
)  # fmt: skip
def test_keys_of_configuration(path: str, text: str, expected: list[tuple[str, str, int, str]]) -> None:
    found = read_configuration(path, text.splitlines())
    assert [(s.key, s.value, s.line, s.environment) for s in found] == expected


@each_row(
    "line, expected",
    [
        ("MAX_ATTEMPTS = 4", [("MAX_ATTEMPTS", "4")]),
        ("pub const LIMIT: u32 = 8;", [("LIMIT", "8")]),
        ("const TileTTL = 30 * time.Second", [("TileTTL", "30 * time.Second")]),
        ("FIRST: Duration = Duration::from_millis(250);", [("FIRST", "Duration::from_millis(250)")]),
        ("policy = Policy(max_attempts=3, on_timeout=False)", [("max_attempts", "3"), ("on_timeout", "False")]),
        ("# LIMIT = 8", []),
        ("if attempts == 3:", []),
        ("name = compute(4, 5)", []),
    ],
)
def test_constants_of_code(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(s.name, s.value) for s in read_constants("a.py", [line], (1, 1), ())] == expected


def test_a_constant_stands_in_its_definition_and_a_local_variable_is_none() -> None:
    lines = ["POLICY = Policy(", "    tries=3,", ")", "def send():", "    attempt = 0", "    get(timeout=5)"]
    outline = (Definition("POLICY", "constant", 1, 3), Definition("send", "function", 4, 6))
    found = list(read_constants("a.py", lines, (1, 6), outline))
    assert [(s.key, s.inner) for s in found] == [("POLICY.tries", False), ("send.timeout", True)]


@each_row(
    "path, environment",
    [
        ("config/production.yaml", "production"),
        ("deploy/overlays/prod/app.yaml", "production"),
        ("env/sandbox.toml", "sandbox"),
        ("config/non-prod.yaml", "preproduction"),
        ("config/default.yaml", ""),
        ("live_video/settings.yaml", ""),
    ],
)
def test_the_environment_of_a_path(path: str, environment: str) -> None:
    assert environment_of_path(path) == environment
