"""One message of Slack -> the words of its author, what it quotes, and what in it was not read.

Whatever a payload holds, nothing breaks. An app says much in blocks and
attachments only; in a person's message these hold what others wrote. Quotes are data: nobody asks anything by them.

Source: Slack's "Block Kit", "Reference: Secondary message attachments" and the ``file`` object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from workers.language.mrkdwn import TOKEN, escape, plain_text, token
from workers.language.payload_values import encodable
from workers.slack_messages.fields import Fields

WORD = re.compile(r"[^\W_]+")
TEXTS = ("pretext", "title", "text", "value")
PRESSED = frozenset({"actions", "button", "context_actions", "input"})
CANVASES = frozenset({"canvas", "quip", "space", "docs", "post"})
"""Files whose preview is mark-up of their own."""
MOST_NESTED = 3
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
    read of, as a part of a sentence ("error.log"); ``app``: an app wrote it.
    """

    raw: str = ""
    author: str = ""
    quotes: tuple[Quote, ...] = ()
    files: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    app: bool = False

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

    @property
    def quotation(self) -> str:
        """The message that someone points at, whole; of an app's, with its name. Empty when it says nothing."""
        if not self.app or not self.whole:
            return self.whole
        return str(Quote(f"The app {self.author} posted" if self.author else "An app posted", self.whole))


def read_content(message: Fields) -> MessageContent:
    """Read a message object of a person or an app, whatever holds it."""
    return read_part(message, app=is_apps(message), nested=0)


def is_apps(message: Fields) -> bool:
    """Whether an app wrote a message."""
    return bool(message.value("bot_id") or message.value("bot_profile")) or message.text("subtype") == "bot_message"


# --- parts of a message -----------------------------------------------------------------------------------------


def read_part(message: Fields, *, app: bool, nested: int) -> MessageContent:
    """A message, or an attachment that holds one. ``nested``: in how many others it stands."""
    unread = list[str]()
    said = [merge(message.text("text"), blocks_in(message.objects("blocks"), unread))]
    quotes = list[Quote]()
    for attachment in message.objects("attachments") if nested < MOST_NESTED else ():
        if app and not is_passed_on(attachment):
            said.append(read_attachment(attachment, unread))
            continue
        quotes.extend(quotes_of(attachment, unread, nested))
    titles = list[str]()
    for file in message.objects("files"):
        if file.text("mode") == "tombstone":
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
        app=app,
    )


def quotes_of(attachment: Fields, unread: list[str], nested: int) -> Iterator[Quote]:
    """What an attachment of a person's message says, or a forward, and what is quoted in that again."""
    if not is_passed_on(attachment):
        url = attachment.text("from_url") or attachment.text("original_url")
        if text := plain_text(read_attachment(attachment, [])):  # nobody misses the pictures of a link
            yield Quote(f"The preview of {plain_text(url)} says" if url else "An attachment says", text)
        return
    held = Fields({key: attachment.value(key) for key in ("attachments", "files")})
    inner = read_part(held, app=True, nested=nested + 1)
    words = in_lines((read_attachment(attachment, unread), inner.raw))
    unread.extend(inner.unread)
    who = one_line(attachment.text("author_name") or attachment.text("author_subname"))
    if text := plain_text(words or attachment.text("fallback")):
        yield Quote(f"{who or 'Someone'} wrote", text, passed_on=True)
    yield from inner.quotes


def is_passed_on(attachment: Fields) -> bool:
    """Whether an attachment is a message that was forwarded, or linked to."""
    return bool(attachment.value("is_share") or attachment.value("is_msg_unfurl"))


def read_attachment(attachment: Fields, unread: list[str]) -> str:
    """A legacy attachment as it is shown; its fallback only where it shows nothing else."""
    passed_on = is_passed_on(attachment)
    blocks = blocks_in(attachment.objects("blocks"), unread)
    for one in attachment.objects("message_blocks"):
        blocks.extend(blocks_in(one.objects("message", "blocks"), unread))
    said = (
        attachment.text("pretext"),
        "" if passed_on else attachment.text("author_name"),
        attachment.text("title"),
        merge(attachment.text("text"), blocks),
        *map(read_field, attachment.objects("fields")),
    )
    if attachment.text("image_url"):
        unread.append(picture_name(attachment.text("title")))
    if words := in_lines(said):
        return words if passed_on else in_lines((words, attachment.text("footer")))
    return attachment.text("fallback")


def read_field(field: Fields) -> str:
    """A title and its value."""
    title, value = field.text("title").strip(), field.text("value")
    return f"{title}: {value}" if title and value.strip() and "\n" not in value else in_lines((title, value))


def picture_name(title: str, noun: str = "picture") -> str:
    """A picture as a part of a sentence."""
    name = one_line(plain_text(title))
    return f"the {noun} “{name}”" if name else f"a {noun}"


def author_in(message: Fields) -> str:
    """The name that an app's message gives its author."""
    names = (message.text("username"), message.text("bot_profile", "name"))
    return next(filter(None, map(one_line, names)), "")


# --- files ------------------------------------------------------------------------------------------------------


