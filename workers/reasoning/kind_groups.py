"""Types of question by what has to be looked at for them: code, metrics, documents."""

CODE_KINDS = frozenset({"locate_code", "explain_code", "debug_incident"})
BEHAVIOUR_KINDS = frozenset({"debug_incident", "operations_status", "traffic"})
DOC_KINDS = frozenset({"design_overview", "alerting", "conceptual"})
