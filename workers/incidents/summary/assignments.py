"""What a remark gives people to do: asked for by name, promised, listed, wanted of nobody yet."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from dataclasses import dataclass

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import MENTION, Conversation
from workers.incidents.summary.dialogue_acts import is_inflected, ordered, told_to
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import stems_of

LABELS = frozenset(
    {
        "action item",
        "action items",
        "ai",
        "ai for me",
        "my ai",
        "todo",
        "to do",
        "action",
        "actions",
        "follow up",
        "follow-up",
        "followup",
        "follow-ups",
        "followups",
        "next steps",
        "next step",
        "owner",
    }
)
NAMED = re.compile(
    r"^([A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\s*(?:[:→]|-|–|—|to\b|will\b|owns?\b|is going to\b|takes\b|please\b|can you\b|could you\b)"
)
OWNER = re.compile(r"\b(?:owner|assigned to|assignee|owned by)\s*[:=]?\s*@?([\w.-]+(?: [A-Z][\w'.-]+)?)", re.IGNORECASE)
BOX = re.compile(r"^\s*(?:\[(?P<done>[ xX]?)\]|☐|☑|✅)\s*")
BY_MYSELF = re.compile(
    r"(?:^(?:@[\w .-]+? )?|^(?:after (?:this|that)|then|tomorrow|tmrw|later|next week|today|tonight|and|also|first|meanwhile),? |(?<=, )|(?<= and )|(?<= so ))(?:i'll|i will|i'm going to|i am going to|i can|i'm gonna|let me|(?<![, ] )i'd)\s+(?:also |then |now |quickly |just )*",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"^(?:@[\w.-]+(?: [A-Z][\w'.-]+)?|[A-Z][\w'-]+(?= ?[:→–—-] ))?\s*[:,→–—-]?\s*(?i:(?:can|could|would|will) (?:you|u)\b|please\b|pls\b|"
    r"i'll\b|i will\b|i'm going to\b|i can\b|i'm gonna\b|let me\b|to\b)?\s*(?i:(?:please|pls|also|then|now|quickly|just) )*"
)
YOU = re.compile(
    r"^(?:you|u) (?=(?:do|be|take|switch|run|keep|get|go|call|write|check|make|own|handle|drive|start|stop|send|push|find|talk|tell|count|watch)\b)",
    re.IGNORECASE,
)
WANTED = re.compile(r"^i (?:want|need) ", re.IGNORECASE)
ROLE = re.compile(
    r"(?:(?:can|could|will|would) you |please |pls )?(?:take (?!over|it down|down|an? )|be |do comms|\w+ (?:please|pls)$|the \w+$)"
)
"""How someone is given a part in it, rather than something to do."""
TAKE_A = re.compile(r"take an? ", re.IGNORECASE)
VERB = 24
"""So many characters after "I'll" tell whether someone will do something, or only look."""
I_DO = re.compile(
    r"i (?:fix|run|write|prepare|send|open|draft|file|report|add|update|make|raise|ask|inform|tell|order|book|build|test|clean|move|set up|take(?= an? )) (?!more|less|it\b|that\b)"
)
"""How those promise who learnt English late: "I write the report"."""
DO_THAT = re.compile(
    r"^(?:i'll|i will|i can|i) (?:do|add|take|fix|own|write|handle|build|file|make) (?:that|it|this)\b"
)
"""How someone takes what they just said is needed: "… should refuse. I'll do that today"."""
PLANS = re.compile(
    r"i(?:'m| am) (?!going\b|looking\b|checking\b)[a-z]+ing .*\b(?:today|tonight|tomorrow|tmrw|this week|next week|by (?:mon|tues|wednes|thurs|fri)day)\b"
)
"""How someone tells what they are going to do, and when."""
HELP = stems_of("help us me")
"""Who is asked for no more has no task: "@oracle can you help?"."""
FOR_ME = re.compile(r"(?:follow[- ]?ups?|action(?: item)?s?|ais?|todo) for me\b", re.IGNORECASE)
NOT_I = re.compile(r"\bi(?:'ll| will|'m| am)? (?:not|never)\b|\bi (?:won't|can't|don't|cannot)\b")
SOMEONE = re.compile(
    r"\b(?:someone|somebody|anyone) (?:should|needs? to|has to|must|could|(?:please )?(?:write|check|look|find|own|file|open|make|fix|add|take|document|tell|ask))\b"
)
MINE_TOO = re.compile(r",? (?:and )?((?:i'll|i will) .+)$", re.IGNORECASE)
"""What whoever gives a task takes on in the same breath."""
FILLING = re.compile(r"\b(?:please|pls|now|then)\b", re.IGNORECASE)
EACH = re.compile(r"(?P<what>[^,;()]{6,200}?) ?\((?P<who>@?[\w.-]+)\)(?:[,;] (?:and )?|\W*$)")
"""A list of what is to do, each with its owner behind it: "alert on memory (lena), load test (ravi)"."""
ADDRESS = re.compile(r"(?:(?<=^)|(?<=[;,.] )|(?<=and )|(?<=und )|(?<=y )|(?<=: ))(?:@|(?=\w))")
ASKED = re.compile(
    r"[,:]? (?:(?=[\w./-]{1,80} [^,;.]{0,200}\b(?:pls|please)\b)|(?:can|could|will|would) (?:you|u)|you(?:'re| are) on|you (?!\w+ed\b)(?=\w+ )|please|pls|i (?:want|need)|"
    r"(?:get|tell|write|check|make|take|send|ask|call|ping|find|look|watch|run|own|handle|drive|start|push|give|post|add|update|open|file|raise|book|set|"
    r"try|confirm|verify|talk|page|grab|fix|clean|remove|prepare|draft|schedule|monitor|count|recount|put|keep|do|join|review)(?= \w))\b",
    re.IGNORECASE,
)
"""What makes the name before it the one of someone who is asked to do something."""
NEXT = re.compile(r" (?:please|pls|the|your|on)\b|(?: [\w./+-]+){1,4}(?:,|\.|$)", re.IGNORECASE)
"""How a list of who does what goes on: "jorge can you take the relay, abbe the edge"."""
AT_END = re.compile(r"(?P<what>.*?)(?:^|[,.;] )@?(?P<who>[\w.-]+)\s*\?$", re.DOTALL)
"""A question that ends with whom it is for."""
REQUEST = re.compile(
    r"(?:^|\b)(?:please|pls|plz|kindly|can you|could you|would you|will you|(?:i (?:kindly )?ask|may i ask|(?:i )?(?:need|want|would like)|it would be (?:good|great|nice) if|dear|for) (?=@)|get me)(?=\W)",
    re.IGNORECASE,
)
"""How something is asked of someone who is named within: "pls call the vendor @ana"."""
AROUND = re.compile(
    r"^(?:i (?:kindly )?(?:ask|need|want|would like)|may i ask|it would be (?:good|great|nice) if|dear|could you|can you|would you|for|pls|please|cc)? ?,?\s*@[\w.-]*\w,? ?(?::|to\b)?\s*|,? ?@[\w.-]*\w\W*$",
    re.IGNORECASE,
)
"""The name with what leads to it, where a request begins or ends."""
ALSO = re.compile(r"^(?:and|also|plus|then)\s+(?:also\s+)?", re.IGNORECASE)
TAKES_ON = re.compile(
    r"(?:(?:yes|yep|yeah|sure|ok(?:ay)?|k|aye|ja|dobra|joo|tamam)\b[,. ]*)?(?:mine|on it|will do|can do|i'll do (?:it|that)|doing (?:it|that)|i can|same pr|yes boss|deal)\b|(?:yes|yep|yeah|sure|ok(?:ay)?|k)\W*$"
)
"""How someone takes what they are asked for."""
LISTING = re.compile(r"(?:action items?|actions?|ais?|follow[- ]?ups?|todos?|next steps?)\b\W*$")
LEAD = 14
"""A name that stands further in is spoken of, not to."""
NO_TASK = frozenset(
    """is was are were has had have thanks thank danke gracias thx ty merci on what why how who when where and or in at the i you
    we he she they it that this not no yes ok okay good nice great sorry please? says said has? sees saw here there just never
    with for of about takes took take over → as would? already still also now re fyi welcome hi hey hello right correct
    exactly agreed go yours can't cannot don't didn't do? does did really sure got""".split()
)
SMALL = 1.2
"""Less: to look, or a part in it."""


