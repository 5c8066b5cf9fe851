import sqlite3
import time
import unittest

from db.pool import ConnectionPool, PoolExhausted
from metrics import Instruments


def pool(size: int = 2, wait_seconds: float = 0.05, lease_seconds: float = 9.0) -> ConnectionPool:
    return ConnectionPool(
        "main",
        lambda: sqlite3.connect(":memory:", check_same_thread=False),
        Instruments("shop"),
        size=size,
        wait_seconds=wait_seconds,
        lease_seconds=lease_seconds,
    )


class PoolTest(unittest.TestCase):
    def test_a_connection_comes_back_after_an_error(self) -> None:
        connections = pool(size=1)
        with self.assertRaises(ValueError), connections.connection():
            raise ValueError
        with connections.connection() as connection:
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_waits_and_then_says_so(self) -> None:
        connections = pool(size=1)
        with connections.connection(), self.assertRaises(PoolExhausted):
            connections.acquire()

    def test_an_overdue_connection_is_replaced(self) -> None:
        connections = pool(size=1, wait_seconds=1.0, lease_seconds=0.02)
        kept = connections.acquire()
        time.sleep(0.03)
        with connections.connection() as other:
            self.assertIsNot(other, kept)
        connections.release(kept)
        with self.assertRaises(sqlite3.ProgrammingError):
            kept.execute("SELECT 1")


if __name__ == "__main__":
    unittest.main()
