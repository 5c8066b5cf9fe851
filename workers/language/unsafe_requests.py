"""What is asked to be done rather than answered, and what is asked for that may not be looked up.

Questions about such things ("how do I roll back", "where is the password rotated") are neither.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

ACT = (
    r"(?:delete|drop|restart|reboot|kill|scale|(?:re)?deploy|merge|push|(?:run|execute)(?! (?:(?:this|that|the|my)(?: (?:query|sql|statement))?)?:?\s*[`\"]*select\s)|revert|reverse|wipe|purge|truncate|"
    r"roll ?back|roll (?:it|this|that|them) back|shut ?down|stop|start|disable|enable|turn (?:on|off)|switch (?:on|off|over)|toggle|create|send(?! (?:me|us)\b)|book|"
    r"order|schedule|silence|mute|snooze|ack(?:nowledge)?|refund|unblock|cancel|revoke|grant|fail ?over|drain|evict|undo|"
    r"promote|apply|restore|reset|rotate|void|ban|unban)"
)
WEAK = (  # these begin many questions too: they need something to act on
    r"(?:change|set|increase|decrease|raise|lower|bump|update|add|remove|block|approve|resolve|close|release|move|flip|"
    r"migrate|rename|publish|page|fix|clear|flush)"
)
OBJECT = (
    r"(?= (?:up |down |back )?(?:the|a|an|all|my|our|it|this|that|these|those|them|every|everything|user|tenant|account|"
    r"customer|quota|(?:[\w-]+ )?[\w.-]*\d[\w.-]*|[\w./-]+ (?:to|from|for|back|up|down|by|until|out|off)\b|"
    r"(?-i:[A-Z][a-z]+[A-Z]\w+)|[\w./-]+\s*(?:$|[.!,]|please|pls|now|asap)))"
)
NOUN = (  # "restart policy", "run time of …", "refund backlog": not something to be done
    r"(?![ -](?:of|times?|rates?|history|polic(?:y|ies)|queues?|services?|latency|errors?|books?|logs?|config\w*|freezes?|"
    r"pipelines?|scripts?|flows?|windows?|jobs?|loops?|counts?|plans?|procedure|steps?|with|me|us|from|at|backlogs?|fail\w*|"
    r"status|buttons?|pages?|notifications?|events?|workers?|slow\w*|is|are|was|were|has|have|does|do|broken|stuck|timeouts?|"
    r"spik\w+|p\d\d|traffic|volume|requests?|duration|codes?|notes?|api|endpoint|table|database)\b)"
)
DO = rf"(?:{ACT}{NOUN}|{WEAK}{NOUN}{OBJECT})"
LEAD = (
    r"(?:please|pls|plz|kindly|(?<!how )(?<!where )(?<!when )(?<!what )(?<!why )(?:can|could|would|will) (?:you|u|someone|anyone)|"
    r"go ahead and|i(?:['’]d| would)? (?:need|want|like) (?:you|oracle) to|(?:let['’]?s|let us)(?= (?:just )?(?:\w+ )?(?:now|please|pls)))"
)
MANNER = r"(?:please |pls |just |go |also |now |quickly |then |you |immediately |ahead and ){0,6}"
ACTION = re.compile(
    # an order: the text begins with what is to be done
    rf"^\W*(?:(?:hi|hey|hello|ok(?:ay)?|so|and|then|@?oracle)[,:!]?\s+)*(?:(?:please|pls|plz|go|just|now)\s+)*(?:{ACT}|{WEAK}){NOUN}{OBJECT}(?!.*\?\s*$)|"
    # a request, wherever it stands; "can you restart a job while …?" asks whether that is possible
    rf"\b{LEAD}[, ]+{MANNER}{DO}(?! (?:an?|any)\b.{{0,200}}\?)|"
    rf"[,.;!–—-]\s*(?:so |and |then |just )*{ACT}{NOUN} (?:it|that|this|them|the \w+|[\w./-]+)(?: \w+){{0,4}}[ ,]+(?:please|pls|plz|now|for me)\b",
    re.IGNORECASE,
)
HIDDEN = (
    r"(?:passwords?|passwd|pwd|passphrases?|(?:api|private|secret|signing|ssh|access|encryption|service account) keys?|secrets?|credentials?|"
    r"(?:access|auth|bearer|api|refresh|session|slack|bot|github) tokens?|tokens? (?:of|for) the|connection strings?|system prompt)"
)
ABOUT_HIDDEN = (  # what may be asked about them
    r"(?! (?:rotation|polic(?:y|ies)|handling|storage|managers?|reset|hash\w*|lengths?|expir\w+|validation|checks?|flows?|"
    r"endpoints?|formats?|scopes?|limits?|prefix\w*|headers?|ttl|lifetimes?|names?|algorithms?|errors?|used|do|does|work|mean|"
    r"good|rate|per|requests?|latency|alerts?|count|usage|budget|left|rejected|expired?|are|is|was|were|get|gets|can|should|need)\b)"
)
SECRETS = re.compile(
    rf"\b(?:show|print|give|tell|reveal|dump|send|paste|share|leak|need|want|have|get|read out|list|whats|what(?:['’]s| is| are| was| were))\b"
    rf"(?!.{{0,60}}\b(?:where|how|why|who|when|which|whether|rotat\w+|stored?|configured|happens?|validat\w+|expir\w+|difference|mean\w*|alerts?|about|errors?|metrics?)\b)"
    rf".{{0,40}}(?:\b{HIDDEN}\b{ABOUT_HIDDEN}|(?<!\w)\.env\b)|"
    rf"^(?!.*\b(?:about|how|where|why|who|when|which|is|are|do|does|did|explain|find|alerts?|errors?)\b)\W*(?:(?:the|our|prod\w*|staging|admin|root|db|database|\w+) ){{0,4}}{HIDDEN}(?: (?:for|of|to|in)(?: +[\w-]+){{1,12}})?\s*(?:\?|please|pls|$)",
    re.IGNORECASE,
)
