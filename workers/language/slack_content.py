"""One message of Slack -> the words of its author, what it quotes, and what in it was not read.

Pure, and the only reader of a message: whatever a payload holds, nothing breaks. An app says much in blocks and
attachments only; in a person's message these hold what others wrote. Quotes are data: nobody asks anything by them.

Source: Slack's "Block Kit", "Reference: Secondary message attachments" and the ``file`` object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from workers.language.slack_text import TOKEN, encodable, plain_text, text_at, value_at

WORD = re.compile(r"[^\W_]+")
TEXTS = ("pretext", "title", "text", "value")
PRESSED = frozenset({"actions", "button", "context_actions", "input"})
CANVASES = frozenset({"canvas", "quip", "space", "docs", "post"})
"""Files whose preview is mark-up of their own."""
MOST_NESTED, MOST_NAMED = 3, 5
LONGEST_QUOTE, LONGEST_NAME = 8_000, 200
DEEPEST_LIST = 8


@dataclass(frozen=True)
class Quote:
    """Words that stand in a message and that its author did not write there.

    ``source``: what they are from, as the beginning of a sentence ("Tomas wrote"); ``passed_on``: a message of someone
    that the author forwarded, rather than a file or the preview of a link.
    """

    source: str
    text: str
    passed_on: bool = False

    def __str__(self) -> str:
        """One text that says whose words these are."""
        return f"{self.source}: “{shortened(self.text, LONGEST_QUOTE)}”"


@dataclass(frozen=True)
class MessageContent:
    """What stands in a message.

    ``raw``: its author's words with Slack's marks; ``author``: the name that an app's message gives itself; ``quotes``:
    in the order they stand; ``files``: the titles of its files; ``unread``: what a person sees there and nothing was
    read of, as a part of a sentence ("error.log").
    """

    raw: str = ""
    author: str = ""
    quotes: tuple[Quote, ...] = ()
    files: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The author's words as a person reads them."""
        return plain_text(self.raw)

    @property
    def passed_on(self) -> str:
        """The author's words and those of messages they forwarded."""
        return in_lines((self.text, *(quote.text for quote in self.quotes if quote.passed_on)))

    @property
    def whole(self) -> str:
        """Everything as a person reads it, each quote with its source."""
        return in_lines((self.text, *map(str, self.quotes)))


def read_content(message: Any) -> MessageContent:
    """Read one message of a person or an app.

    Args:
        message: a message object of an event, a page of history, an export or a shortcut; anything else has no words.
    """
    if not isinstance(message, Mapping):
        return MessageContent()
    return read_part(message, app=is_apps(message), nested=0)


def is_apps(message: Any) -> bool:
    """Whether an app wrote a message."""
    if not isinstance(message, Mapping):
        return False
    return bool(message.get("bot_id") or message.get("bot_profile")) or message.get("subtype") == "bot_message"


def quote_message(message: Any) -> str:
    """A message that someone points at, whole, as one text; of an app's, with its name. Empty when it says nothing."""
    content = read_content(message)
    if not is_apps(message) or not content.whole:
        return content.whole
    author = f"The app {content.author}" if content.author else "An app"
    return str(Quote(f"{author} posted", content.whole))


def list_unread(names: tuple[str, ...]) -> str:
    """One sentence that names what was not read; empty when there is nothing."""
    shown = list(dict.fromkeys(names))
    if not shown:
        return ""
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 1], f"{len(shown) - MOST_NAMED + 1} more"]
    *first, last = shown
    return f"I did not read {', '.join(first)} and {last}." if first else f"I did not read {last}."


# --- parts of a message -----------------------------------------------------------------------------------------


def read_part(message: Mapping[str, Any], *, app: bool, nested: int) -> MessageContent:
    """A message, or an attachment that holds one. ``nested``: in how many others it stands."""
    unread = list[str]()
    said = [merge(text_at(message, "text"), blocks_in(message.get("blocks"), unread))]
    quotes = list[Quote]()
    for attachment in mappings(message.get("attachments")) if nested < MOST_NESTED else ():
        if app and not is_passed_on(attachment):
            said.append(read_attachment(attachment, unread))
            continue
        quotes.extend(quotes_of(attachment, unread, nested))
    titles = list[str]()
    for file in mappings(message.get("files")):
        if text_at(file, "mode") == "tombstone":
            continue
        title = title_of(file)
        titles.extend(filter(None, (title,)))
        if text := file_text(file):
            quotes.append(Quote(f"The file {title or 'without a name'} says", text))
            unread.extend([f"the rest of {title or 'a file'}"] if is_cut(file) else [])
        else:
            unread.append(title or "a file")
    return MessageContent(
        raw=in_lines(said),
        author=author_in(message),
        quotes=tuple(dict.fromkeys(quotes)),
        files=tuple(titles),
        unread=tuple(dict.fromkeys(unread)),
    )


