"""Short messages by what they answer: a suspicion that is denied, a finding that is nodded at, an order."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import itertools
import re
from datetime import timedelta

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import NEAR, SOON, Conversation
from workers.incidents.summary.sentences import lowered
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import LINK, stems_of

LATER = timedelta(minutes=10)
NO = re.compile(r"^\W*(?:nah|naw|no+|nope|negative|nein)\b(?! (?:idea|clue|wait))", re.IGNORECASE)
YES = re.compile(r"^\W*(?:yes|yep|yup|yeah|ya|correct|exactly|indeed|confirm(?:ed)?)\b(?!\W*$)", re.IGNORECASE)
WHICH = re.compile(r"\b(?:who|whose|what|which|why|when|where|how)(?:'s)?\b")
ORDERS = re.compile(
    r"^(?:please |pls |then |now |just |go[:,]? |you can |and )*(?:(?:set (?:\S+ ){1,4}?(?:to|back)|halt|merge|ship (?!it\b)|roll(?! call) (?:(?:\S+ ){0,3}back|(?:it|that|them)\b|\S+ to )|drop (?:the )?\w+|delete|cap|rollback(?=\W*$| (?:it|that|to)\b)|revert|kill|restart|scale|terminate|pause|resume|disable|enable|drain|block|unblock|restore|freeze|purge|flush|flip|bump|redeploy|deploy|push (?!notifications?\b|messages?\b)|reboot|bounce|throttle|isolate|promote|rotate|revoke|reroute|fail (?:\S+ ){0,3}over|turn (?:\S+ ){1,4}?(?:on|off)|switch (?:\S+ ){0,3}?(?:to|off|on|over)"
    r"|stop (?:the|all|every|any|(?!looking|asking|posting|worrying|typing|joking|it)[a-z]+ing)|keep (?!me\b|us\b|you\b|an eye|going|it up|looking|watching|posting|digging|calm)\w+|leave \S+ (?:on|off|up|down|as|for|in|until|till|paused|alone)|hold (?!on\b|up\b|tight\b|my\b|your\b)\w+|shed \w+|release(?=\W*$| (?:the|it|them|all))|(?:\S+ ){1,4}back to \S+|put (?:\S+ ){1,3}back"
    r"|(?:don't|do not|never) (?!worry|panic|know|forget|think|see|have|need|mind|want|get|understand|bother|remember|care|like|worry|tell|post|send)\w+)\b)"
)
"""How whoever leads tells what is to be done with the system."""
SETTLES = re.compile(
    r"(?!(?:ok|right|fine|good|so|see you|until|till|and|but|why|what|how|later|tomorrow|thanks|thx)\b)[\w./-]+(?: [\w./-]+){0,4} then\W*$"
)
"""How a choice is made in a few words."""
SPELLED = 220
"""Characters of a decision with what follows it."""
GO = re.compile(
    r"^(?:(?:yes|yep|ok|right|please|pls)\W+)?(?:do (?:it|that|the \w+)|go (?:ahead|for it)|go(?![:,] \w)|ship it|approved)\b"
)
"""How whoever leads says yes to what was proposed."""
NOT_BEFORE = re.compile(r"\bnot before\b|^(?:not|nothing|nobody|no one)\b.{0,40}\b(?:before|until|till)\b")
POLITE = utterance_patterns.words("pls", "please", "can you", "could you")
"""What makes an order a task of whom it names."""
JOKING = re.compile(r"(?:just )?(?:joke|joking|kidding|jk|never ?mind)\b")
NO_VERB = frozenset(
    """is was are were has had have can could will would and or not no yes the a an of in on at to for from with i we he she it they you this that
    who what why when where how did do does said went got saw thinks just still also already now too sent found""".split()
)
"""What after a name speaks of whom it names, not to them."""
TAKES = re.compile(
    r"(?:on it|doing(?: it)?|will do|ack|roger|ok|k|yep|fine(?: by me)?|agreed|yes|dropping|flushing|freezing|rolling|reverting|killing|restarting|scaling|draining|turning|pausing|stopping|done)\b"
)
PROPOSES = re.compile(
    r"\b(?:can|could|should|shall) (?:we|i)\b|\bwant me to\b|\blet's\b|\bwe could\b|\bi (?:can|could)\b|\bpropose\b|\bsuggest\b|\boptions?\b"
)


def denied(remark: Utterance, talk: Conversation) -> Utterance | None:
    """The suspicion that a remark denies: "could it be the vacuum?", "nah, that finished at 03:10"."""
    if remark.number or remark.bot or remark.asks or not stems_of(LINK.sub("", remark.text)):
        return None
    says_no = NO.match(remark.message.text)
    if not (says_no or (remark.negated and remark.stated and not remark.ahead)):
        return None
    for other in talk.before(remark, LATER):
        asked = [r for r in talk.of_message[other.ts] if asked_by_others(r, remark, talk)]
        if asked:
            return next(
                (
                    r
                    for r in asked
                    if utterance_patterns.SUSPECT.search(r.low) or (says_no and utterance_patterns.IS_IT.search(r.low))
                ),
                None,
            )
        if not says_no:
            return None
        if other.hedged and utterance_patterns.SUSPECT.search(other.low) and other.message.user in talk.settled:
            return other
    return None


def asked_by_others(question: Utterance | None, remark: Utterance, talk: Conversation) -> bool:
    """Whether a question is one of somebody else who belongs to the channel, and no sudden visitor's."""
    if question is None or not question.asks or remark.corrects:
        return False
    return question.message.user != remark.message.user and question.message.user in talk.settled


