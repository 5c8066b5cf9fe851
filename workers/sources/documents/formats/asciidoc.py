"""AsciiDoc: headings, ids as Asciidoctor makes them, list items and cross references; nothing is included."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from workers.sources.documents.document import Document, Heading, Link, cut, slug, title_of
from workers.sources.documents.formats.plain import text_items

HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?\s*$")
FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|_{4,}|`{3,}.*|[|,:!]={3,}|--)\s*$")
VERBATIM = frozenset("-.+/`")
OPEN = "--"
LONGEST = 1_000
UNDERLINES = "=-~^+"
ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:\s+(.*?))?\s*$")
ABOVE = re.compile(r"\[(?!\[)(.*)\]\s*$")
BLOCK_ANCHOR = re.compile(r"\[\[([^\],\s]+)(?:,[^\]]*)?\]\]\s*$")
INLINE_ANCHOR = re.compile(r"\[\[([^\],\s]+)(?:,[^\]]*)?\]\]\s*|anchor:([\w:.-]+)\[[^\]]*\]\s*")
ID = re.compile(r"#([\w:.-]+)|\bid=[\"']?([\w:.-]+)")
REFERENCE = re.compile(r"\{([\w-]+)\}")
XREF = re.compile(
    r"(?:xref|link):(?!https?:)(?P<place>[^\s\[\]]{1,500})\[(?P<said>[^\]]{0,500})"
    r"|<<(?P<inside>[^<>,\s]{1,500})(?:,(?P<words>[^<>]{0,500}))?>>"
)
MARKUP = re.compile(r"(?<!\w)([*_`+#]{1,2})(?=\S)(.+?)(?<=\S)\1(?!\w)")
MACRO = re.compile(r"(?:xref:|link:|https?://)[^\s\[\]]{0,500}\[([^\]]*)\]")
ITEM_MARK = re.compile(r"([*.-]+|\d+\.)\s")
ITEM = re.compile(r"(?<!\s)\s*(?:-|\*{1,5}|\.{1,5}|\d+\.|<[\d.]+>)\s+(.*)")
NO_MORE = re.compile(r"[+\[=|/.-]|(?<!\s)\s*$|(?<!\S)\S+::(\s|$)")
UNUSABLE = re.compile(r"<[^>]+>|[^ \w\-.]")
REPLACED = (("(C)", ""), ("(R)", ""), ("(TM)", ""), ("...", ""), ("'", ""))


def read_asciidoc(path: str, lines: Sequence[str]) -> Document:
    """Cut a document at its headings."""
    headings = list(asciidoc_headings(lines))
    title = title_of(path, headings)
    links = tuple(asciidoc_links(lines))
    return Document(
        title, tuple(cut(title, headings, text_items(lines, ITEM, NO_MORE), len(lines))), tuple(lines), links=links
    )


def asciidoc_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """Headings outside of delimited blocks and comments."""
    fences: list[str] = []
    attributes: dict[str, str | None] = {}
    ids: dict[str, int] = {}
    marks: dict[str, int] = {}
    after = 0
    for i, raw in enumerate(lines):
        line = raw.removeprefix("\ufeff").rstrip()
        if i < after or len(line) > LONGEST:
            continue
        if fence := delimiter(line, fences) if not underlined(lines, i) else "":
            fences[:] = fences[: fences.index(fence)] if fence in fences else [*fences, fence]
        elif not fences and (found := ATTRIBUTE.match(line)):
            name, value = found[1], found[2] or ""
            attributes[name.strip("!")] = None if "!" in name else value
        elif not fences and (title := title_at(lines, i)):
            level, text, size = title
            above = block_lines(lines, i)
            text = REFERENCE.sub(lambda m: attributes.get(m[1].lower()) or m[0], text)
            own = INLINE_ANCHOR.search(text)
            names = [n for a in above for n in ids_above(a)] + [m[1] or m[2] for m in [own] if m]
            text = shown(INLINE_ANCHOR.sub("", text))
            anchor = names[0] if names else section_id(text, attributes, ids) if level > 1 or ids else ""
            ids.setdefault(anchor, 1)
            yield Heading(text, level, i + 1, anchor, names[0] if names else slug(text, marks), tuple(names))
            after = i + size


def delimiter(line: str, fences: Sequence[str]) -> str:
    """The delimiter of a block that begins or ends here; inside a verbatim block only its own end counts."""
    match = FENCE.match(line)
    if not match:
        return ""
    fence = "```" if line.startswith("```") else match[1]
    verbatim = bool(fences) and fences[-1][0] in VERBATIM and fences[-1] != OPEN
    return "" if verbatim and fence != fences[-1] else fence


def underlined(lines: Sequence[str], i: int) -> bool:
    """True when a line is the underline of a title above it."""
    return i > 0 and setext(lines, i - 1) > 0


def title_at(lines: Sequence[str], i: int) -> tuple[int, str, int] | None:
    """Level, text and number of lines of the title that begins at an index."""
    line = lines[i].removeprefix("\ufeff").rstrip()
    if match := HEADING.match(line):
        return len(match[1]), match[2], 1
    level = setext(lines, i)
    return (level, line, 2) if level else None


def setext(lines: Sequence[str], i: int) -> int:
    """The level of a title of two lines, 0 for none: the underline is as long as the text, give or take one."""
    text = lines[i].removeprefix("\ufeff").rstrip()
    below = lines[i + 1].rstrip() if i + 1 < len(lines) else ""
    if len(below) < 3 or below[0] not in UNDERLINES or below.strip(below[0]) or abs(len(below) - len(text)) > 1:
        return 0
    if not re.search(r"\w", text) or text[0] in ".[ \t" or FENCE.match(text) or ITEM_MARK.match(text):
        return 0
    before = lines[i - 1].strip() if i else ""
    return UNDERLINES.index(below[0]) + 1 if not before or before.startswith(("[", "//", ":")) else 0


def block_lines(lines: Sequence[str], i: int) -> list[str]:
    """The attribute lines right above a title."""
    out = []
    for line in reversed(lines[max(0, i - 6) : i]):
        if not line.startswith("["):
            break
        out.append(line.strip())
    return out


def ids_above(line: str) -> list[str]:
    """The ids that an attribute line sets."""
    if match := BLOCK_ANCHOR.match(line):
        return [match[1]]
    match = ABOVE.match(line)
    return [m[1] or m[2] for m in ID.finditer(match[1])] if match else []


def shown(text: str) -> str:
    """A title without its markup."""
    text = MACRO.sub(r"\1", text)
    for _ in range(2):
        text = MARKUP.sub(r"\2", text)
    return " ".join(text.split())


def section_id(text: str, attributes: dict[str, str | None], ids: dict[str, int]) -> str:
    """The id that Asciidoctor makes of a title; ``ids`` are those that are taken, with the last number tried."""
    if "sectids" in attributes and attributes["sectids"] is None:
        return ""
    prefix = attributes.get("idprefix", "_") or ""
    separator = (attributes.get("idseparator", "_") or "")[:1]
    plain = html.unescape(text).lower()
    for sign, instead in REPLACED:
        plain = plain.replace(sign.lower(), instead)
    made = prefix + UNUSABLE.sub("", plain)
    if separator:
        made = re.sub(rf"[ .\-{re.escape(separator)}]+", separator, made).removesuffix(separator)
        made = made.removeprefix(separator) if not prefix else made
    else:
        made = made.replace(" ", "")
    known = made
    while known in ids:
        ids[made] += 1
        known = f"{made}{separator}{ids[made]}"
    return known


def asciidoc_links(lines: Sequence[str]) -> Iterator[Link]:
    """Cross references, and links within the documents."""
    for i, line in enumerate(lines, 1):
        if "xref:" in line or "link:" in line or "<<" in line:
            for match in XREF.finditer(line):
                inside = match["inside"]
                target = inside if inside and "#" in inside else f"#{inside}" if inside else match["place"]
                yield Link(i, target, (match["said"] or match["words"] or "").strip())