def title_of(file: Fields) -> str:
    """What a file is called; empty when Slack does not tell."""
    return next(filter(None, (one_line(plain_text(file.text(key))) for key in ("title", "name"))), "")


def file_text(file: Fields) -> str:
    """The words of a file that came with it: a snippet's, an e-mail's, what was said in a clip."""
    spoken = file.text("transcription", "preview", "content")
    given = [file.text("plain_text"), file.text("preview_plain_text"), spoken]
    if not {file.text("mode"), file.text("filetype")} & CANVASES:
        given.append(file.text("preview"))
    return next((text for text in map(visible, given) if text), "")


def is_cut(file: Fields) -> bool:
    """Whether a file holds more than came with it."""
    if file.text("plain_text").strip():
        return False
    cut = file.is_true("preview_is_truncated") or file.is_true("transcription", "preview", "has_more")
    return cut or (file.number("lines_more") or 0) > 0


def visible(text: str) -> str:
    """Text that Slack does not mark up, without what cannot be kept."""
    return plain_text(escape(text))


# --- blocks -----------------------------------------------------------------------------------------------------


def blocks_in(blocks: Iterable[Fields], unread: list[str]) -> list[str]:
    """The text of each block with Slack's marks. ``unread``: gets what no words stand for."""
    return [text for block in blocks for text in read_block(block, unread) if text.strip()]


def read_block(block: Fields, unread: list[str]) -> Iterator[str]:
    """The texts of one block."""
    kind = block.text("type")
    if kind in PRESSED:
        return
    if kind == "rich_text":
        yield from map(read_rich_part, block.objects("elements"))
    elif kind in {"section", "header"}:
        yield block.text("text", "text")
        yield from (field.text("text") for field in block.objects("fields"))
    elif kind == "markdown":
        yield escape(block.text("text"))
    elif kind == "table":
        for row in block.items("rows"):
            cells = Fields({"row": row}).objects("row")
            yield " | ".join(in_lines(blocks_in([cell], unread) or list(texts_in(cell.given))) for cell in cells)
    elif kind in {"image", "video"}:
        title, alt = block.text("title", "text"), block.text("alt_text")
        yield from dict.fromkeys((title, alt, block.text("description", "text")))
        unread.append(picture_name(title or alt, "picture" if kind == "image" else kind))
    elif kind == "context":
        elements = block.objects("elements")
        yield " ".join(one.text("text") or one.text("alt_text") for one in elements)
    elif kind == "file":
        unread.append("a file")
    else:
        yield from texts_in(block.given)


def read_rich_part(part: Fields) -> str:
    """A section, list, quotation or piece of code of rich text."""
    elements = part.objects("elements")
    kind = part.text("type")
    if kind == "rich_text_list":
        indent = "    " * min(part.number("indent") or 0, DEEPEST_LIST)
        ordered = part.text("style") == "ordered"
        items = enumerate(map(leaves_in, elements), start=(part.number("offset") or 0) + 1)
        return "\n".join(f"{indent}{f'{place}.' if ordered else '•'} {item}" for place, item in items)
    text = leaves_in(part)
    if kind == "rich_text_quote":
        return "\n".join(f"&gt; {line}" for line in text.splitlines())
    return f"```\n{text}\n```" if kind == "rich_text_preformatted" and text.strip() else text


def leaves_in(line: Fields) -> str:
    """The pieces of a line of rich text."""
    return "".join(map(read_leaf, line.objects("elements")))


def read_leaf(leaf: Fields) -> str:
    """One piece of rich text with Slack's marks."""
    text = escape(leaf.text("text"))
    match leaf.text("type"):
        case "link":
            url = token(leaf.text("url"))
            label = token(leaf.text("text"))
            return f"<{url}|{label}>" if label and url else f"<{url}>" if url else text
        case "user":
            return f"<@{token(leaf.text('user_id'))}>"
        case "usergroup":
            return f"<!subteam^{token(leaf.text('usergroup_id'))}>"
        case "channel":
            return f"<#{token(leaf.text('channel_id'))}>"
        case "broadcast":
            return f"<!{token(leaf.text('range'))}>"
        case "emoji":
            tone = leaf.number("skin_tone")
            return f":{escape(leaf.text('name'))}:{'' if tone is None else f':skin-tone-{tone}:'}"
        case "date":
            return escape(leaf.text("fallback") or moment_in(leaf.number("timestamp")))
        case "color":
            return escape(leaf.text("value"))
        case "text" if leaf.is_true("style", "code"):
            return f"`{text}`"
        case _:
            return text


def moment_in(timestamp: int | None) -> str:
    """Seconds since the epoch as a date and time, UTC; empty when they are none."""
    if timestamp is None or not 0 <= timestamp < 1 << 33:
        return ""
    return f"{datetime.fromtimestamp(timestamp, UTC):%Y-%m-%d %H:%M} UTC"


def texts_in(parts: Any) -> Iterator[str]:
    """Every text in blocks of a kind that is read by no rule of its own, in order."""
    ahead = [parts]
    while ahead:
        part = ahead.pop()
        if isinstance(part, Mapping) and Fields(part).text("type") not in PRESSED:
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
