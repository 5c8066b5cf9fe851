"""Words of doing something to a system, and nouns behind them that make them something else ("restart policy")."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

ACT = (
    r"(?:delete|drop|restart|reboot|kill|scale|(?:re)?deploy|merge|push|(?:run|execute)(?! (?:(?:this|that|the|my)(?: (?:query|sql|statement))?)?:?\s*[`\"]*select\s)|revert|reverse|wipe|purge|truncate|"
    r"roll ?back|roll (?:it|this|that|them) back|shut ?down|stop|start|disable|enable|turn (?:on|off)|switch (?:on|off|over)|toggle|create|send(?! (?:me|us)\b)|book|"
    r"order|schedule|silence|mute|snooze|ack(?:nowledge)?|refund|unblock|cancel|revoke|grant|fail ?over|drain|evict|undo|"
    r"promote|apply|restore|reset|rotate|void|ban|unban)"
)
WEAK = (  # these begin many questions too
    r"(?:change|set|increase|decrease|raise|lower|bump|update|add|remove|block|approve|resolve|close|release|move|flip|"
    r"migrate|rename|publish|page|fix|clear|flush)"
)
NOUN = (  # "restart policy", "run time of …", "refund backlog": not something to be done
    r"(?![ -](?:of|times?|rates?|history|polic(?:y|ies)|queues?|services?|latency|errors?|books?|logs?|config\w*|freezes?|"
    r"pipelines?|scripts?|flows?|windows?|jobs?|loops?|counts?|plans?|procedure|steps?|with|me|us|from|at|backlogs?|fail\w*|"
    r"status|buttons?|pages?|notifications?|events?|workers?|slow\w*|is|are|was|were|has|have|does|do|broken|stuck|timeouts?|"
    r"spik\w+|p\d\d|traffic|volume|requests?|duration|codes?|notes?|api|endpoint|table|database)\b)"
)
