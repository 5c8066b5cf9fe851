"""``oracle token``: a token is shown once, opens the API, and can be ended."""

from __future__ import annotations

from pathlib import Path

from tests.scenario.conftest import Oracle
from workers.store.api_tokens import user_of
from workers.store.database import open_database


def test_a_token_from_its_making_to_its_end(oracle: Oracle, home: Path) -> None:
    made = oracle("token", "create", "T1/U1", "--name", "laptop", home=home)
    assert made.code == 0
    token = made.out.strip()
    database = open_database(f"sqlite:///{home}/oracle.db")
    assert user_of(database, token) == "T1/U1"
    (listed,) = oracle("token", "list", "--json", home=home).json
    assert (listed["user_id"], listed["name"], listed["revoked_at"]) == ("T1/U1", "laptop", "")
    assert token not in oracle("token", "list", home=home).out
    assert oracle("token", "revoke", listed["id"], home=home).code == 0
    assert user_of(database, token) == ""
    database.close()


def test_mistakes_are_one_sentence(oracle: Oracle, home: Path) -> None:
    for args, says in ((("create",), "say for whom"), (("revoke", "none"), "no living token has the id 'none'")):
        ran = oracle("token", *args, home=home)
        assert ran.code == 2
        assert says in ran.err
        assert len(ran.err.strip().splitlines()) == 1
