"""Patterns that speak for a kind of question; how much each one says is learnt from ``question_kinds.yaml``."""

from __future__ import annotations

import re

from workers.contracts import QuestionType

CUES: dict[QuestionType, tuple[str, ...]] = {
    "request_lookup": (
        r"\b(?:req|request|trace|txn|transaction|correlation)[ _-]?(?:id)?s?[ :#=]*(?=[\w-]*\d)[\w-]{5,}",
        r"\b(?:req|txn|trc)[_-]\w+",
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b",
        r"\b(?:request|trace) (?:id|number)\b|\bthat (?:one )?request\b",
    ),
    "user_lookup": (
        r"""\b(?:user|tenant|account|customer|client|org|workspace|api key)[ :#]+(?:id )?[`\"']?(?=[\w.@-]*[\d_@-])\w[\w.@-]+""",
        r"[\w.+-]+@[\w-]+\.\w+",
        r"\b(?:quota|budget|usage cap|monthly cap|spend(?:ing)? limit|credits?)\b(?!.{0,200}\b(?:error|burn)\b)",
        r"\bhow (?:much|many tokens)\b.{0,200}\b(?:left|used|use|burned|spent|spend|consumed|remaining)\b",
        r"\b(?:my own|my|his|her|their) (?:limits?|quota|budget|usage|tier|plan)\b|\bwhat tier\b|\brate limit for\b",
        r"\b(?:tenant|account|customer|user)\b.{0,200}\b(?:limit|quota|usage|tier|blocked|cap|plan|allowed)\b",
    ),
    "alerting": (
        r"\b(?:alerts?|alerting|alarms?|alertmanager|pager ?duty|on-?call rotation|escalation)\b",
        r"\b(?:paged|pages|page (?:me|us|someone|somebody|anyone)|paging|gets? notified)\b",
        r"\b(?:slos?|slis?|error budgets?|burn rate)\b",
        r"\b(?:mute|silence|threshold)d?\b|\b(?:at what|at which|above (?:what|which)|when) .{0,200}\b(?:pages?|paged|fires?|alerts?)\b",
    ),
    "debug_incident": (
        r"\bwhy\b(?!.{0,200}\b(?:did we (?:choose|decide|pick|use|go|adopt)|do we (?:use|have)|(?:do|are|have|did)n['’]?t we|(?:did|do|are|have) we not|why (?:not|no) |chose|decided)\b)",
        r"\broot cause|\bwhat(?:['’]?s| is| was| went) (?:going on|wrong|happening|broken|up with|the matter)",
        r"\bwhat (?:happened|changed|broke)\b(?!.{0,200}\b(?:in the code|in the repo)\b)",
        r"\b(?:spik(?:e[ds]?|y|ing)|slow(?:er|ed|ness)?|degraded|regress\w*|outage|crash\w*|broken?|failing|fails?|failed)\b",
        r"\b(?:time?s? ?outs?|timing out|hang(?:s|ing)?|stuck|throwing|throws|gives? (?:errors?|50\d)|errors? (?:are|rose|up|jump|went))\b",
        r"\b(?:5xx|4\d\ds?|50\d(?:s|['’]s)?|error rate|errors?|exceptions?|blank|oom|cut off|missing|wrong|weird|elevated)\b",
        r"\b(?:latenc(?:y|ies)|p50|p9\d|jump(?:ed)?|dropped|drop in|increase[ds]?|went (?:up|down|from)|worse|more than normal)\b",
        r"\b(?:investigate|debug|look into|diagnos\w+|ideas\??$|how come|how it comes|reason)\b",
        r"\b(?:since|after)\b.{0,200}\b(?:deploy\w*|release|rollout)\b",
    ),
    "locate_code": (
        r"\bwhere(?:['’]?s|s)? (?:is|are|do|does|did|in|can|would|the|we|that|our|lives?)?\b",
        r"\b(?:which|what) (?:file|module|repo(?:sitory)?|class|function|place|package|folder|directory|line)s?\b",
        r"\bpoint me (?:to|at)\b|\bin which (?:repo|file|module)\b|\bfind (?:me )?the\b.{0,200}\b(?:code|definition|file|config|function|class|test)\b",
        r"\b(?:configured|defined|implemented|declared|located|lives?|set (?:up )?in|hard-?coded|source of)\b",
        r"\b(?:code|file|config(?:uration)?|constant|setting|env(?:ironment)? var\w*|definition)\b",
    ),
    "explain_code": (
        r"\b(?:walk me through|explain (?:how|the|what|this|that)|what does (?:the |this |our )?[\w.`()]+(?: \w+)? do)\b",
        r"\bhow (?:is|are|do|does|did) (?:the |our |we |it |this )?.{0,200}\b(?:computed?|calculated?|work|handled?|parsed?|invalidated?|retr(?:y|ied)|validated?|processed?|stored?|generated?|implemented|rounded|decided|picked|chosen|get|sorted|limited)\b",
        r"\bwhat happens (?:when|if|in the code|after|to)\b|\bin which order\b|\bstep by step\b",
        r"\b(?:logic|algorithm|function|method|code ?path|code does|in the code|this (?:code|part|function))\b",
        r"\bhow\b|\bexplain\b",
    ),
    "design_overview": (
        r"\b(?:architecture|adrs?|design doc\w*|big picture|diagram|overview|high[- ]level)\b",
        r"\b(?:fit together|talk to(?: which| each)?|depends? on|dependencies|components?|data ?flow|interact\w*|end[- ]to[- ]end)\b",
        r"\bwhy (?:did|do) we (?:choose|chose|decide|pick|use|go|adopt|have|split|keep|move|build|store)\b|\bwhy .{0,200} (?:instead of|rather than|over) |\bwhy (?:do|are|have|did)n['’]?t we\b|\bwhy (?:did|do|are|have) we not\b|^\W*(?:and |but |so )?why (?:not|no)\b|\bidea behind\b|\bput together\b",
        r"\b(?:was|were) (?:there|we) .{0,200}\bdecid|\bdecision (?:about|behind|on|to)\b|\brationale\b|\bwho (?:owns|decided)\b",
        r"\b(?:designed|supposed to work|structured|system (?:works?|design)|how does (?:the|our) .{0,200} (?:system|pipeline|platform|flow) work)\b",
        r"\b(?:system|pipeline|platform|summari[sz]e how|services?)\b",
    ),
    "conceptual": (
        r"\b(?:difference (?:between|of)|pros and cons|trade-?offs?|vs\.?|versus|explain like|eli5)\b",
        r"\bwhat(?:['’]?s|s| is| are| does)? (?:an? |is )?(?!the |wrong|going|happening|up|our|my)[\w -]{3,40}\b(?: mean\w*| good for| used for|\?|$)(?!.{0,200}\b(?:our|we|us|here|this|that)\b)",
        r"\bwhat(?:['’]?s|s| is| are) an? \w+",
        r"\b(?:when should (?:one|i|you|we) use|best practice|in general|concept of|meaning of|define)\b",
        r"\b(?:different from|compared? (?:to|with))\b",
    ),
    "operations_status": (
        r"\b(?:open|active|ongoing|current|any|recent|of) incidents?\b|\bincidents? (?:from|in|open|today|this|right|are)\b",
        r"\b(?:healthy|health|all good|all green|everything (?:ok|okay|fine|up|good|green)|on fire|anything (?:broken|down|wrong|on fire))\b",
        r"\b(?:is|are) (?:\S+ ){0,5}(?:up|down|ok|okay|degraded|back(?: up)?|alive|green|stable|running|available)\b",
        r"\b(?:status|state) (?:of|for|now|update|page|report)\b|\bstatus\b\??$|\bhow(?:['’]?s| is| are) (?:prod\w*|the system|things|everything)\b",
        r"\b(?:what|which) (?:version|deployments?|release)s? (?:is|are|of)? ?.{0,200}\b(?:running|deployed|live|out|in prod\w*)\b|\blast deploy(?:ed|ment)?\??$",
    ),
    "traffic": (
        r"\b(?:traffic|requests?[- ]volume|throughput|rps|qps|req(?:uest)?s?[ /](?:per|a)[ /]?(?:s|sec\w*|min\w*|hour|day)|req count)\b(?!.{0,200}\bwhy\b)",
        r"\bhow (?:many|much) (?:requests?|calls?|hits|load|volume|of the load|messages|visits|queries)\b",
        r"\b(?:requests?|calls?|load|volume|usage|hits) (?:count )?(?:by|per|for each|broken down|split|grouped|from|come)\b",
        r"\b(?:who|which|what) .{0,200}\b(?:most|top|busiest|biggest|heaviest|more)\b.{0,200}\b(?:requests?|traffic|calls?|load|used)?\b",
        r"\b(?:busiest|peak hours?|top \d+|by (?:country|region|model|tier|endpoint|customer|backend))\b|\bhow many did\b",
    ),
    "other": (
        r"^(?:thanks?|thank you|thx|hi|hey|hello|good (?:morning|job|bot)|lol|ok(?:ay)?|nice|great|cool|bye)\b[^?]*$",
        r"\b(?:haiku|poem|joke|weather|lunch|canteen|vacation days?|meeting room|birthday|salary|recipe|translate)\b",
        r"^(?:please |can you |could you |pls |go |just )*(?:delete|drop|restart|reboot|kill|scale|roll ?back|deploy|merge|push|run|execute|create|book|write (?:me )?an?|order|send|turn|schedule|remind|open a|close|revert|wipe|purge|truncate)\b",
    ),
}
COMPILED = tuple(re.compile(pattern, re.IGNORECASE) for cues in CUES.values() for pattern in cues)
