"""A question that leans on its thread, made whole: "and for /api/orders?", "who wrote that commit?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.research.kind_decision import classify
from workers.contracts import Landscape, Question
from workers.language.phrase_to_window import phrases_in
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS
from workers.reasoning.metric_selection import close_value
from workers.reasoning.question_features import commits_in, questions_in
from workers.reasoning.question_subjects import ENDPOINT, SMALL, WORD, known_names, strip, with_hints

INTERROGATIVE = re.compile(
    r"\b(?:why|who(?:se|m)?|where|when|which)\b|\bhow\b(?! about)|\bwhat\b(?!['’]?s? (?:about|of)\b)", re.IGNORECASE
)
THAT_COMMIT = re.compile(
    r"\b(?:that|this|the|said|its?) (?:last |same |bad |suspect |culprit |guilty )?"
    r"(?:commit|change|pr|pull request|patch|diff|changeset)\b(?! (?:to|in|of|on)\b)",
    re.IGNORECASE,
)
MADE_IT = re.compile(
    r"\b(?P<made>wrote|made|authored|committed|merged|pushed|shipped|approved|reviewed|deployed|released|introduced|did)"
    r" (?P<it>it|that|this|them)\b",
    re.IGNORECASE,
)

WAS_MADE = re.compile(
    r"\b(?P<was>was|is|got|has|were) (?P<it>it|that|this)"
    r"(?= (?:been )?(?:merged|committed|pushed|written|reviewed|approved)\b)",
    re.IGNORECASE,
)


def complete(question: Question, landscape: Landscape) -> Question:
    """The question with what it leaves to its thread put in; one that stands by itself comes back as it is."""
    if not question.context:
        return question
    text = name_commit(question.text, question.context, landscape)
    if text == question.text:
        text = fill_in(text, question.context, landscape)
    return question if text == question.text else question.model_copy(update={"text": text})


# --- "that commit" --------------------------------------------------------------------------------------------


def name_commit(text: str, context: Sequence[str], landscape: Landscape) -> str:
    """A commit that is only pointed at, by its hash: the last one that the thread names."""
    if commits_in(text):
        return text
    if THAT_COMMIT.search(text) and (commit := last_commit(context, landscape)):
        return THAT_COMMIT.sub(f"commit {commit}", text, count=1)
    answers = since_last_question(context)
    if MADE_IT.search(text) and (commit := last_commit(answers, landscape)):
        return MADE_IT.sub(rf"\g<made> commit {commit}", text, count=1)
    if WAS_MADE.search(text) and (commit := last_commit(answers, landscape)):
        return WAS_MADE.sub(rf"\g<was> commit {commit}", text, count=1)
    return text


def last_commit(messages: Sequence[str], landscape: Landscape) -> str:
    """The first commit of the newest message that names one, or the commit of the deploy it names."""
    for message in reversed(messages):
        if found := commits_in(message):
            return found[0]
        for deploy in reversed(landscape.deploys):
            if deploy.commit and deploy.version and re.search(rf"(?<![\w.]){re.escape(deploy.version)}\b", message):
                return deploy.commit[:7]
    return ""


def since_last_question(context: Sequence[str]) -> Sequence[str]:
    """What was said after the last question."""
    asked = set(questions_in(context))
    last = max((i for i, m in enumerate(context) if m in asked), default=-1)
    return context[last + 1 :]


# --- "and for the other one?" ---------------------------------------------------------------------------------


def fill_in(text: str, context: Sequence[str], landscape: Landscape) -> str:
    """A question of nothing but a name or a time: the question before it, asked of that name or time."""
    whole: list[str] = []
    for asked in questions_in(context):
        whole.append(merge(asked, whole, landscape))
    return merge(text, whole, landscape)


def merge(text: str, before: Sequence[str], landscape: Landscape) -> str:
    """One question, made whole with those before it."""
    hints = phrases_in(text)
    names = own_names(strip(text, hints), landscape)
    if not before or not (names or hints) or not is_elliptic(strip(text, hints), names):
        return text
    fitting = [q for q in before if own_names(strip(q, phrases_in(q)), landscape)] if names else []
    fitting = fitting or [q for q in before if classify(q) in BEHAVIOUR_KINDS] or list(before)
    base = fitting[-1]
    return with_names(with_hints(base, hints), names, landscape)


def is_elliptic(text: str, names: Sequence[str]) -> bool:
    """Whether nothing but names and small words is said, and nothing is asked by itself."""
    if INTERROGATIVE.search(text):
        return False
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return all(w.lower().replace("’", "'") in SMALL for w in WORD.findall(text))


def own_names(text: str, landscape: Landscape) -> list[str]:
    """Endpoints, known names, and words that one endpoint or service alone is named by, as they are written."""
    endpoints = [m.group().rstrip(".:") for m in ENDPOINT.finditer(text)]
    rest = ENDPOINT.sub(" ", text)
    known = [m.group() for n in known_names(rest, landscape) if (m := re.search(re.escape(n), rest, re.IGNORECASE))]
    values = [landscape.labels.get(label, ()) for label in ("service", "endpoint")]
    words = [w for w in WORD.findall(rest) if len(w) > 3 and w.lower() not in SMALL]
    close = [w for w in words if any(close_value(w, v) for v in values) and not any(w in k for k in known)]
    return list(dict.fromkeys((*endpoints, *known, *close)))


def with_names(base: str, names: Sequence[str], landscape: Landscape) -> str:
    """The question of something else."""
    if not names:
        return base
    old = own_names(strip(base, phrases_in(base)), landscape)
    if not old:
        return f"{base.rstrip('?., ')} for {' and '.join(names)}?"
    return base.replace(old[0], " and ".join(names), 1)