@dataclass(frozen=True)
class Task:
    """Something to do, as far as it is. ``ts``: the messages that told of it, the first that gave it."""

    remark: Utterance
    text: str
    owner: str
    weight: float
    ts: tuple[str, ...]
    done: bool = False
    dropped: bool = False


def tasks_in(remark: Utterance, names: dict[str, str], talk: Conversation) -> list[Task]:
    """What a remark gives people to do: one task for each whom it tells something."""
    if remark.bot or remark.quoted or utterance_patterns.JOKE.search(remark.low):
        return []
    listed = (
        remark.label in LABELS
        or bool(BOX.match(remark.text) or utterance_patterns.TODO.search(remark.low))
        or in_list(remark, talk)
    )
    each = [(who(m["who"].lstrip("@"), names), m["what"]) for m in EACH.finditer(remark.text)] if listed else []
    if each and all(owner for owner, _ in each):
        return [Task(remark, what, owner, 3.0, (remark.ts,)) for owner, what in each]
    parts = parts_of(remark.text, names)
    found = [told(remark, owner, part, listed=listed) for owner, part in parts if len(stems_of(part)) >= 1]
    if not parts and not ordered(remark, talk)[0] and (to := told_to(remark, talk)):
        parts = [(to, talk.addressed(remark.text)[1])]
        found = [told(remark, to, parts[0][1], listed=listed)]
    assigned = [task for task in found if task]
    if assigned and (mine := MINE_TOO.search(remark.text)) and not utterance_patterns.KEEPS_TELLING.search(remark.low):
        assigned.append(Task(remark, mine[1], remark.name, 1.5, (remark.ts,)))
    if assigned or parts:
        return assigned
    if taken := taken_on(remark, talk):
        return [taken]
    if (
        DO_THAT.match(remark.low)
        and (before := talk.just_before(remark))
        and utterance_patterns.NEEDED.search(before.low)
    ):
        return [Task(before, before.text, remark.name, 1.8, tuple(dict.fromkeys((before.ts, remark.ts))))]
    if asked := asked_within(remark, names):
        return [asked]
    alone = task_alone(remark, names, listed=listed)
    return [alone] if alone else []


