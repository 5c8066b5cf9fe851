import tempfile
import unittest
from pathlib import Path

from settings import SettingsError, load_settings, read_yaml


class SettingsTest(unittest.TestCase):
    def test_every_environment_loads(self) -> None:
        for environment in ("development", "production", "test"):
            self.assertGreater(load_settings(environment).get("database.pool.size"), 0)

    def test_production_tries_payments_more_often(self) -> None:
        self.assertGreater(load_settings("production").get("payments.retry.max_attempts"), 3)

    def test_values(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.yaml"
            path.write_text("a: 1  # one\nb:\n  c: 0.5\n  d: [429, 503]\ne: 'text'\nf: true\n")
            expected = {"a": 1, "b": {"c": 0.5, "d": [429, 503]}, "e": "text", "f": True}
            self.assertEqual(read_yaml(path), expected)

    def test_mistakes(self) -> None:
        with self.assertRaises(SettingsError):
            load_settings("nowhere")
        with self.assertRaises(SettingsError):
            load_settings("test").get("payments.colour")


if __name__ == "__main__":
    unittest.main()
