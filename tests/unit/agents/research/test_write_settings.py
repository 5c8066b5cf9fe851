"""The value of a setting in each environment, each with its line, and nothing where another setting may be meant."""

from __future__ import annotations

from dataclasses import replace

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import brief
from workers.agents.research.write_code_places import write_values
from workers.contracts import Evidence, Fact, Intent
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice

SETTING = "payments.retry.max_attempts"


def place(key: str, path: str, line: int, value: str, environment: str = "", setting: str = SETTING) -> Evidence:
    facts = {
        "setting": Fact(value=setting, entity=path),
        "setting_value": Fact(value=value, entity=setting),
        "setting_place": Fact(value=f"{path}:{line}", unit="lines", entity=path),
        "start_line": Fact(value=line, unit="line"),
        "end_line": Fact(value=line, unit="line"),
        "path": Fact(value=path, unit="path"),
    }
    facts |= {"environment": Fact(value=environment, entity=path)} if environment else {}
    excerpt = f"{setting.rpartition('.')[2]}: {value}"
    return Evidence(id=key, kind="code", title=setting, locator=f"{path}:{line}", excerpt=excerpt, facts=facts)


LIVE = place("E1", "config/production.yaml", 31, "5", "production")
TEST = place("E2", "config/staging.yaml", 4, "1", "staging")
DEFAULT = place("E3", "payments/client.py", 25, "3")


def headline(text: str, *found: Evidence) -> str:
    given = brief(evidence=found, gaps=(), intent=Intent(question_type="locate_code"))
    given = replace(given, question=given.question.model_copy(update={"text": text, "context": ()}))
    draft = write_values(given)
    if draft is None:
        return ""
    answer, struck = check_grounding(draft, found, Voice(NOW, "UTC"), (), known=text, asked=text)
    assert not struck
    return answer.headline.text


def test_each_environment_and_the_default_with_their_lines() -> None:
    assert headline("how many retries do payments get?", LIVE, TEST, DEFAULT) == (
        "`payments.retry.max_attempts` is `5` in production (config/production.yaml:31), `1` in staging "
        "(config/staging.yaml:4) and `3` by default (payments/client.py:25)."
    )


def test_the_environment_that_is_asked_for_leads_and_its_lack_is_said() -> None:
    assert "is `1` in staging" in headline("how many retries do payments get in staging?", LIVE, TEST, DEFAULT)
    none = headline("how many retries do payments get in production?", DEFAULT)
    assert none.endswith("I found nothing that sets it for production.")


def test_words_that_stand_nowhere_are_of_another_setting() -> None:
    assert headline("how many retries do zebra feeders of the aviary get?", LIVE, DEFAULT) == ""


def test_who_asks_for_no_value_gets_none() -> None:
    assert headline("why are payments retried?", LIVE, DEFAULT) == ""


def test_a_switch_and_a_number_decide_a_question_for_yes_or_no() -> None:
    on = place("E1", "config/production.yaml", 31, "true", "production", setting="payments.retry.enabled")
    assert headline("are payment retries on in production?", on).startswith("Yes: ")
    assert headline("are payment retries disabled in production?", on).startswith("No: ")
    assert headline("are payment attempts 5 in production?", LIVE, DEFAULT).startswith("Yes: ")
    assert headline("are payment attempts 4 in production?", LIVE, DEFAULT).startswith("No: ")
    assert headline("are payment retries 5 in production?", LIVE, DEFAULT).startswith("`payments")  # attempts are not
    against = place("E1", "config/production.yaml", 31, "true", "production", setting="payments.disable_retry")
    assert headline("are payment retries on in production?", against).startswith("`payments")
    assert headline("are payment retries on in production?", DEFAULT).startswith("payments/client.py:25")
