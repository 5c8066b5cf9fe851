"""What counts as a definition, a language at a time, as tree-sitter queries.

``@name`` is what is defined; ``@function @method @class @type @constant @key`` is the whole definition by kind.
"""

from __future__ import annotations

ECMASCRIPT = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @constant)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @constant)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @constant)
(assignment_expression left: (member_expression property: (_) @name)
  right: [(arrow_function) (function_expression) (class)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
"""
TYPESCRIPT = (
    ECMASCRIPT
    + """
(interface_declaration name: (_) @name) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(abstract_class_declaration name: (_) @name) @class
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(internal_module name: (_) @name) @class
"""
)
C = """
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
(struct_specifier name: (_) @name body: (_)) @type
(union_specifier name: (_) @name body: (_)) @type
(enum_specifier name: (_) @name body: (_)) @type
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (_) @name) @constant
(preproc_function_def name: (_) @name) @function
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @constant)
"""
DEFINITIONS: dict[str, str] = {
    "python": """
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name right: (_))) @constant)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name right: (_))) @constant))
""",
    "javascript": ECMASCRIPT,
    "typescript": TYPESCRIPT,
    "tsx": TYPESCRIPT,
    "go": """
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_declaration (type_spec name: (_) @name) @type)
(type_declaration (type_alias name: (_) @name) @type)
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
(method_elem name: (_) @name) @method
""",
    "rust": """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @method
(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @type
(union_item name: (_) @name) @type
(trait_item name: (_) @name) @type
(impl_item type: (_) @name) @class
(type_item name: (_) @name) @type
(mod_item name: (_) @name body: (_)) @class
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(macro_definition name: (_) @name) @function
""",
    "java": """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @type
(record_declaration name: (_) @name) @class
(annotation_type_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @constant
""",
    "kotlin": """
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(source_file (property_declaration (variable_declaration (identifier) @name)) @constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @constant)
(type_alias type: (_) @name) @type
""",
    "c": C,
    "objc": C
    + """
(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @class
(method_definition (identifier) @name) @method
""",
    "cpp": C
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @class
(concept_definition name: (_) @name) @type
(alias_declaration name: (_) @name) @type
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(field_declaration declarator: (function_declarator declarator: (_) @name)) @method
""",
    "csharp": """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @type
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @constant
(local_function_statement name: (_) @name) @function
(namespace_declaration name: (_) @name) @class
""",
    "ruby": """
(class name: (_) @name) @class
(module name: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
""",
    "php": """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @type
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(const_declaration (const_element (name) @name)) @constant
(property_declaration (property_element (variable_name) @name)) @constant
""",
    "swift": """
(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(protocol_function_declaration name: (_) @name) @method
(source_file (property_declaration name: (_) @name) @constant)
(class_body (property_declaration name: (_) @name) @constant)
(typealias_declaration name: (_) @name) @type
""",
    "scala": """
(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(trait_definition name: (_) @name) @class
(enum_definition name: (_) @name) @type
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(val_definition pattern: (identifier) @name) @constant
(type_definition name: (_) @name) @type
""",
    "lua": """
(function_declaration name: (_) @name) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @constant)
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition))) @function
""",
    "elixir": """
(call target: (identifier) @keyword (arguments (alias) @name)
  (#any-of? @keyword "defmodule" "defprotocol" "defimpl")) @class
(call target: (identifier) @keyword (arguments [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
  ]) (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard")) @function
""",
    "bash": """
(function_definition name: (_) @name) @function
(program (variable_assignment name: (_) @name) @constant)
(program (declaration_command (variable_assignment name: (_) @name)) @constant)
""",
    "sql": """
(create_table (object_reference) @name) @class
(create_view (object_reference) @name) @class
(create_materialized_view (object_reference) @name) @class
(create_index (identifier) @name) @constant
(create_function (object_reference) @name) @function
(create_trigger (object_reference) @name) @function
(create_type (object_reference) @name) @type
(alter_table (object_reference) @name) @constant
""",
    "dart": """
(class_definition name: (_) @name) @class
(mixin_declaration (identifier) @name) @class
(extension_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @type
(function_signature name: (_) @name) @function
""",
    "zig": """
(function_declaration name: (_) @name) @function
(source_file (variable_declaration (identifier) @name) @constant)
""",
    "proto": """
(message (message_name) @name) @class
(enum (enum_name) @name) @type
(service (service_name) @name) @class
(rpc (rpc_name) @name) @method
""",
    "graphql": """
(object_type_definition (name) @name) @class
(interface_type_definition (name) @name) @class
(input_object_type_definition (name) @name) @class
(enum_type_definition (name) @name) @type
(union_type_definition (name) @name) @type
(fragment_definition (fragment_name) @name) @type
(operation_definition (name) @name) @function
""",
    "solidity": """
(contract_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(library_declaration name: (_) @name) @class
(function_definition name: (_) @name) @function
(modifier_definition name: (_) @name) @function
(event_definition name: (_) @name) @constant
(struct_declaration name: (_) @name) @type
""",
    "groovy": """
(class_definition name: (_) @name) @class
(function_definition function: (_) @name) @function
""",
    "julia": """
(function_definition (signature (call_expression . (identifier) @name))) @function
(struct_definition (type_head (identifier) @name)) @class
(macro_definition (signature (call_expression . (identifier) @name))) @function
""",
    "r": """
(binary_operator lhs: (identifier) @name rhs: (function_definition)) @function
""",
    "perl": """
(function_definition name: (_) @name) @function
""",
    "powershell": """
(function_statement (function_name) @name) @function
(class_statement . (simple_name) @name) @class
""",
    "starlark": """
(function_definition name: (_) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @constant)
""",
    "yaml": """
(block_mapping_pair key: (_) @name) @key
""",
    "json": "(pair key: (string (string_content) @name)) @key",
    "jsonc": "(pair key: (string (string_content) @name)) @key",
    "toml": """
(table [(bare_key) (dotted_key) (quoted_key)] @name) @class
(table_array_element [(bare_key) (dotted_key) (quoted_key)] @name) @class
(pair [(bare_key) (dotted_key) (quoted_key)] @name) @key
""",
    "ini": """
(section (section_name (text) @name)) @class
(setting (setting_name) @name) @key
""",
    "properties": """
(property (key) @name) @key
""",
    "hcl": """
(block (identifier) (string_lit (template_literal) @name)) @class
(attribute (identifier) @name) @key
""",
    "dockerfile": """
(from_instruction (image_spec) @name) @class
(env_instruction (env_pair name: (_) @name)) @key
(arg_instruction name: (_) @name) @key
""",
    "make": """
(rule (targets (word) @name)) @function
(variable_assignment name: (_) @name) @constant
""",
    "just": """
(recipe (recipe_header name: (_) @name)) @function
(assignment left: (_) @name) @constant
""",
    "css": "(rule_set (selectors) @name) @key",
    "scss": "(rule_set (selectors) @name) @key",
    "haskell": """
(function name: (_) @name) @function
(data_type name: (_) @name) @type
(newtype name: (_) @name) @type
(class name: (_) @name) @class
""",
    "ocaml": """
(value_definition (let_binding pattern: (value_name) @name)) @function
(type_definition (type_binding name: (_) @name)) @type
(module_definition (module_binding (module_name) @name)) @class
""",
    "erlang": """
(fun_decl (function_clause name: (_) @name)) @function
(record_decl name: (_) @name) @type
(pp_define lhs: (macro_lhs name: (_) @name)) @constant
""",
    "clojure": """
(list_lit . (sym_lit) @keyword . (sym_lit) @name (#match? @keyword "^def")) @function
""",
}
