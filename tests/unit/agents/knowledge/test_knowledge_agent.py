"""Knowledge quotes what is written: as the answer when a passage holds all that is asked, else as what lies near."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.agent_rules import playbook
from tests.support.each_row import each_row
from workers.agents import knowledge
from workers.contracts import Evidence, Fact, Intent, Landscape, Plan, Question
from workers.engine.assemble import with_quote
from workers.language.stop_words import content_words
from workers.ports import Brief, Playbook
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 27, tzinfo=UTC)
SABBATICAL = "The sabbatical policy: three months off after five years, asked for half a year ahead."


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Playbook:
    return playbook(load_settings(home=tmp_path_factory.mktemp("home")), "knowledge")


def ask(text: str) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW)


def passage(key: str, title: str, text: str) -> Evidence:
    facts = {
        "title": Fact(value=title),
        "heading": Fact(value=title),
        "passage": Fact(value=text),
        "quote": Fact(value=text),
    }
    return Evidence(id=key, kind="doc", title=title, locator=f"{title}.md", excerpt=text, facts=facts)


def brief(text: str, *evidence: Evidence) -> Brief:
    plan = Plan(pattern="knowledge", query_intent="q", steps=())
    return Brief(ask(text), Intent(question_type="conceptual"), plan, Landscape(), evidence, ())


def written(known: Playbook, text: str, *evidence: Evidence) -> tuple[str, list[tuple[str, ...]]]:
    draft = knowledge.write_answer(brief(text, *evidence), known)
    return draft.headline.template, [c.evidence for c in draft.docs]


def test_a_passage_with_all_that_is_asked_is_the_answer(known: Playbook) -> None:
    other = passage("E1", "Travel", "Trains before planes.")
    found, _ = written(known, "what is the sabbatical policy?", other, passage("E2", "Sabbatical", SABBATICAL))
    assert "{E2." in found


def test_one_with_some_of_it_is_only_near(known: Playbook) -> None:
    found, docs = written(
        known, "what is the sabbatical policy of interns in Oslo?", passage("E2", "Sabbatical", SABBATICAL)
    )
    assert found.startswith("Nearest: ")
    assert docs == []


def test_what_speaks_of_something_else_is_not_shown(known: Playbook) -> None:
    found, docs = written(known, "who repairs the coffee machine?", passage("E2", "Sabbatical", SABBATICAL))
    assert found.startswith("I found nothing")
    assert docs == []


def test_it_plans_only_with_the_tools_that_are_there(known: Playbook) -> None:
    intent = knowledge.read_intent(ask("vacation?"), Landscape(), NOW, known)
    steps = knowledge.make_plan(ask("vacation?"), intent, Landscape(), known).steps
    assert {step.tool for step in steps} == {"doc_search", "repo_search", "memory_search"}
    assert all(step.args["query"] == "vacation?" for step in steps)


# --- the sentence first -----------------------------------------------------------------------------------------

GLOSSARY = """# Words of the mill

Words that only the millers use.

**Sluice.** The gate that lets water in. It opens upwards.

- **Tail race:** where the water leaves; an eel lives there.

The millers open a sluice every morning.
"""
NOTE = "---\ndate: {day}\n---\n# Depth of the pond\n\n{said}\n"


def quoted(item: Evidence, text: str) -> Evidence:
    return with_quote(item, content_words(text))


def section(key: str, text: str) -> Evidence:
    facts = {"title": Fact(value="Words"), "path": Fact(value="words.md", unit="path")}
    return Evidence(id=key, kind="doc", title="Words", locator="words.md", excerpt=text, facts=facts)


def note(key: str, day: str, said: str) -> Evidence:
    facts = {"title": "pond", "heading": "Depth of the pond", "date": day, "path": f"{day}-pond.md"}
    told = {name: Fact(value=value, entity=day) for name, value in facts.items()}
    text = NOTE.format(day=day, said=said)
    return Evidence(id=key, kind="note", title="pond", locator=f"{day}-pond.md", excerpt=text, facts=told)


@each_row(
    "text, term, begins",
    [
        ("what is a sluice", "Sluice", "Sluice: The gate that lets water in."),
        ("was ist ein tail race", "Tail race", "Tail race: where the water leaves;"),
        ("where does the eel live", "", "Tail race: where the water leaves; an eel lives there."),
        ("who opens it every morning", "", "The millers open a sluice every morning."),
    ],
)
def test_the_sentence_that_answers_comes_first(text: str, term: str, begins: str) -> None:
    found = quoted(section("E1", GLOSSARY), text)
    assert str(found.facts["passage"].value).startswith(begins)
    assert ("term" in found.facts) == bool(term)
    assert not term or found.facts["term"].value == term


def test_what_explains_a_term_leads_before_what_only_speaks_of_it(known: Playbook) -> None:
    text = "what is a sluice?"
    speaks = quoted(passage("E1", "Sluice repair", "The sluice of the mill is painted with tar in May."), text)
    found, _ = written(known, text, speaks, quoted(section("E2", GLOSSARY), text))
    assert found.startswith("*{E2.")
    found, _ = written(known, "what is the colour of the sluice?", speaks, quoted(section("E2", GLOSSARY), text))
    assert "{E2." not in found, "its colour is not what a sluice is"


def test_two_notes_of_one_heading_are_told_with_both_days_the_newest_first(known: Playbook) -> None:
    text = "how deep is the pond?"
    old, new = (
        note("E1", "2026-01-05", "The pond is three metres deep."),
        note("E2", "2026-06-01", "Now it is two metres."),
    )
    found, _ = written(known, text, quoted(old, text), quoted(new, text))
    places = [found.index(slot) for slot in ("{E2.date}", "{E2.passage}", "{E1.date}", "{E1.passage}")]
    assert places == sorted(places)
    same, _ = written(
        known, text, quoted(old, text), quoted(note("E2", "2026-06-01", "The pond is three metres deep."), text)
    )
    assert not ("{E1." in same and "{E2." in same), "they say the same"