def quotes_of(attachment: Mapping[str, Any], unread: list[str], nested: int) -> Iterator[Quote]:
    """What an attachment of a person's message says, or a forward, and what is quoted in that again."""
    if not is_passed_on(attachment):
        url = text_at(attachment, "from_url") or text_at(attachment, "original_url")
        if text := plain_text(read_attachment(attachment, [])):  # nobody misses the pictures of a link
            yield Quote(f"The preview of {plain_text(url)} says" if url else "An attachment says", text)
        return
    inner = read_part({key: attachment.get(key) for key in ("attachments", "files")}, app=True, nested=nested + 1)
    words = in_lines((read_attachment(attachment, unread), inner.raw))
    unread.extend(inner.unread)
    who = one_line(text_at(attachment, "author_name") or text_at(attachment, "author_subname"))
    if text := plain_text(words or text_at(attachment, "fallback")):
        yield Quote(f"{who or 'Someone'} wrote", text, passed_on=True)
    yield from inner.quotes


def is_passed_on(attachment: Mapping[str, Any]) -> bool:
    """Whether an attachment is a message that was forwarded, or linked to."""
    return bool(attachment.get("is_share") or attachment.get("is_msg_unfurl"))


def read_attachment(attachment: Mapping[str, Any], unread: list[str]) -> str:
    """A legacy attachment as it is shown; its fallback only where it shows nothing else."""
    passed_on = is_passed_on(attachment)
    blocks = blocks_in(attachment.get("blocks"), unread)
    for one in mappings(attachment.get("message_blocks")):
        blocks.extend(blocks_in(value_at(one, "message", "blocks"), unread))
    said = (
        text_at(attachment, "pretext"),
        "" if passed_on else text_at(attachment, "author_name"),
        text_at(attachment, "title"),
        merge(text_at(attachment, "text"), blocks),
        *map(read_field, mappings(attachment.get("fields"))),
    )
    if text_at(attachment, "image_url"):
        unread.append(picture_name(text_at(attachment, "title")))
    if words := in_lines(said):
        return words if passed_on else in_lines((words, text_at(attachment, "footer")))
    return text_at(attachment, "fallback")


def read_field(field: Mapping[str, Any]) -> str:
    """A title and its value."""
    title, value = text_at(field, "title").strip(), text_at(field, "value")
    return f"{title}: {value}" if title and value.strip() and "\n" not in value else in_lines((title, value))


def picture_name(title: str, noun: str = "picture") -> str:
    """A picture as a part of a sentence."""
    name = one_line(plain_text(title))
    return f"the {noun} “{name}”" if name else f"a {noun}"


def author_in(message: Mapping[str, Any]) -> str:
    """The name that an app's message gives its author."""
    names = (text_at(message, "username"), text_at(message.get("bot_profile"), "name"))
    return next(filter(None, map(one_line, names)), "")


# --- files ------------------------------------------------------------------------------------------------------


def title_of(file: Mapping[str, Any]) -> str:
    """What a file is called; empty when Slack does not tell."""
    return next(filter(None, (one_line(plain_text(text_at(file, key))) for key in ("title", "name"))), "")


def file_text(file: Mapping[str, Any]) -> str:
    """The words of a file that came with it: a snippet's, an e-mail's, what was said in a clip."""
    spoken = text_at(file, "transcription", "preview", "content")
    given = [text_at(file, "plain_text"), text_at(file, "preview_plain_text"), spoken]
    if not {text_at(file, "mode"), text_at(file, "filetype")} & CANVASES:
        given.append(text_at(file, "preview"))
    return next((text for text in map(visible, given) if text), "")


def is_cut(file: Mapping[str, Any]) -> bool:
    """Whether a file holds more than came with it."""
    if text_at(file, "plain_text").strip():
        return False
    more = file.get("lines_more")
    marks = (file.get("preview_is_truncated"), value_at(file, "transcription", "preview", "has_more"))
    return any(mark is True for mark in marks) or (isinstance(more, int) and more > 0)


def visible(text: str) -> str:
    """Text that Slack does not mark up, without what cannot be kept."""
    return plain_text(escape(text))


# --- blocks -----------------------------------------------------------------------------------------------------


def blocks_in(blocks: Any, unread: list[str]) -> list[str]:
    """The text of each block with Slack's marks. ``unread``: gets what no words stand for."""
    return [text for block in mappings(blocks) for text in read_block(block, unread) if text.strip()]


def read_block(block: Mapping[str, Any], unread: list[str]) -> Iterator[str]:
    """The texts of one block."""
    kind = text_at(block, "type")
    if kind in PRESSED:
        return
    if kind == "rich_text":
        yield from map(read_rich_part, mappings(block.get("elements")))
    elif kind in {"section", "header"}:
        yield text_at(block, "text", "text")
        yield from (text_at(field, "text") for field in mappings(block.get("fields")))
    elif kind == "markdown":
        yield escape(text_at(block, "text"))
    elif kind == "table":
        for row in rows_of(block):
            yield " | ".join(in_lines(blocks_in([cell], unread) or list(texts_in(cell))) for cell in row)
    elif kind in {"image", "video"}:
        title, alt = text_at(block, "title", "text"), text_at(block, "alt_text")
        yield from dict.fromkeys((title, alt, text_at(block, "description", "text")))
        unread.append(picture_name(title or alt, "picture" if kind == "image" else kind))
    elif kind == "context":
        elements = mappings(block.get("elements"))
        yield " ".join(text_at(one, "text") or text_at(one, "alt_text") for one in elements)
    elif kind == "file":
        unread.append("a file")
    else:
        yield from texts_in(block)