def asked_within(remark: Utterance, names: dict[str, str]) -> Task | None:
    """What is asked of the one other person whom a sentence names: "pls call the vendor @ana", "I ask @ana to call"."""
    named = {owner for match in MENTION.finditer(remark.text) if (owner := who(match[1], names))} - {remark.name}
    asks = REQUEST.search(remark.text) and AROUND.search(remark.text)
    if len(named) != 1 or not asks or (remark.supposed and not remark.asks):
        return None
    what = AROUND.sub("", remark.text).strip(" ,.?")
    if (
        len(stems_of(what)) < 2
        or utterance_patterns.COMMANDER.search(what.lower())
        or utterance_patterns.HANDS_OVER.search(what.lower())
    ):
        return None
    return Task(remark, what, named.pop(), 1.8, (remark.ts,))


def taken_on(remark: Utterance, talk: Conversation) -> Task | None:
    """What someone was asked for at the end of a sentence, and takes: "and a webhook rate alert, tuva?", "yep mine"."""
    if remark.number or not TAKES_ON.match(remark.message.text.strip().lower()):
        return None
    asked = next((r for r in talk.before(remark) if r.message.user != remark.message.user), None)
    if asked is None or asked.message.ts == remark.ts:
        return None
    whole = talk.of_message.get(asked.ts, ())
    last, first = whole[-1], whole[0]
    behind = AT_END.match(last.text)
    to = who(behind["who"], talk.called) if behind else ""
    if to == remark.name and behind:
        what = behind["what"].strip(" ,.;") or " ".join(r.text for r in whole[:-1])
        what = ALSO.sub("", what)
    elif talk.addressed(first.text)[0] == remark.name and first.asks:
        what = talk.addressed(first.text)[1]
    else:
        return None
    if len(stems_of(what)) < 2:
        return None
    return Task(first, what, remark.name, 1.8, (asked.ts, remark.ts))


def in_list(remark: Utterance, talk: Conversation) -> bool:
    """Whether a sentence goes on a list that its message begins: "Action items. @arne: …"."""
    before = [r for r in talk.of_message.get(remark.ts, ()) if r.number < remark.number]
    return any(r.label in LABELS or LISTING.match(r.low) for r in before)


def parts_of(text: str, names: dict[str, str]) -> list[tuple[str, str]]:
    """Whom a sentence tells what: the text after each name that it begins with, or that a comma or an "and" leads to."""
    places: list[tuple[int, int, str]] = []
    for match in ADDRESS.finditer(text):
        written = name_at(text, match.end(), names)
        if written and (
            match[0]
            or ASKED.match(text, match.end() + len(written))
            or (places and NEXT.match(text, match.end() + len(written)))
        ):
            places.append((match.start(), match.end() + len(written), names[written]))
    if not places or (places[0][0] > LEAD and len(places) < 2):
        return []
    ends = [start for start, _, _ in places[1:]] + [len(text)]
    found = [(owner, text[begin:end].strip(" ,;:.–—-→")) for (_, begin, owner), end in zip(places, ends, strict=True)]
    return [
        (owner, part[: mine.start()].rstrip(" ,") if (mine := MINE_TOO.search(part)) else part) for owner, part in found
    ]


