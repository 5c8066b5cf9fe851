"""OpenAPI and Swagger files, YAML or JSON: a section an operation, with its parameters and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import yaml

from workers.sources.documents.document import Document, Heading, Unreadable, cut, title_of

SAYS = re.compile(
    rb"""^["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d|[{,]\s*"(?:openapi|swagger)"\s*:\s*"\d""", re.MULTILINE
)
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
PARTS = ("schemas", "responses", "parameters", "requestBodies", "securitySchemes", "examples", "headers", "callbacks")
OLD_PARTS = ("definitions", "responses", "parameters", "securityDefinitions")
BRACKET = re.compile(r"[\[\]{}]")
MOST_DEEP = 200
LONG_LINES = 400
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Node:
    """A value and its line, from 1; of a member of a mapping that of its key."""

    value: Any
    line: int

    def get(self, key: str) -> Node:
        """The member of a mapping, an empty node when there is none."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, Node) else Node(None, self.line)

    def members(self) -> Iterator[tuple[str, Node]]:
        """The members of a mapping."""
        yield from self.value.items() if isinstance(self.value, dict) else ()

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        yield from self.value if isinstance(self.value, list) else ()

    @property
    def text(self) -> str:
        """A scalar, on one line."""
        return " ".join(self.value.split()) if isinstance(self.value, str) else ""


def is_openapi(source: bytes) -> bool:
    """True when a YAML or JSON file says that it describes an interface."""
    return bool(SAYS.search(source))


def read_openapi(path: str, lines: Sequence[str]) -> Document:
    """Cut a description at its operations; JSON on one long line is laid out first.

    Raises:
        Unreadable: it is neither YAML nor JSON.
    """
    source = "\n".join(lines).removeprefix("\ufeff")
    json_like = source.lstrip().startswith("{")
    extracted = json_like and len(source) > LONG_LINES * max(len(lines), 1)
    try:
        root = Node(None, 1) if extracted else compose(source)
    except yaml.YAMLError as error:
        if not json_like:
            raise Unreadable(f"it is no YAML: {str(error).splitlines()[0][:80]}") from error
        extracted = True
    if extracted:
        lines = laid_out(source)
        try:
            root = compose("\n".join(lines))
        except yaml.YAMLError as error:
            raise Unreadable("it is no JSON that can be laid out") from error
    headings: list[Heading] = []
    steps: list[tuple[str, int]] = []
    for heading, own in sorted(parts_of(root), key=lambda part: part[0].line):
        if not headings or headings[-1].line < heading.line:
            headings.append(heading)
            steps += own
    title = title_of(path, (), root.get("info").get("title").text)
    return Document(title, tuple(cut(title, headings, steps, len(lines))), tuple(lines), extracted)


def laid_out(source: str) -> list[str]:
    """JSON with a member a line.

    Raises:
        Unreadable: it is no JSON.
    """
    depth = 0
    for match in BRACKET.finditer(source):
        depth += 1 if match[0] in "[{" else -1
        if depth > MOST_DEEP:  # or the indents alone would be far longer than the text
            raise Unreadable("it is nested too deeply")
    try:
        return (
            json.dumps(json.loads(source), indent=2, ensure_ascii=False).encode("utf-8", "replace").decode().split("\n")
        )
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error


def compose(source: str) -> Node:
    """The tree of the first YAML document; aliases share what they stand for.

    Raises:
        Unreadable: it is nested deeper than anyone writes.
        yaml.YAMLError: it is no YAML.
    """
    root = Node(None, 1)
    open_: list[tuple[Node, Node | None]] = []  # a container, and in a mapping the key that waits for its value
    named: dict[str, Node] = {}
    events: Any = yaml.parse(source, Loader=LOADER)
    for event in events:
        line, anchor = event.start_mark.line + 1, getattr(event, "anchor", None) or ""
        if isinstance(event, yaml.CollectionEndEvent):
            open_.pop()
            continue
        if isinstance(event, yaml.DocumentEndEvent):
            break
        if isinstance(event, yaml.AliasEvent):
            node = Node(named.get(anchor, root).value, line)
        elif isinstance(event, yaml.NodeEvent):
            node = Node(empty(event), line)
            named |= {anchor: node} if anchor else {}
        else:
            continue
        if open_:
            open_[-1] = (open_[-1][0], put(*open_[-1], node))
        else:
            root = node
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_) >= MOST_DEEP:
                raise Unreadable("it is nested too deeply")
            open_.append((node, None))
    return root


