"""What asks for nothing is replied to in a sentence; everything else is a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.engine_fakes import NOW
from tests.unit.engine.test_policy import AGENTS, Choice
from workers.contracts import Question
from workers.engine.policy import Policy, choose_route
from workers.engine.small_talk import ASKS_HELP, THANKED, reply_to
from workers.ports import nothing_likely

CODE, MODELS = "Questions on code.", "Model deployments in operation."
BOTH = (CODE, MODELS)


@each_row(
    "text, begins",
    [
        ("thanks", "You're welcome."),
        ("Thank you so much :pray:", "You're welcome."),
        ("ok thanks, that helped!", "You're welcome."),
        ("thanks for the quick answer", "You're welcome."),
        ("hi", "Hi."),
        ("Good morning all!", "Hi."),
        ("hello oracle, how are you?", "Hi."),
        ("help", "I look things up"),
        ("what can you do?", "I look things up"),
        ("hi, what can I ask you?", "I look things up"),
        ("ok", "Fine."),
        ("Perfect, got it", "Fine."),
        ("👍", "Ask me"),
        (":+1:", "Ask me"),
        (":eyes: :pray:", "Ask me"),
        (":pray: thanks!!", "You're welcome."),
        (":tada: perfect", "Fine."),
        ("ok, what can you do?", "I look things up"),
        ("cool, and how are you?", "Hi."),
        ("well done", "You're welcome."),
        ("all right, good bye", "Fine."),
        ("ok thanks", "You're welcome."),
    ],
)
def test_what_asks_for_nothing_gets_a_word_and_who_asks_for_help_what_can_be_asked(text: str, begins: str) -> None:
    reply = reply_to(text, BOTH)
    assert reply.startswith(begins)
    helps = begins == "I look things up"
    assert reply.endswith(f"What you can ask: {CODE} {MODELS}") == helps
    assert reply_to(text, (CODE,)).endswith(CODE) == helps


@each_row(
    "text",
    [
        "hi, is lumen down?",
        "help, checkout is down",
        "ok and yesterday?",
        "thanks, and on west-edge?",
        "why?",
        "what's wrong?",
        "what is up?",
        "is it ok?",
        "status",
        "no, the other one",
        "how does it work?",
        "good p95?",
        "nice to have: a graph of errors",
        "all good?",
        "all ok?",
        "all fine?",
        "all ok now?",
        "right now?",
        "hi all, everything right?",
        "good morning, all good?",
        "all good? thanks",
        "thanks, all fine now? :pray:",
        "ok?!",
    ],
)
def test_a_question_is_none_however_politely_it_begins(text: str) -> None:
    assert reply_to(text, BOTH) == ""


@given(st.text(alphabet="ab ok!?:,.👍thanks hi", max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    reply = reply_to(text, BOTH)
    assert reply == "" or reply.endswith((".", "?"))


@each_row("phrase", ["ok ty ", "all right ", "good morning ", "well done ", "good bye "])
def test_a_phrase_is_read_in_one_way_so_that_a_long_text_ends(phrase: str) -> None:
    assert ASKS_HELP.fullmatch(phrase * 300 + "x") is None
    assert THANKED.fullmatch(phrase * 300 + "x") is None


def test_a_reply_chooses_no_agent_and_plans_nothing() -> None:
    choice = Choice()
    question = Question(request_id="r1", text="thanks!", received_at=NOW)
    chosen = choose_route(question, Policy(AGENTS, "research", "", nothing_likely), choice)
    assert (chosen.task, chosen.tools_allowed, choice.asked) == ("none", (), [])
    assert chosen.notes == "You're welcome."