def name_at(text: str, place: int, names: dict[str, str]) -> str:
    """The longest known name that stands at a place of a text, in lower case."""
    rest = text[place:].lower()
    found = [n for n in names if rest.startswith(n) and not rest[len(n) : len(n) + 1].isalnum()]
    return max(found, key=len, default="")


def told(remark: Utterance, owner: str, part: str, *, listed: bool) -> Task | None:
    """A task for someone; None when the words after a name give none."""
    part = WANTED.sub("", YOU.sub("", part))
    first = part.split(maxsplit=1)[0].lower().strip(",.:;!?") if part.split() else ""
    if listed and first not in NO_TASK:
        return Task(remark, part, owner, 3.0, (remark.ts,))
    if (
        (first in NO_TASK and not TAKE_A.match(part))
        or is_inflected(first)
        or utterance_patterns.COMMANDER.search(part.lower())
        or utterance_patterns.HANDS_OVER.search(part.lower())
    ):
        return None
    asked = bool(re.match(r"(?:can|could|would|will|please|pls|kannst|puedes|mind)\b", part.lower()))
    if remark.text.rstrip().endswith("?") and not asked:
        return None
    if len(FILLING.sub(" ", part).split()) < 2 or stems_of(part) <= HELP:
        return None
    small = bool(
        utterance_patterns.LOOKS.search(part.lower()) or ROLE.match(part.lower())
    ) and not utterance_patterns.OUTWARD.search(part.lower())
    return Task(remark, part, owner, 1.1 if small else 2.0, (remark.ts,))


def task_alone(remark: Utterance, names: dict[str, str], *, listed: bool) -> Task | None:
    """A task that names nobody first: of the writer, or of nobody yet."""
    low, text = remark.low, remark.text
    if len(remark.stems) < 2:
        return None
    box = BOX.match(text)
    if listed:
        mine = remark.label in {"ai for me", "my ai"} or bool(BY_MYSELF.match(text) or FOR_ME.match(text))
        finished = bool(box and ((box["done"] or "").lower() == "x" or text.lstrip()[0] in "☑✅"))
        owner = remark.name if mine else owner_in(text, names)
        return Task(remark, text, owner, 3.0, (remark.ts,), done=finished)
    if remark.asks:
        return None
    if begins := NAMED.match(text):
        owner = who(begins[1], names)
        if owner and owner != remark.name:
            return Task(remark, text, owner, 1.5, (remark.ts,))
    if utterance_patterns.I_LEAD.search(low) or remark.corrects:
        return None
    if utterance_patterns.MINE.search(low) or I_DO.match(low) or PLANS.match(low):
        return Task(remark, text, remark.name, 1.8, (remark.ts,))
    if (
        utterance_patterns.PROMISE.search(low)
        and not NOT_I.search(low)
        and not utterance_patterns.NEXT_UPDATE.search(low)
    ):
        begun = BY_MYSELF.search(text)
        verb = low[begun.end() :][:VERB] if begun else low
        small = bool(utterance_patterns.LOOKS.search(verb)) and not utterance_patterns.words(
            "why", "how", "whether"
        ).search(low)
        return Task(remark, text, remark.name, 0.6 if small or not begun else 1.5, (remark.ts,))
    if utterance_patterns.NEEDED.search(low) and not (remark.hedged or remark.negated or remark.supposed):
        return Task(remark, text, owner_in(text, names), SMALL if SOMEONE.search(low) else 0.7, (remark.ts,))
    return None


def plain_task(text: str) -> str:
    """A task without whom it names first, and without how it was asked for."""
    shorter = ASKING.sub("", BOX.sub("", text)).rstrip(" ?")
    if len(shorter.split()) < 2:
        return text
    return shorter[:1].upper() + shorter[1:]


def owner_in(text: str, names: dict[str, str]) -> str:
    """Whom a task names."""
    for pattern in (OWNER, MENTION, NAMED):
        for match in pattern.finditer(BOX.sub("", text)):
            if found := who(match[1], names):
                return found
    return ""


def who(text: str, names: dict[str, str]) -> str:
    """A name as people are shown; a mention of two words may hold one too many."""
    low = text.strip(" .,:").lower()
    return names.get(low) or names.get(low.split()[0], "") if low else ""