def empty(event: Any) -> Any:
    """The value that an event begins."""
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    return [] if isinstance(event, yaml.SequenceStartEvent) else event.value


def put(container: Node, key: Node | None, node: Node) -> Node | None:
    """Add a node to what is open, and return the key that now waits."""
    if isinstance(container.value, list):
        container.value.append(node)
        return None
    if key is None:
        return node
    if key.text == "<<" and isinstance(node.value, dict):
        for name, value in node.value.items():
            container.value.setdefault(name, value)
    else:
        node.line = key.line if not isinstance(node.value, str) or node.line >= key.line else node.line
        container.value[key.text] = node
    return None


def parts_of(root: Node) -> Iterator[tuple[Heading, list[tuple[str, int]]]]:
    """Headings of operations, schemas and the rest, each with its parameters and answers."""
    used: set[str] = set()
    for group in ("paths", "webhooks"):
        above = root.get(group).line
        for path, item in root.get(group).members():
            above = above or item.line
            for method, operation in item.members():
                if method.lower() in METHODS:
                    text = f"{method.upper()} {path}"
                    said = operation.get("summary").text or operation.get("operationId").text
                    own = operation_anchor(path, method, operation, used)
                    shown = f"{text} — {said}" if said else text
                    line = above or operation.line
                    yield Heading(shown, 2, line, own), told(root, item, operation, line)
                    above = 0
    yield from named_parts(root.get("components"), PARTS)
    yield from named_parts(root, OLD_PARTS)
    known = {"paths", "webhooks", "components", *OLD_PARTS}
    for name, node in root.members():
        if name not in known and node.line > root.get("paths").line and not isinstance(node.value, str):
            yield Heading(name, 2, node.line, name), []


def named_parts(root: Node, kinds: Sequence[str]) -> Iterator[tuple[Heading, list[tuple[str, int]]]]:
    """Headings of schemas and other parts that operations refer to."""
    first = root.line if kinds is PARTS else 0
    for kind in sorted(kinds, key=lambda kind: root.get(kind).line):
        above = first or root.get(kind).line
        shown = {"definitions": "schema", "requestBodies": "request body"}.get(kind, kind.removesuffix("s"))
        for name, part in root.get(kind).members():
            yield Heading(f"{name} ({shown})", 2, above or part.line, f"{kind}/{quote(name)}"), []
            above = first = 0


def operation_anchor(path: str, method: str, operation: Node, used: set[str]) -> str:
    """The anchor of an operation as Redoc makes it: by its id, else by its path and method."""
    named = operation.get("operationId").text
    place = f"paths/{quote(path.replace('~', '~0').replace('/', '~1'), safe='~{}')}/{method.lower()}"
    anchor = f"operation/{quote(named)}" if named else place
    if anchor in used:
        anchor = place
    used.add(anchor)
    return anchor


def told(root: Node, item: Node, operation: Node, at: int) -> list[tuple[str, int]]:
    """Parameters and answers of an operation in words, each with its line, ``at`` or later."""
    out = []
    shared = [Node(n.value, max(n.line, at)) for n in item.get("parameters").items()]
    for node in (*shared, *operation.get("parameters").items()):
        known = resolved(root, node)
        name = known.get("name").text
        kind = known.get("schema").get("type").text or known.get("type").text
        needed = "required" if known.get("required").text == "true" else ""
        about = ", ".join(x for x in (known.get("in").text, kind, needed) if x)
        if name:
            out.append((said(f"{name} ({about})" if about else name, known), node.line))
    for code, node in operation.get("responses").members():
        out.append((said(code, resolved(root, node)), node.line))
    return out


def said(name: str, node: Node) -> str:
    """A name with its description."""
    about = node.get("description").text
    return f"{name}: {about}" if about else name


def resolved(root: Node, node: Node) -> Node:
    """What a reference within the file stands for, else the node itself."""
    target = node.get("$ref").text
    found = root
    if not target.startswith("#/"):
        return node
    for part in target[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~"))
    return found if found.value is not None else node