def rows_of(block: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """The cells of a table."""
    rows = block.get("rows")
    return [list(mappings(row)) for row in rows] if isinstance(rows, list) else []


def read_rich_part(part: Mapping[str, Any]) -> str:
    """A section, list, quotation or piece of code of rich text."""
    elements = mappings(part.get("elements"))
    kind = text_at(part, "type")
    if kind == "rich_text_list":
        depth, first = part.get("indent"), part.get("offset")
        indent = "    " * min(depth, DEEPEST_LIST) if isinstance(depth, int) else ""
        start = first + 1 if isinstance(first, int) else 1
        ordered = part.get("style") == "ordered"
        items = enumerate((leaves_in(one.get("elements")) for one in elements), start=start)
        return "\n".join(f"{indent}{f'{place}.' if ordered else '•'} {item}" for place, item in items)
    text = leaves_in(part.get("elements"))
    if kind == "rich_text_quote":
        return "\n".join(f"&gt; {line}" for line in text.splitlines())
    return f"```\n{text}\n```" if kind == "rich_text_preformatted" and text.strip() else text


def leaves_in(elements: Any) -> str:
    """The pieces of a line of rich text."""
    return "".join(map(read_leaf, mappings(elements)))


def read_leaf(leaf: Mapping[str, Any]) -> str:
    """One piece of rich text with Slack's marks."""
    text = escape(text_at(leaf, "text"))
    match text_at(leaf, "type"):
        case "link":
            url = token(text_at(leaf, "url"))
            label = token(text_at(leaf, "text"))
            return f"<{url}|{label}>" if label and url else f"<{url}>" if url else text
        case "user":
            return f"<@{token(text_at(leaf, 'user_id'))}>"
        case "usergroup":
            return f"<!subteam^{token(text_at(leaf, 'usergroup_id'))}>"
        case "channel":
            return f"<#{token(text_at(leaf, 'channel_id'))}>"
        case "broadcast":
            return f"<!{token(text_at(leaf, 'range'))}>"
        case "emoji":
            tone = leaf.get("skin_tone")
            return f":{escape(text_at(leaf, 'name'))}:{f':skin-tone-{tone}:' if isinstance(tone, int) else ''}"
        case "date":
            return escape(text_at(leaf, "fallback") or moment_in(leaf.get("timestamp")))
        case "color":
            return escape(text_at(leaf, "value"))
        case "text" if value_at(leaf, "style", "code") is True:
            return f"`{text}`"
        case _:
            return text


def moment_in(timestamp: Any) -> str:
    """Seconds since the epoch as a date and time, UTC; empty when they are none."""
    if not isinstance(timestamp, int) or not 0 <= timestamp < 1 << 33:
        return ""
    return f"{datetime.fromtimestamp(timestamp, UTC):%Y-%m-%d %H:%M} UTC"


def texts_in(parts: Any) -> Iterator[str]:
    """Every text in blocks of a kind that is read by no rule of its own, in order."""
    ahead = [parts]
    while ahead:
        part = ahead.pop()
        if isinstance(part, Mapping) and text_at(part, "type") not in PRESSED:
            yield from (part[key] for key in TEXTS if isinstance(part.get(key), str))
            ahead.extend(inner for inner in reversed(list(part.values())) if isinstance(inner, Mapping | list))
        elif isinstance(part, list):
            ahead.extend(reversed(part))


# --- text -------------------------------------------------------------------------------------------------------


def merge(text: str, parts: list[str]) -> str:
    """A message's text and what its blocks say beside it; where one of them holds the other, that is enough."""
    if not text.strip():
        return in_lines(parts)
    told, shown = bare(text), "\n".join(parts)
    more = [part for part in parts if bare(part) not in told]
    held = told in bare(shown) if told else text.strip() in shown
    return in_lines(parts if more and held else (text, *more))


def bare(raw: str) -> str:
    """The words alone, by which the same stands in two forms. Who is mentioned goes by id here and by name there."""
    said = TOKEN.sub(lambda found: " " if found[1][:1] in "@#!" else found[0], raw)
    words = WORD.findall(plain_text(said).lower())
    return f" {' '.join(words)} " if words else ""


def in_lines(texts: Any) -> str:
    """Texts that say something, each once and on lines of its own."""
    return "\n".join(dict.fromkeys(text for text in texts if text.strip()))


def one_line(text: str) -> str:
    """A name as people are shown it."""
    return shortened(" ".join(encodable(text).split()), LONGEST_NAME)


def shortened(text: str, most: int) -> str:
    """At most so many characters, an ellipsis where something was left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def escape(text: str) -> str:
    """Text as Slack marks it up."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def token(text: str) -> str:
    """Text that can stand within a mark."""
    return escape(text).replace("|", " ")


def mappings(values: Any) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []
