"""What is said without being asked: greetings, thanks, "ok", "help". A short reply, and nothing is looked up."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

EMOJI, MARKS = re.compile(r":[a-z0-9_+-]+:"), re.compile(r"[^\w\s]+")
TO_WHOM = r"(?:oracle|there|all|everyone|everybody|team|folks|bot|again|too|then|so|well(?! done)|and|please|pls|now)"
HELLO = (
    r"(?:hi|hiya|hello|hey|howdy|yo|good (?:morning|afternoon|evening|day)|morning|how are you(?: doing)?(?: today)?)"
)
THANKS = (
    r"(?:(?:many )?(?:thanks|thank you|thx|ty|cheers|much appreciated|appreciate it)(?: a (?:lot|bunch|ton|million)| so much| very much)?"
    r"(?: for (?:the |your |that |this )?(?:quick )?(?:help|answer|info|reply|explanation|that|this|it))?|"
    r"(?:that|this|it)(?: s| is| was)? (?:very |really |so |super )?(?:helped|helps|helpful|useful|great|perfect|good|it|all)|good (?:job|bot|one)|well done|you(?: re| are) (?:great|the best|welcome))"
)
HEARD = (
    r"(?:ok(?:ay|ey)?|k+|great|cool|nice(?: one)?|perfect|awesome|fine|good|(?:i )?got it|understood|i see|makes sense|sounds good|alright|"
    r"right|sure|yes|yep|yeah|no|nope|done|never ?mind|nvm|forget it|bye|good ?bye|see you|lol|ha(?:ha)+)"
)
HELP = (
    r"(?:help(?: me)?|i need help|test|ping|are you (?:there|up|alive)|commands?|what (?:can|do|could) you (?:do|know|answer|help(?: me)? with)(?: for (?:me|us))?|"
    r"what (?:can|may|should) (?:i|we|one) ask(?: you)?(?: about)?|what (?:kind of|sort of)? ?questions (?:can|may|do) (?:i|we|you) (?:ask|answer)(?: you)?|"
    r"who are you|what are you|how do you work|how do i use (?:you|this|oracle)|how can you help(?: me| us)?)"
)
QUESTION = re.compile(r"[?？]")


ADDRESSED = re.compile(rf"(?:{TO_WHOM} )*")


@dataclass(frozen=True)
class Said:
    """Texts of nothing but such phrases, at least one, and whom they are said to; of two that fit the first counts.

    Read phrase by phrase: what was taken is never given back, so that a long text ends. A pattern with possessive parts
    would say the same, but Python before 3.11.5 goes wrong where one of them tries a second word.
    """

    phrase: re.Pattern[str]

    def fullmatch(self, words: str) -> re.Match[str] | None:
        """The last phrase of a text of nothing else; None for every other text."""
        last, at = None, end_of(ADDRESSED, words, 0)
        while found := self.phrase.match(words, at):
            last, at = found, end_of(ADDRESSED, words, found.end())
        return last if at == len(words) else None


def end_of(pattern: re.Pattern[str], words: str, at: int) -> int:
    """Where a pattern ends that fits anywhere, if only with nothing."""
    found = pattern.match(words, at)
    return found.end() if found else at


def said(*phrases: str) -> Said:
    """Texts of these phrases, each with a space after it."""
    return Said(re.compile(rf"(?:{'|'.join(phrases)}) "))


ASKS_HELP, GREETS = said(HELP, HELLO, HEARD), said(HELLO, HEARD)
THANKED, CLOSES = said(THANKS, HELLO, HEARD), said(HEARD)
ASKED = re.compile(rf" (?:{HELP}|{HELLO}) (?:{TO_WHOM} ){{0,20}}\Z")
"""The end of a question that is a courtesy itself: "ok, and how are you?"."""
LOOK = "I look things up and show what I found."
HINT = "Ask me what you want checked; “help” tells what I can look up."
LONGEST = 120  # letters; what is longer says something


def reply_to(text: str, answers: Iterable[str]) -> str:
    """A short reply to words that ask for nothing; empty for everything else.

    Args:
        text: what was said.
        answers: what each agent answers, a sentence each, told to who asks for help.
    """
    if len(text) > LONGEST:
        return ""
    offer = f"{LOOK} What you can ask: {' '.join(answers) or 'whatever you want checked.'}"
    words = words_of(text)
    if not words.strip():
        return HINT
    *asked, _ = QUESTION.split(text)
    if words_of(" ".join(asked)).strip() and not ASKED.search(f" {words_of(' '.join(asked))}"):
        return ""  # "all good?" wants to know
    for told, reply in ((CLOSES, "Fine."), (GREETS, f"Hi. {HINT}"), (THANKED, "You're welcome."), (ASKS_HELP, offer)):
        if told.fullmatch(words):
            return reply
    return ""


def words_of(text: str) -> str:
    """Its words in lower case, each with a space after it."""
    return f"{' '.join(MARKS.sub(' ', EMOJI.sub(' ', text.lower())).split())} "
