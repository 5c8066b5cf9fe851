"""What an identifier does where it stands, by the syntax nodes around it, as tree-sitter's grammars name them.

The names of nodes hardly collide between languages, so one table serves them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from tree_sitter import Node

LEAVES = frozenset(
    "identifier type_identifier property_identifier field_identifier shorthand_property_identifier simple_identifier "
    "shorthand_property_identifier_pattern shorthand_field_identifier private_property_identifier namespace_identifier "
    "constant name alias word variable_name simple_name type_name".split()
)
"""Nodes that are a name; comments and the text of strings are none of them."""
MEMBERS = {
    "attribute": ("attribute", "object"),
    "member_expression": ("property", "object"),
    "nested_identifier": ("property", "object"),
    "nested_type_identifier": ("name", "module"),
    "selector_expression": ("field", "operand"),
    "qualified_type": ("name", "package"),
    "field_access": ("field", "object"),
    "method_invocation": ("name", "object"),
    "field_expression": ("field", "value"),
    "scoped_identifier": ("name", "path"),
    "scoped_type_identifier": ("name", "path"),
    "call": ("method", "receiver"),
    "scope_resolution": ("name", "scope"),
    "member_access_expression": ("name", "expression"),
    "qualified_identifier": ("name", "scope"),
    "member_call_expression": ("name", "object"),
    "scoped_call_expression": ("name", "scope"),
}
"""Nodes in which a name stands behind what it belongs to: the field of the name, and that of its receiver."""
PATTERNS = frozenset(
    "pattern_list tuple_pattern list_pattern array_pattern object_pattern rest_pattern assignment_pattern "
    "expression_list list_splat_pattern dictionary_splat_pattern as_pattern_target tuple_struct_pattern mut_pattern "
    "exception_variable left_assignment_list splat_parameter captured_pattern ref_pattern struct_pattern "
    "destructured_parameter".split()
)
"""What may stand around a name that gets a value."""
BINDINGS = {
    (parent, field)
    for field, parents in {
        "left": "assignment augmented_assignment for_statement for_in_clause for_in_statement short_var_declaration "
        "range_clause receive_statement",
        "name": "named_expression default_parameter typed_default_parameter variable_declarator parameter_declaration "
        "variadic_parameter_declaration var_spec const_spec formal_parameter enhanced_for_statement resource "
        "catch_formal_parameter optional_parameter keyword_parameter splat_parameter block_parameter parameter "
        "simple_parameter spread_parameter hash_splat_parameter",
        "alias": "as_pattern type_switch_statement",
        "pattern": "required_parameter optional_parameter parameter let_declaration for_expression let_condition for",
        "parameter": "arrow_function catch_clause",
        "parameters": "lambda_expression",
        "": "parameters lambda_parameters typed_parameter formal_parameters closure_parameters inferred_parameters "
        "method_parameters block_parameters lambda_parameters match_pattern exception_variable",
    }.items()
    for parent in parents.split()
}
"""Where a name is given to a variable or a parameter: the parent, and its field that the name stands in."""
LABELS = {
    (parent, field)
    for field, parents in {
        "name": "keyword_argument property_signature public_field_definition field_declaration enum_constant "
        "enum_variant enum_assignment enum_body type_parameter field_definition",
        "key": "pair pair_pattern keyed_element",
        "field": "field_initializer",
        "alias": "aliased_import import_specifier use_as_clause export_specifier",
        "label": "labeled_statement break_statement continue_statement",
    }.items()
    for parent in parents.split()
}
"""Where a name is a key, a field, a label or what an import is called here: it means nothing that is defined."""
SCOPES = frozenset(
    "function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression "
    "function_declaration generator_function_declaration function_expression arrow_function method_definition "
    "statement_block for_statement for_in_statement catch_clause func_literal method_declaration block "
    "constructor_declaration lambda_expression enhanced_for_statement function_item closure_expression for_expression "
    "match_arm if_expression if_statement method singleton_method do_block try_statement "
    "communication_case expression_case type_case switch_statement expression_switch_statement "
    "type_switch_statement".split()
)
"""What a variable is known within."""
STATEMENTS = frozenset(
    "statement_block for_statement for_in_statement catch_clause if_expression if_statement match_arm try_statement "
    "switch_statement".split()
)
UNSCOPED = {"python": STATEMENTS | {"block"}, **dict.fromkeys(("ruby", "php", "lua", "bash"), STATEMENTS)}
"""Languages in which such a statement is no scope of its own."""
IMPORTS = ("import", "use_declaration", "using_directive", "namespace_use", "future_import")
NEAR = 6


class Role(StrEnum):
    """What an occurrence of a name is."""

    PLAIN = "plain"
    MEMBER = "member"
    IMPORT = "import"
    BINDING = "binding"
    LABEL = "label"


def role_of(leaf: Node) -> tuple[Role, str]:
    """The role of a name, and of a member what it belongs to, as written."""
    parent = leaf.parent
    if parent is None:
        return Role.PLAIN, ""
    if any(within(node) for node in ancestors(leaf, NEAR)):
        return Role.IMPORT, ""
    if (parent.type, field_of(leaf)) in LABELS:
        return Role.LABEL, ""
    if parent.type in MEMBERS:
        name, receiver = MEMBERS[parent.type]
        owner = parent.child_by_field_name(receiver)
        if parent.child_by_field_name(name) == leaf and owner is not None and owner != leaf:
            return Role.MEMBER, (owner.text or b"").decode("utf-8", "replace")
    return (Role.BINDING if is_bound(leaf) else Role.PLAIN), ""


def within(node: Node) -> bool:
    """Whether a node imports: an export counts when it names where from."""
    if node.type == "export_statement":
        return node.child_by_field_name("source") is not None
    return node.type.startswith(IMPORTS)


def is_bound(leaf: Node) -> bool:
    """Whether a variable or parameter gets this name here."""
    node = leaf
    while node.parent is not None:
        field = field_of(node)
        if (node.parent.type, field) in BINDINGS or ((node.parent.type, "") in BINDINGS and field in {"", "name"}):
            return True
        inner = node.parent.type == "pair_pattern" and field == "value"
        if not inner and (node.parent.type not in PATTERNS or field == "type"):
            return False
        node = node.parent
    return False


def field_of(node: Node) -> str:
    """The field of its parent in which a node stands; empty when in none."""
    parent = node.parent
    if parent is None:
        return ""
    for i, child in enumerate(parent.children):
        if child == node:
            return parent.field_name_for_child(i) or ""
    return ""


def scope_of(node: Node, language: str) -> Node | None:
    """What a variable that gets its name here is known within; None: the whole file."""
    for above in ancestors(node, 200):
        if above.type in SCOPES and (above.type not in UNSCOPED.get(language, ())):
            return above
    return None


def ancestors(node: Node, most: int) -> Iterator[Node]:
    """The nodes around one, from the inside, at most so many."""
    for _ in range(most):
        if node.parent is None:
            return
        node = node.parent
        yield node
