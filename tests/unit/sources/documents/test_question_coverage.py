"""Whether documents answer at all, and what is said where that is doubtful."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.each_row import each_row
from workers.search import DocIndex
from workers.sources.code.logistic_model import read_chances
from workers.sources.code.question_coverage import LIKELY_CHANCE
from workers.sources.documents.question_coverage import DOUBT, WEIGHTS, judge
from workers.sources.documents.ranking import score_sections
from workers.sources.terms.query_terms import read_query

PAGES = {
    "queue.md": "# The queue\n\nJobs wait in Redis until a worker takes them.\n\n## Retries\n\nA job that fails is"
    " tried again after a pause, five times at most.\n\n## Draining\n\nRun `drain.sh` and wait until no job is left.\n",
    "deploy.md": "# Deploying\n\nPush a tag. The pipeline builds the image and rolls it out.\n\n## Rolling back\n\n"
    "Push the last good tag again; customers see no error meanwhile. The ledger of tags stands in the wiki.\n",
    "alerts.md": "# Alerts\n\n## QueueTooLong\n\nMore than a thousand jobs wait. Look at the workers first; does one\n"
    "hang?\n"
    "\n## SearchSlow\n\nThe latency of search is above a second. Look at the cache.\n",
    "office.md": "# Who is who\n\nThe platform team looks after the queue, the shop team after customers and"
    " payments.\n",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> DocIndex:
    place = tmp_path_factory.mktemp("pages")
    for name, text in PAGES.items():
        (place / "docs").mkdir(exist_ok=True)
        (place / "docs" / name).write_text(text)
    return DocIndex.build(place / "docs", place / "index")


@each_row(
    "asked, heading",
    [
        ("How often is a failed job tried again?", "Retries"),
        ("How do I roll back to the last good tag?", "Rolling back"),
        ("What does QueueTooLong mean?", "QueueTooLong"),
        ("why is /api/search slow", "SearchSlow"),
        ("what does drain.sh do", "Draining"),
        ("drain.sh", "Draining"),
        ("jobs wait for workers in scheduler.py", "The queue"),
    ],
)
def test_what_documents_answer(pages: DocIndex, asked: str, heading: str) -> None:
    found = pages.find(asked)
    assert found.coverage.covered
    assert heading in [hit.heading for hit in found.hits]


@each_row(
    "asked",
    [
        "How do I rotate the Kafka certificates?",
        "Where is the vacation policy?",
        "why is /api/invoices slow",
        "scheduler.py",
        "RetryPolicy",
        "ZeppelinClient and GondolaPool",
    ],
)
def test_what_they_do_not(pages: DocIndex, asked: str) -> None:
    found = pages.find(asked)
    assert not found.coverage.likely
    assert all(hit.score < LIKELY_CHANCE / DOUBT for hit in found.hits)


def test_words_that_stand_apart_are_doubtful_at_best(pages: DocIndex) -> None:
    assert pages.find("How is the customers' ledger reconciled with payments?").coverage.chance < DOUBT


def test_things_that_stand_nowhere_are_named(pages: DocIndex) -> None:
    assert pages.find("How many workers take jobs from RabbitMQ?").coverage.missing == ("RabbitMQ",)
    assert pages.find("Who calls ZeppelinClient when a job fails?").coverage.missing == ("ZeppelinClient",)


def test_the_chance_follows_the_trained_features(pages: DocIndex) -> None:
    query = read_query("How often is a failed job tried again?", prose=True)
    scores, rarity = score_sections(pages.sections, query)
    features = judge(pages, pages.sections, query, scores, rarity).features
    assert set(features) == set(read_chances(WEIGHTS).names)
    assert LIKELY_CHANCE < read_chances(WEIGHTS).of(features) == pages.find(query.text).coverage.chance
    nothing = judge(pages, pages.sections, query, np.zeros_like(scores), rarity).features
    assert read_chances(WEIGHTS).of(nothing) < read_chances(WEIGHTS).of(features)


def test_a_name_that_is_found_leaves_no_doubt(pages: DocIndex) -> None:
    assert pages.find("something with deploy.md").coverage.chance == 1.0 > DOUBT
