"""Questions of what a deploy brought, or what lies between two versions -> how repo_search is asked for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workers.contracts import Intent, Landscape
from workers.language.time_phrases import DAY
from workers.reasoning.metric_selection import ROLE_WORDS, named_metrics
from workers.reasoning.question_features import asks_how_to, undoes_deploy
from workers.reasoning.question_words import STOP

NAME = r"[A-Za-z][\w.-]*\w"
VERSION = r"(?<![\w./-])(?:v\d+(?:\.\d+)+[\w.-]*\b|\d+\.\d+\.\d+(?:-\w+)?)(?![\w/])"
POINT = r"(?:v?\d+(?:\.\d+)+[\w-]*|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40})(?![\w/])"
TAILS = rf"(?P<tail>(?: (?:of|for|to|on|in|at) (?:the |our )?{NAME}){{0,2}})"
JOINT = r",? (?P<joint>and|to|till|until|->|→|vs\.?|versus|with) (?:version |tag |release )?"
NOUN = r"(?:deploy(?:ment)?|release|roll-?out|version|push)\b"
LAST = r"(?:last|latest|newest|most recent|very last)"
DAYS = rf"(?:yesterday|today|this morning|last night|{DAY})['’]?s"
PHRASE = re.compile(
    rf"(?:\b(?!(?:{DAY}|yesterday|today|morning|night)\b)(?P<owner>{NAME})['’]s )?\b(?P<last>{LAST}|{DAYS}) "
    rf"(?P<mid>(?:(?!of\b|to\b){NAME} ){{0,2}}?){NOUN}{TAILS}",
    re.IGNORECASE,
)
OF_VERSION = re.compile(
    rf"(?:\b(?P<owner>{NAME}?)(?:['’]s)? )?(?P<version>{VERSION}){TAILS}",
    re.IGNORECASE,
)
PAIR = re.compile(
    rf"(?<![\w./-])(?P<old>{POINT})(?:\.\.\.?|{JOINT})(?P<new>{POINT})",
    re.IGNORECASE,
)
TAIL = re.compile(rf"\b(?P<lead>of|for|to|on|in|at) (?:the |our )?(?P<name>{NAME})", re.IGNORECASE)
CONTENT = re.compile(
    r"\b(?:commits?|committed|compare|changes|diffs?|differences?|changelog|release notes|authors?|wrote|written)\b|"
    r"\bwhat(?:['’]?s| is| was| were| has| have| all| exactly)*(?: \w+)? (?:changed?|different|"
    r"went (?:out|live|in|into)|gone (?:out|live)|shipped|released|deployed|included|new|in|inside|part of|brought)\b|"
    r"\banything (?:new|changed|different|interesting)\b|"
    r"\b(?:what|which \w+) (?:did|does|do|has|have)\b.* (?:contain|include|bring|brought|change|ship|hold)\b|"
    r"\bwho (?:\w+ ){0,1}(?:made|did|shipped|deployed|released|pushed|cut|contributed)\b",
    re.IGNORECASE,
)
WHEN = re.compile(
    r"\bwhen (?:did|was|were|has|had)\b.*\b(?:deploy|releas|ship|roll|went|go|gone|live|out)", re.IGNORECASE
)
APART = re.compile(r"\b(?:since|after|before|until|than|following)\b", re.IGNORECASE)
NO_CONTENT = re.compile(
    r"\b(?:why|how come|caus\w+|cost|blame|break|broke|broken|breaking|health\w*|alerts?|incidents?|fire\w*|"
    r"regress\w*|degrad\w*|worse|affect\w*|impact\w*|p50|p9\d)\b",
    re.IGNORECASE,
)
PLACES = frozenset("prod production live staging stage dev development test testing qa uat canary preprod demo".split())
NO_NAME = STOP | frozenset("version release deploy today yesterday week month it us that this there".split())


def asked_release(text: str, landscape: Landscape) -> dict[str, str]:
    """The argument of repo_search: ``range`` or ``deploy``; nothing for a question of something else.

    Of a version it is also asked when it went out.
    """
    measured = any(words.search(text) for _, words in ROLE_WORDS) or any(named_metrics(text, landscape))
    content = CONTENT.search(text)
    if measured or not (content or WHEN.search(text)):
        return {}
    if NO_CONTENT.search(text) or asks_how_to(text) or undoes_deploy(text):
        return {}
    if content and (pair := PAIR.search(text)):
        return {"range": "..".join(in_order(pair))}
    if APART.search(text):
        return {}
    known = {d.version.lower().removeprefix("v") for d in landscape.deploys if d.version}
    for version in OF_VERSION.finditer(text):
        said = version["version"].lower()
        if said.startswith("v") or said in known:
            service, place = named_in(version, landscape)
            return {"deploy": f"{service or carrier(said, landscape)}:{version['version']}{at(place)}"}
    if content and (phrase := PHRASE.search(text)):
        service, place = named_in(phrase, landscape)
        return {"deploy": f"{service}{at(place)}" or "@"}
    return {}


def at(place: str) -> str:
    """``@staging``."""
    return f"@{place}" if place else ""


def in_order(pair: re.Match[str]) -> tuple[str, str]:
    """Both ends; the lower version first where the words do not say which way to go."""
    old, new = pair["old"], pair["new"]
    numbers = [[int(n) for n in re.findall(r"\d+", end)] for end in (old, new) if "." in end]
    backward = len(numbers) == 2 and numbers[0] > numbers[1]
    free = (pair["joint"] or "").lower().rstrip(".") in {"and", "vs", "versus", "with"}
    return (new, old) if backward and free else (old, new)


def named_in(match: re.Match[str], landscape: Landscape) -> tuple[str, str]:
    """Service and environment that stand beside a deploy: ``shop's``, ``of shop``, ``to staging``."""
    services = {d.service.lower() for d in landscape.deploys} | {s.lower() for s in landscape.labels.get("service", ())}
    places = PLACES | {d.environment.lower() for d in landscape.deploys}
    owner = match["owner"] or ""
    owned = re.search(rf"{re.escape(owner)}['’]s ", match.group()) is not None
    service = owner if owner and (owned or owner.lower() in services) else ""
    place = ""
    for word in (match.groupdict().get("mid") or "").split():
        place = word if word.lower() in places else place
        service = word if word.lower() in services else service
    for tail in TAIL.finditer(match["tail"] or ""):
        name, low = tail["name"], tail["name"].lower()
        if low in NO_NAME or re.fullmatch(DAY, low):
            continue
        if low not in services and (low in places or tail["lead"].lower() not in {"of", "for"}):
            place = name
        else:
            service = name
    return ("" if service.lower() in NO_NAME else service), place


def carrier(version: str, landscape: Landscape) -> str:
    """The service of which a version was deployed last."""
    same = [d for d in landscape.deploys if d.version.lower().removeprefix("v") == version.removeprefix("v")]
    return same[-1].service if same else ""


def of_that_day(asked: Mapping[str, str], text: str, intent: Intent, landscape: Landscape) -> dict[str, str]:
    """The same, with the version of the deploy that a day in the question stands for: "yesterday's deploy"."""
    phrase = PHRASE.search(text)
    if "deploy" not in asked or not phrase or re.fullmatch(LAST, phrase["last"], re.IGNORECASE) or not intent.window:
        return dict(asked)
    start, wanted = intent.window.start, asked["deploy"].partition("@")[0]
    same = [d for d in landscape.deploys if d.at.replace(microsecond=0) == start and d.version]
    own = next((d for d in same if not wanted or d.service.lower() == wanted.lower()), None)
    return {"deploy": f"{own.service}:{own.version}"} if own else dict(asked)
