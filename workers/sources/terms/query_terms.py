"""A question -> what to look for: weighted terms, and the specific things that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workers.language.route_notation import ROUTE
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS
from workers.language.tokens import WORD, joined, route_term, split_identifier
from workers.language.written_names import keys_in
from workers.sources.terms.programming_languages import EXTENSIONS, NAMES
from workers.sources.terms.synonyms import SYMPTOMS, WEAK

MAX_CHARS = 2_000
CONFIG_INTENT = re.compile(
    r"\b(config\w*|settings?|set|tun(ed|able|ing)|env(ironment)?( var\w*)?|parameters?|defaults?|limits?|values?)\b",
    re.IGNORECASE,
)
TEST_INTENT = re.compile(
    r"\b(?:(?:un)?tested|tests|specs|test (?:cases?|coverage|suites?))\b"
    r"|\b(?:test|spec)(?=\s*$|[?.,;:!]|\s+(?:for|of|that|which|covers?|checks?|in|about|with)\b)",
    re.IGNORECASE,
)
"""Tests are asked for."""
TEST_MENTION = re.compile(r"\b(tests?|tested|testing|specs?|fixtures?|mocks?|mocked|e2e|coverage)\b", re.IGNORECASE)
"""A test may be meant, or a thing that is named after tests: “test client”, “mock server”."""
EXAMPLE_INTENT = re.compile(r"\b(examples?|samples?|demos?|tutorials?|benchmarks?|bench)\b", re.IGNORECASE)
DOC_INTENT = re.compile(
    r"\b(docs?|documentation|readme|changelog|release notes|runbooks?|adrs?|guide)\b", re.IGNORECASE
)
QUOTED = re.compile(r'"([^"\n]{3,200})"|“([^”\n]{3,200})”|`([^`\n]{2,200})`')
IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+|[A-Za-z_$][\w$]*_\w*|_\w+|[A-Za-z]*[a-z][A-Z]\w*"
    r"|[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z0-9]*_[A-Z0-9_]+)(?:\(\))?(?![\w/])"
)
FILE = re.compile(r"(?<![\w/])(?:[\w.@-]+/)*[\w.@-]*\w\.(\w{1,10})(?![\w/])|(?<![\w/])(?:[\w.@-]+/)+[\w.@-]+")
VARIABLE = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)")
METRIC = re.compile(
    r"(?<![\w./])[a-z][a-z0-9]*(?:[_:][a-z0-9]+)*_(?:total|seconds|milliseconds|bytes|count|sum|bucket|ratio|info|created)"
    r"(?![\w/(])"
)
VALUES = re.compile(r"<[^>\s]*>|0x[0-9a-fA-F]+|(?<![\w.])\d[\d.:]*(?!\w)|%[sdvq]|\{[^}\s]*\}")
HEAD = re.compile(
    r"(?<!\W)\W*(?:who|what|where|which|when|why|how|is|are|does|do|can|could|should|show|find|list|tell|explain|describe)\b",
    re.IGNORECASE,
)
SAYS_ERROR = re.compile(
    r"\b(?:\w*(?:error|exception)|errno|fail(?:ed|ure|s)|cannot|can't|could not|couldn't|unable to|invalid|unexpected"
    r"|missing|not found|no such|refused|denied|must (?:be|not)|is not|not (?:allowed|supported|set)|already exists"
    r"|out of (?:range|memory)|too (?:many|large|long)|timed out|unknown|undefined|illegal|panic)\b",
    re.IGNORECASE,
)
ASKS = {
    "definition": re.compile(
        r"\b(?:defin(?:ed|es?|ition)|declar(?:ed|es?|ation)|implement(?:ed|s|ation)|which (?:\w+ )?(?:class|function"
        r"|method|type|struct|module|file|interface))\b",
        re.IGNORECASE,
    ),
    "configuration": re.compile(
        r"\b(?:configur\w*|settings?|defaults?|tun(?:ed|able)|env(?:ironment)? var\w*|(?:is|are|gets?) \w+ set)\b",
        re.IGNORECASE,
    ),
    "test": re.compile(
        r"\b(?:tests? (?:of|for|that|which|cover\w*|check\w*)|(?:un)?tested|is covered|covered by|which tests?|e2e)\b",
        re.IGNORECASE,
    ),
    "change": re.compile(
        r"\bwhen (?:was|were|did)\b|\bwho (?:last )?(?:changed|wrote|added|removed|touched|edited|set|raised|lowered)\b"
        r"|\blast (?:changed?|edited|touched)\b|\bfrom what to what\b|\b(?:used to be|previous(?:ly)?|before it was)\b"
        r"|\b(?:git )?blame\b|\bwhat changed\b",
        re.IGNORECASE,
    ),
    "route": re.compile(r"\b(?:endpoint|(?:GET|POST|PUT|PATCH|DELETE) /|which handler|serves|route (?:for|of))\b"),
}
PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b(?!')")


@dataclass(frozen=True)
class Query:
    """What a question asks for.

    ``terms`` maps a search term to its weight, in order of appearance. ``names`` are identifiers as written,
    ``routes`` normalised endpoints, ``files`` file names or paths that end in one, ``folders`` what may be a folder,
    ``phrases`` quoted text in lower case, ``compounds`` joined neighbours that may be one identifier, ``acronyms``
    their initials, ``proper`` words with a capital inside a sentence. ``wants`` are kinds of file that are asked for,
    ``allows`` those that may be meant.

    ``asks`` says what is wanted to be known: ``definition``, ``configuration``, ``test``, ``change``, ``route``,
    ``variable``, ``metric``, ``error``. ``variables`` are names of environment variables, ``metrics`` of metrics, both
    as written; ``keys`` are all names that have a form (`written_names.keys_in`); ``message`` is what an error says,
    quoted or not, without the values in it.
    """

    text: str
    terms: dict[str, float]
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    proper: tuple[str, ...] = ()
    compounds: tuple[str, ...] = ()
    acronyms: tuple[str, ...] = ()
    wants: frozenset[str] = field(default_factory=frozenset)
    allows: frozenset[str] = field(default_factory=frozenset)
    asks: frozenset[str] = field(default_factory=frozenset)
    variables: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    message: str = ""
    keys: tuple[str, ...] = ()

    @property
    def named_kinds(self) -> frozenset[str]:
        """Kinds of file that are asked for or may be meant; they are not held down."""
        return self.wants | self.allows


def read_query(text: str, *, prose: bool = False) -> Query:
    """Read a question; only its first 2,000 characters count.

    Beside an endpoint, words for symptoms (slow, errors) say little of the code behind it, but much in ``prose``.
    """
    text = text[:MAX_CHARS].replace("\0", " ").encode("utf-8", "replace").decode()  # lone surrogates too
    phrases = tuple(next(filter(None, m.groups())).lower() for m in QUOTED.finditer(text))
    routes, rest = take_routes(text)
    files, folders, rest = take_files(rest)
    names = tuple(dict.fromkeys(m[0].removesuffix("()") for m in IDENTIFIER.finditer(rest)))
    words = content_words(f"{rest} {' '.join(files)} {' '.join(r.replace('/', ' ') for r in routes)}")
    terms: dict[str, float] = {}
    for word in words:
        for part in split_identifier(word):
            if part.isdigit() and len(part) > 5:
                continue
            root = stem(part)
            weak = root in WEAK or (bool(routes) and not prose and root in SYMPTOMS)
            terms[root] = max(terms.get(root, 0.0), 0.3 if weak else 1.0)
    if terms and max(terms.values()) < 1:
        terms = dict.fromkeys(terms, 1.0)
    variables = tuple(dict.fromkeys(m[0] for m in VARIABLE.finditer(rest)))
    metrics = tuple(dict.fromkeys(m[0] for m in METRIC.finditer(rest)))
    message = error_message(text)
    named = {"route": routes, "variable": variables, "metric": metrics, "error": message}
    return Query(
        text=text,
        terms=terms,
        words=tuple(words),
        names=names,
        routes=routes,
        files=files,
        folders=folders,
        phrases=phrases,
        proper=tuple(dict.fromkeys(m[0] for m in PROPER.finditer(rest))),
        compounds=neighbours(words),
        acronyms=initials(words),
        wants=frozenset(intents(text)),
        allows=frozenset(["test"] if TEST_MENTION.search(text) else []),
        asks=frozenset(
            [*(k for k, form in ASKS.items() if form.search(text)), *(k for k, found in named.items() if found)]
        ),
        variables=variables,
        metrics=metrics,
        message=message,
        keys=keys_in(rest),
    )


def error_message(text: str) -> str:
    """What an error says: the longest quotation that reads like one, else a text that is no question but reads so."""
    quoted = [next(filter(None, m.groups())) for m in QUOTED.finditer(text)]
    said = [q for q in quoted if SAYS_ERROR.search(q) and " " in q.strip()]
    if said:
        return " ".join(VALUES.sub(" ", max(said, key=len)).split())
    plain = text.strip()
    if HEAD.match(plain) or plain.endswith("?") or " " not in plain or not SAYS_ERROR.search(plain):
        return ""
    return " ".join(VALUES.sub(" ", plain).split())


def take_routes(text: str) -> tuple[tuple[str, ...], str]:
    """Endpoints of a question, and the text without them. ``/etc/hosts.conf`` is a file and stays."""
    found = [m for m in ROUTE.finditer(text) if not looks_like_file(m[0])]
    out = tuple(dict.fromkeys(route_term(m[0]) for m in found))
    for match in reversed(found):
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return tuple(r for r in out if any(len(part) > 2 for part in r.split("/"))), text


def take_files(text: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Files and folders of a question, and the text without the files.

    Words that slashes join (``before/after``) may be folders and stay in the text.
    """
    found = list(FILE.finditer(text))
    files = [m for m in found if looks_like_file(m[0])]
    folders = [m[0].strip("/") for m in found if m not in files]
    for match in reversed(files):
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return tuple(dict.fromkeys(m[0].strip("/") for m in files)), tuple(dict.fromkeys(folders)), text


def looks_like_file(text: str) -> bool:
    """True when the last part has an extension that some language uses."""
    name = text.rpartition("/")[2].lower().rstrip(".,:;?!")
    before, _, suffix = name.rpartition(".")
    return name in NAMES or (len(before) > 1 and suffix in EXTENSIONS)


def content_words(text: str) -> list[str]:
    """Words that carry meaning, in order."""
    return [
        w
        for w in WORD.findall(text)
        if w.lower() not in STOP_WORDS and (len(w) > 1 or w.isdigit()) and not w.startswith("__proto")
    ]


def neighbours(words: list[str]) -> tuple[str, ...]:
    """Two or three words in a row, joined: how they would be written as one identifier."""
    out = [joined(w) for w in words if len(split_identifier(w)) > 1]
    for size in (2, 3):
        out += [joined("".join(words[i : i + size])) for i in range(len(words) - size + 1)]
    return tuple(dict.fromkeys(out))


def initials(words: list[str]) -> tuple[str, ...]:
    """First letters of three or four words in a row."""
    letters = "".join(w[0].lower() for w in words)
    return tuple(dict.fromkeys(letters[i : i + n] for n in (3, 4) for i in range(len(letters) - n + 1)))


def intents(text: str) -> list[str]:
    """Kinds of file that a question asks for by name."""
    patterns = {"config": CONFIG_INTENT, "test": TEST_INTENT, "example": EXAMPLE_INTENT, "doc": DOC_INTENT}
    return [name for name, pattern in patterns.items() if pattern.search(text)]
