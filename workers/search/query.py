"""A question -> what to look for: weighted terms, and the specific things that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workers.search.languages import EXTENSIONS, NAMES
from workers.search.tokens import ROUTE, WORD, joined, route_term, split_identifier, stem
from workers.search.vocabulary import FUNCTION_WORDS, SYMPTOMS, WEAK

MAX_CHARS = 2_000
CONFIG_INTENT = re.compile(
    r"\b(config\w*|settings?|set|tun(ed|able|ing)|env(ironment)?( var\w*)?|parameters?|defaults?|limits?|values?)\b",
    re.IGNORECASE,
)
TEST_INTENT = re.compile(r"\b(tests?|tested|testing|specs?|fixtures?|mocks?|mocked|e2e|coverage)\b", re.IGNORECASE)
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
PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b(?!')")


@dataclass(frozen=True)
class Query:
    """What a question asks for.

    ``terms`` maps a search term to its weight, in order of appearance. ``names`` are identifiers as written,
    ``routes`` normalised endpoints, ``files`` file names or paths that end in one, ``folders`` what may be a folder,
    ``phrases`` quoted text in lower case, ``compounds`` joined neighbours that may be one identifier, ``acronyms``
    their initials, ``proper`` words with a capital inside a sentence.
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
    )


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
        if w.lower() not in FUNCTION_WORDS and (len(w) > 1 or w.isdigit()) and not w.startswith("__proto")
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
