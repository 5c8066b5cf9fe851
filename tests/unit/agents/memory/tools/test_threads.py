"""The tools of a person's own threads and memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.tables import sqlite_tables
from tests.support.thread_entries import NOON, said
from tests.support.toolkit_parts import make_context, make_limits
from workers.agents.memory.source.memories import remember
from workers.contracts import ToolOutput
from workers.settings.load import Settings, load_settings
from workers.store.database import Database, open_database
from workers.store.memories import list_memories
from workers.store.threads import last_entries, merge
from workers.toolkit.tool import Resources
from workers.toolkit.toolbox import WrappedToolbox, build_toolbox

USER, OTHER = "T1/U1", "T1/U2"
NAMES = ("thread_push", "thread_read", "thread_seek", "thread_list", "remember", "forget", "list_memories")


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    yield opened
    opened.close()


@pytest.fixture
def toolbox(database: Database) -> WrappedToolbox:
    loaded = load_settings()
    tree = loaded.tree.model_copy(update={"tools": {n: e for n, e in loaded.tree.tools.items() if n in NAMES}})
    settings = Settings(loaded.home, tree, loaded.origin)
    return build_toolbox(Resources(settings, lambda start, end: (), database=database))


def call(toolbox: WrappedToolbox, name: str, user: str = USER, space: str = "", **args: Any) -> ToolOutput:
    context = replace(make_context(NOON), user=user, space=space)
    return toolbox.open(context, make_limits(tools=NAMES)).call("s", name, args)[1]


def confirm(toolbox: WrappedToolbox, proposed: ToolOutput, user: str = USER) -> ToolOutput:
    """What a person's yes does."""
    (proposal,) = proposed.proposals
    tool = toolbox.tools[proposal.tool].tool
    return tool.run(tool.args.model_validate(proposal.args), replace(make_context(NOON), user=user))


def test_what_a_model_pushes_waits_for_the_person(toolbox: WrappedToolbox, database: Database) -> None:
    proposed = call(toolbox, "thread_push", thread_id="plan", content="three retries", type="decision")
    assert proposed.proposals[0].preview == "three retries"
    assert not last_entries(database, USER, "plan", 10)
    for _ in range(2):
        assert confirm(toolbox, proposed).status == "ok"
    (entry,) = last_entries(database, USER, "plan", 10)
    assert (entry.content, entry.author, entry.type) == ("three retries", "user", "decision")


def test_the_app_s_own_answers_are_no_evidence(toolbox: WrappedToolbox, database: Database) -> None:
    answer = said("a2", "Asked: why is it slow? Answered: the cache is too small", minutes=1, author="oracle")
    merge(database, USER, [], [said("a1", "the cache is too small"), answer])
    (found,) = call(toolbox, "thread_seek", query="is the cache too small?").evidence
    assert found.excerpt == "user: the cache is too small"


def test_remembering_and_forgetting_wait_too(toolbox: WrappedToolbox, database: Database) -> None:
    proposed = call(toolbox, "remember", text="no deploys on Fridays")
    assert not list_memories(database, USER)
    confirm(toolbox, proposed)
    listed = call(toolbox, "list_memories")
    assert [evidence.excerpt for evidence in listed.evidence] == ["no deploys on Fridays"]
    proposed = call(toolbox, "forget", memory="deploys on Fridays")
    assert proposed.proposals[0].preview == "no deploys on Fridays"
    assert list_memories(database, USER)
    confirm(toolbox, proposed)
    assert not list_memories(database, USER)
    assert call(toolbox, "list_memories").status == "empty"


def test_nobody_forgets_for_another(toolbox: WrappedToolbox, database: Database) -> None:
    memory = remember(database, USER, "likes tea")
    assert call(toolbox, "forget", OTHER, memory=str(memory.id)).status == "empty"
    proposed = call(toolbox, "forget", memory=str(memory.id))
    with pytest.raises(Exception, match="remembered of you"):
        confirm(toolbox, proposed, OTHER)
    assert list_memories(database, USER) == (memory,)


def test_what_may_be_another_memory_is_asked_back(toolbox: WrappedToolbox, database: Database) -> None:
    for text in ("The boat key is with Ann.", "The boat is painted on Mondays.", "Ann sings."):
        remember(database, USER, text)
    for named, near in (("the boat", 2), ("the boat engine", 2), ("the dog", 0), ("the painted key", 2)):
        found = call(toolbox, "forget", memory=named)
        assert (found.proposals, len(found.evidence)) == ((), near)
    assert call(toolbox, "forget", memory="the boat key").proposals[0].preview == "The boat key is with Ann."
    assert len(list_memories(database, USER)) == 3


def test_a_hit_is_evidence_with_its_address(toolbox: WrappedToolbox, database: Database) -> None:
    link = "https://team.slack.example/archives/C1/p1"
    talk = [said("one", "what about retries?", speaker="Maya")]
    talk.append(said("two", "we decided on three", minutes=1, url=link, speaker="Tom", type="decision"))
    merge(database, USER, [], talk)
    found = call(toolbox, "thread_seek", query="what was decided")
    (evidence, *_) = found.evidence
    assert (evidence.kind, evidence.url, evidence.locator) == ("message", link, "thread:plan#two")
    assert {name: fact.value for name, fact in evidence.facts.items()} == {
        "author": "Tom",
        "at": "2026-03-04T12:01:00Z",
        "thread": "plan",
        "text": "we decided on three",
        "type": "decision",
    }
    assert evidence.excerpt == "Maya: what about retries?\nTom: we decided on three"
    assert call(toolbox, "thread_seek", OTHER, query="what was decided").status == "empty"


def test_reading_and_listing(toolbox: WrappedToolbox, database: Database) -> None:
    merge(database, USER, [], [said(f"e{n:02}", f"word {n}", minutes=n) for n in range(20)])
    read = call(toolbox, "thread_read", thread_id="plan")
    assert [evidence.excerpt for evidence in read.evidence] == [f"word {n}" for n in range(10, 20)]
    missing = call(toolbox, "thread_read", thread_id="plans")
    assert (missing.status, missing.nearest) == ("empty", ("plan",))
    listed = call(toolbox, "thread_list", status="all")
    assert listed.data["threads"] == [{"thread_id": "plan", "name": "plan", "status": "active", "entries": 20}]
    assert call(toolbox, "thread_list", status="archived").reason == "you have no archived threads"


def test_a_channel_s_thread_that_is_found_there_is_read_there(toolbox: WrappedToolbox, database: Database) -> None:
    merge(database, "T1/C1", [], [said("one", "we decided on three")])
    found = call(toolbox, "thread_seek", space="T1/C1", query="what was decided").data["hits"][0]
    assert call(toolbox, "thread_read", space="T1/C1", thread_id=found["thread_id"]).data["entries"] == 1
    for space in ("", "T1/C2"):
        assert call(toolbox, "thread_read", space=space, thread_id=found["thread_id"]).status == "empty"


@pytest.mark.parametrize("name", NAMES)
def test_without_a_person_nothing_is_told(toolbox: WrappedToolbox, database: Database, name: str) -> None:
    merge(database, USER, [], [said("one", "secret")])
    args = {
        "thread_push": {"thread_id": "plan", "content": "x"},
        "thread_read": {"thread_id": "plan"},
        "thread_seek": {"query": "secret"},
        "remember": {"text": "x"},
        "forget": {"memory": "x"},
    }
    output = call(toolbox, name, "", **args.get(name, {}))
    assert (output.status, output.reason.startswith("it is not known who asks")) == ("error", True)
