"""PURE. The words and patterns of time phrases, most telling kind first. `time_hints` turns matches into windows."""

from __future__ import annotations

import re

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
UNIT_SECONDS = {"min": 60, "minute": 60, "m": 60, "hour": 3600, "hr": 3600, "h": 3600, "day": 86400, "d": 86400}
UNIT_SECONDS |= {"week": 604800, "month": 2_592_000}
COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}

SINCE = r"(?:ever since|since|after|following|right after|from|post[- ]|as of)"
DAY = "|".join(DAYS)
CLOCK = r"(?:[01]?\d|2[0-3])(?::[0-5]\d)?\s?(?:am|pm)?"
ZONE = r"(?:\s?(?:utc|gmt|z|[ce]e?s?t|[pm][sd]t|bst|jst|ist)\b)?"
DEPLOY = r"(?:deploy(?:ment|ed)?s?|release|roll-?out|push|ship(?:ped|ment)?|version bump)"
POSSESSIVE = rf"(?:yesterday|today|this morning|tonight|last night|{DAY})(?:['’]?s)?"
WHOSE = rf"(?:the |our |my |that |this )?(?:very )?(?:last|latest|recent|most recent|newest|new|{POSSESSIVE}|{CLOCK})?"
AMOUNT = r"(?P<count>\d+|an?|one|two|three|four|five|six|couple of|few)"
UNITS = r"(?P<unit>minute|min|hour|hr|day|week|month|h|d|m)s?"
ON_DAY = rf"(?: (?:yesterday|today|this morning|last night|on (?:{DAY})))?"
PART = r"(?: morning| afternoon| evening| noon| night)?"
TODAY = r"yesterday|today|tonight|last night|this morning|this afternoon|this evening"
ISO = r"(?P<iso>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?\s?(?:Z|UTC|[+-]\d\d:\d\d)?)?)"
AT = r"(?P<clock>(?:[01]?\d|2[0-3]):[0-5]\d(?:\s?(?:am|pm))?|\d{1,2}\s?(?:am|pm))"

PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("deploy", rf"\b{SINCE}\s?{WHOSE}\s?(?:\w+ )?{DEPLOY}\b(?: of [\w.-]+)?(?: v?\d+(?:\.\d+)+)?{ON_DAY}"),
        (
            "deploy",
            rf"\b{SINCE} (?:we |they |you |i |it )?(?:deployed|released|shipped|pushed|rolled out)[^.?!,]{{0,30}}",
        ),
        ("deploy", rf"\b{SINCE} (?:version )?v\d+(?:\.\d+)+\b"),
        ("deploy", rf"\b(?:the |our )?(?:last|latest|{POSSESSIVE}) (?:\w+ )?{DEPLOY}\b"),
        ("iso", rf"(?:\b{SINCE} |\baround |\bon |\bat )?{ISO}"),
        (
            "between",
            rf"\b(?:between|from) (?P<clock>{CLOCK}){ZONE} (?:and|to|until|till) (?P<until>{CLOCK}){ZONE}{ON_DAY}",
        ),
        (
            "last",
            rf"(?! ?last (?:week|month)\b)\b(?:in|for|over|during|within|from)? ?(?:the |these )?(?:last|past|previous) {AMOUNT}?\s?{UNITS}\b",
        ),
        ("ago", rf"\b(?:{SINCE} |about |around |some |like )?(?:a |an )?{AMOUNT}\s?{UNITS} ago\b"),
        (
            "clock",
            rf"\b(?:(?:on |since )?(?:{TODAY}|{DAY}){PART},? )?(?:{SINCE} |around |about |at |~){AT}{ZONE}{ON_DAY}",
        ),
        ("week", rf"\b(?:{SINCE} )?(?:this|last) (?:week|month)\b"),
        ("day", rf"\b(?:{SINCE} |on )?(?:last )?(?:{TODAY}|{DAY})\b{PART}"),
        ("date", rf"\b(?:{SINCE} |on |around )?(?P<month>(?:{MONTHS})[a-z]*)\.? (?P<day>\d{{1,2}})\b"),
        ("date", rf"\b(?:{SINCE} |on |around )?(?P<day>\d{{1,2}})\.? (?P<month>(?:{MONTHS})[a-z]*)\b"),
        ("recent", r"\b(?:right now|currently|at the moment|(?<!^)(?<!\. )now|recently|lately|these days)\b"),
    )
)
