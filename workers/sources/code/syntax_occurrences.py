"""Where a name stands in one file, and as what: found in the syntax tree, so never in a comment or a string."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from workers.sources.code.node_roles import LEAVES, SCOPES, Role, ancestors, field_of, role_of, scope_of
from workers.sources.code.syntax_tree import PARSING, Definition, captured, grammar, nest, parsable

MOST_IN_FILE = 2_000
MOST_IMPORTS = 400


@dataclass(frozen=True)
class Occurrence:
    """A name where it is used. Lines and columns count from 1 and from 0.

    ``receiver``: what it is a member of, as written: ``self._client``. ``scope``: first and last line of the innermost
    function around it; the whole file outside of one.
    """

    line: int
    column: int
    role: Role
    receiver: str
    scope: tuple[int, int]


@dataclass(frozen=True)
class FileOccurrences:
    """The uses of a name in a file, its definitions, and its imports as they are written."""

    uses: tuple[Occurrence, ...]
    definitions: tuple[Definition, ...]
    imports: tuple[str, ...]


def find_occurrences(source: bytes, language: str, name: str) -> FileOccurrences | None:
    """Read one file.

    Args:
        source: its bytes.
        language: a name of `language_of`.
        name: an identifier, as it is spelled.

    Returns:
        None for a language without a grammar. Left out of the uses: what defines the name, keys and labels, and a
        local variable or parameter of this name with all that reads it.
    """
    pair = grammar(language)
    if pair is None:
        return None
    parser, query = pair
    with PARSING:
        root = parser.parse(parsable(source, language)).root_node
        rows = captured(query, root)
        leaves = [leaf for leaf in leaves_named(root, source, name) if leaf.start_byte not in rows]
        read = [(leaf, *role_of(leaf)) for leaf in leaves]
        local = [scope_of(leaf, language) or root for leaf, role, _ in read if role is Role.BINDING]
        uses = tuple(
            Occurrence(leaf.start_point[0] + 1, leaf.start_point[1], role, receiver, around(leaf))
            for leaf, role, receiver in read
            if role in {Role.MEMBER, Role.IMPORT} or (role is Role.PLAIN and not is_local(leaf, local))
        )
        imports = tuple(import_texts(root))
    return FileOccurrences(uses, tuple(nest(list(rows.values()), language)), imports)


def leaves_named(root: Node, source: bytes, name: str) -> list[Node]:
    """The nodes that are this very name."""
    out = []
    for match in re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", source):
        leaf = root.named_descendant_for_byte_range(*match.span())
        if leaf is not None and leaf.type in LEAVES and (leaf.start_byte, leaf.end_byte) == match.span():
            out.append(leaf)
        if len(out) >= MOST_IN_FILE:
            break
    return out


def is_local(leaf: Node, scopes: list[Node]) -> bool:
    """Whether a variable of the same name is known here; the name of a type is never one."""
    if leaf.type == "type_identifier" or field_of(leaf) == "type":
        return False
    return any(s.start_byte <= leaf.start_byte < s.end_byte for s in scopes)


def around(leaf: Node) -> tuple[int, int]:
    """First and last line of the innermost function around a name, of the file outside of one."""
    last = leaf
    for node in ancestors(leaf, 200):
        last = node
        if node.type in SCOPES and ("function" in node.type or "method" in node.type or "lambda" in node.type):
            break
    return last.start_point[0] + 1, last.end_point[0] + 1


def import_texts(root: Node) -> list[str]:
    """The statements of a file that import, wherever at its outer levels they stand."""
    out: list[str] = []
    queue = list(root.named_children)
    for node in queue:
        if node.type.startswith(
            ("import", "use_declaration", "using", "namespace_use", "preproc_include", "future_import")
        ) or (node.type == "export_statement" and node.child_by_field_name("source") is not None):
            out.append((node.text or b"").decode("utf-8", "replace"))
        elif node.type in {"if_statement", "try_statement", "block", "except_clause", "else_clause", "mod_item"} | {
            "declaration_list"
        }:
            queue += node.named_children
        if len(out) >= MOST_IMPORTS:
            break
    return out
