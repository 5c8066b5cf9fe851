"""What programs post: alerts that fire and clear, deploys, changes. Such posts have a form; people's talk has none."""

from __future__ import annotations

import re

from workers.contracts import Kind
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap

ALARMS = re.compile(
    r"pager|opsgenie|alert|grafana|datadog|zabbix|nagios|sentry|pingdom|cloudwatch|prometheus|uptime|incident|monitor|watch",
    re.IGNORECASE,
)
"""What programs that alert are called."""
DEPLOYERS = re.compile(
    r"argo|ship|deploy|jenkins|spinnaker|actions|flux|octopus|release|buildkite|circleci|gitlab|terraform|flag|rollout",
    re.IGNORECASE,
)
"""What programs that deploy are called."""
FIRING = re.compile(
    r"\b(?:firing|triggered|alert(?:ing)?|is down|critical|problem)\b|\[(?:warning|p[0-5]|down)"
    r"|\b(?:above|below|over|under|exceeds) ?\d|(?<![-=–])[<>]=? ?\d",
    re.IGNORECASE,
)
CLEARED = re.compile(
    r"^ok\b|\bresolved\b|\[(?:ok|recovered|up)\]|\brecovered\b|\bis (?:up|ok|back)\b|\bnormal\b|\bcleared\b",
    re.IGNORECASE,
)
ROUTINE = re.compile(
    r"\b(?:no update|has been open for|please assign|weekly|daily|monthly|digest|reminder|scheduled|standup)\b"
)
ROLLBACK = re.compile(
    r"\b(?:roll(?:ed|ing|s)?[- ]?back|revert(?:ed|ing|s)?|back(?:ed|ing) out|zurückgerollt|revertid[oa])\b",
    re.IGNORECASE,
)
DEPLOY = re.compile(
    r"\b(?:deploy(?:ed|ing|ment)?|releas(?:ed?|ing)|roll(?:ed|ing) out|rollout|shipped|promoted|hotfix|merged"
    r"|went (?:out|live))\b",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:set to|scaled|config\w*|toggled|switched|enabled|disabled|applied|restarted|drained|flag)\b|→|\w=\S+",
    re.IGNORECASE,
)
ASSIGNS = re.compile(r"\w=\w")
"""A setting that is given a value."""
FAILED = re.compile(r"\b(?:failed|failure|aborted|cancell?ed|broken)\b", re.IGNORECASE)
NEAR, SPOKEN_OF = 0.5, 2
"""The share of words that two alike alarms have in common; sentences from which people speak of one."""


def is_alarm(remark: Utterance) -> bool:
    """Whether a program's post says that something is wrong."""
    text = remark.message.text
    if not remark.bot or remark.number or ROUTINE.search(text.lower()):
        return False
    if CLEARED.search(remark.text) and not re.search(r"firing|trigger", remark.text, re.IGNORECASE):
        return False
    deploys = DEPLOYERS.search(remark.message.name) and not ALARMS.search(remark.message.name)
    return not deploys and bool(ALARMS.search(remark.message.name) or FIRING.search(text))


def kind_of_post(remark: Utterance, talk: Conversation) -> Kind | None:
    """What a program's post tells of: an alert, a deploy, a change, a rollback; builds and other noise do not count."""
    whole = talk.of_message[remark.ts]
    if remark is not whole[0] or talk.is_entered(remark):
        return None
    text, first = remark.message.text, talk.remarks[0]
    repeats = first.bot and (
        remark is first or (remark.user == first.user and overlap(first.stems, remark.stems) >= NEAR)
    )
    if repeats and not (CLEARED.search(remark.text) or DEPLOY.search(text) or ROLLBACK.search(text)):
        return "alert"
    if is_alarm(remark):
        return "alert" if concerns(remark, talk) else None
    for_someone = bool(talk.named_in(text)) or (bool(ASSIGNS.search(text)) and spoken_of(remark, talk) > 0)
    if FAILED.search(text) or not (for_someone or DEPLOYERS.search(remark.message.name)):
        return None
    if ROLLBACK.search(text):
        return "rollback"
    return "deploy" if DEPLOY.search(text) else "change" if for_someone or CHANGE.search(text) else None


def concerns(remark: Utterance, talk: Conversation) -> bool:
    """Whether an alarm is of this incident: the first one, one like it, or one that people speak of."""
    first = next((r for r in talk.remarks if is_alarm(r)), None)
    if first is None or first.ts == remark.ts or overlap(first.stems, remark.stems) >= NEAR:
        return True
    return spoken_of(remark, talk) >= SPOKEN_OF


def spoken_of(remark: Utterance, talk: Conversation) -> int:
    """How many sentences of people share two words with a post."""
    telling = {stem for stem in remark.stems if not stem.isdigit()}
    return sum(len(telling & r.stems) >= 2 for r in talk.people)