def answered(remark: Utterance, talk: Conversation) -> Utterance | None:
    """The question that a remark answers with a name or a figure: "who holds the 80?", "74 are idle in transaction"."""
    if remark.bot or not remark.stated or remark.ahead or not (remark.names or remark.numbers):
        return None
    if remark.number or not stems_of(LINK.sub("", remark.text)):
        return None
    asked = next((r for r in talk.before(remark) if r.message.user != remark.message.user), None)
    if asked is None or not asked_by_others(asked, remark, talk):
        return None
    other = utterance_patterns.SUSPECT.search(asked.low) or utterance_patterns.HOW_MANY.search(asked.low)
    return asked if WHICH.search(asked.low) and not other else None


def affirmed(remark: Utterance, talk: Conversation) -> Utterance | None:
    """The question to which a remark says yes, and more than yes: "so redis is full?", "yep, at 100%"."""
    if (
        remark.number
        or not remark.stated
        or not YES.match(remark.message.text)
        or utterance_patterns.SEVERITY.search(remark.low)
    ):
        return None
    last = next(talk.before(remark), None)
    told = remark.names or remark.numbers or utterance_patterns.COMPONENT.search(remark.low)
    return last if told and asked_by_others(last, remark, talk) else None


def ordered(remark: Utterance, talk: Conversation) -> tuple[str, tuple[str, ...]]:
    """What whoever leads orders, and the messages it rests on; a bare yes with the proposal that it answers.

    Returns:
        An empty text when it is no order.
    """
    if remark.asks or remark.joked or remark.hedged or taken_back(remark, talk):
        return "", ()
    if not (remark.message.user in talk.chiefs or obeyed(remark, talk)):
        return "", ()
    low = lowered(talk.addressed(remark.text)[1])
    if GO.match(low):
        asked = next((r for r in talk.before(remark, LATER) if proposes(r) or (r.asks and len(r.stems) >= 2)), None)
        said = spelled_out(remark, talk)
        return (f"{asked.text.rstrip('?. ')} → {said}", (asked.ts, remark.ts)) if asked else ("", ())
    if settles(remark, low, talk):
        return spelled_out(remark, talk), (remark.ts,)
    if talk.addressed(remark.text)[0] and POLITE.search(low):
        return "", ()
    told = ORDERS.match(low) or (NOT_BEFORE.search(low) and len(remark.stems) >= 3)
    return (remark.text, (remark.ts,)) if told else ("", ())


def settles(remark: Utterance, low: str, talk: Conversation) -> bool:
    """Whether a few words choose what was spoken of a moment before: "revert or exempt?" … "exempt then"."""
    chosen = SETTLES.match(low)
    if not chosen or remark.number or remark.hedged or remark.supposed:
        return False
    return any(remark.stems & r.stems for r in talk.before(remark, LATER)) or "hotfix" in low


def spelled_out(remark: Utterance, talk: Conversation) -> str:
    """A decision of a few words with what its message says after it: "do that. Reserve 1Gi, no rollback"."""
    after = [r for r in talk.of_message.get(remark.ts, ()) if r.number > remark.number]
    brief = len(remark.stems) <= 2 and after and all(r.stated and not r.label for r in after)
    more = [r for r in after if not utterance_patterns.NEXT_UPDATE.search(r.low)] if brief else []
    text = " ".join([remark.text.rstrip(". ") + "." if more else remark.text, *(r.text for r in more)])
    return text if len(text) <= SPELLED else remark.text


def taken_back(order: Utterance, talk: Conversation) -> bool:
    """Whether an order was a joke, or nobody who leads gave it and someone refused: "delete the logs", "NEVER"."""
    leads = order.message.user in talk.leaders
    for other in itertools.islice(talk.people_after(order), 3):
        if other.message.at - order.message.at > SOON:
            return False
        mine = other.message.user == order.message.user
        if (mine and JOKING.match(other.low)) or (
            not mine and not leads and utterance_patterns.REFUSES.search(other.message.text)
        ):
            return True
    return False


def obeyed(remark: Utterance, talk: Conversation) -> bool:
    """Whether the next that someone else wrote takes an order: "roll it back", "on it"."""
    after = itertools.islice(talk.people_after(remark), NEAR)
    others = [r for r in after if r.message.user != remark.message.user and r.message.at - remark.message.at < SOON]
    return any(TAKES.match(r.message.text.lower()) for r in others[:2])


def told_to(remark: Utterance, talk: Conversation) -> str:
    """Who is told to do something by their name and a verb: "marek put the release back"; empty for nobody."""
    name, rest = talk.addressed(remark.text)
    words = rest.lower().split()
    if not name or name == remark.name or len(words) < 2 or remark.asks:
        return ""
    verb = words[0].strip(",.:;!?")
    inflected = is_inflected(verb) or (verb.endswith("s") and not verb.endswith("ss"))
    return "" if verb in NO_VERB or not verb.isalpha() or inflected else name


def is_inflected(verb: str) -> bool:
    """Whether a word tells what happens or happened, rather than what to do: "restarting", "restarted", not "ring"."""
    return verb.endswith(("ing", "ed")) and verb not in {"ring", "bring", "ping", "string", "feed", "need", "speed"}


def proposes(remark: Utterance) -> bool:
    """Whether a remark puts forward what could be done."""
    return bool((PROPOSES.search(remark.low) or ORDERS.match(remark.low)) and len(remark.stems) >= 2)
