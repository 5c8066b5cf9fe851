"""The words whose use must agree with the facts: directions, roles, causes, scope, order, events, signals."""

from __future__ import annotations

import re

from workers.language import hedges
from workers.language.negation import NEGATION, NOBODY
from workers.language.stop_words import COMMONEST


def words(pattern: str) -> re.Pattern[str]:
    """Whole words, in any case."""
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


# --- which way ------------------------------------------------------------------------------------------------

STEP_AFTER = (
    r"(?=\s*(?:$|[.,;:)×+−-]|\d|by\b|from\b|on\b|about\b|roughly\b|some\b|nearly\b|almost\b|slightly\b|sharply\b))"
)
UP = re.compile(
    r"\b(?:ros?e|risen|rises?|rising|increas\w+|climb\w*|jump\w*|spik\w+|gr[eo]w\w*|growth|went up|gone up|go(?:es)? up|"
    r"shot up|took off|takes off|skyrocket\w*|balloon\w*|escalat\w+|surg(?:ed|es|ing)|doubl\w+|tripl\w+|quadrupl\w+|higher|elevated|gain(?:ed|s|ing)?|soar\w+|c[ao]mes? up|coming up|more and more|(?:far |much |even )?more(?: often)? than (?:before|usual|normal|ever|it (?:was|did|used))|"
    rf"(?<!speed )(?<!speeds )(?<!sped )(?:up|upwards?){STEP_AFTER})\b",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"\b(?:fell(?! (?:behind|short|back)\b)|fall(?:s|en|ing)?(?! (?:through|back|in|into|within|on|under|behind|short)\b)|dropp?\w*|decreas\w+|declin\w+|went down|gone down|go(?:es)? down|"
    r"shr[aiu]nk\w*|halv\w+|lower(?:ed)?|reduc\w+|sank|sunk|sinking|plung\w+|plummet\w*|collaps\w+|dipp?(?:s|ed|ing)?|slump\w*|tumbl\w+|slid|fewer|lost(?! (?:touch|track|sight))|loses?(?! (?:touch|track|sight))|c[ao]mes? down|coming down|less and less|fewer and fewer|eas(?:ed|es|ing)|(?:far |much |even )?less(?: often)? than (?:before|usual|normal|ever|it (?:was|did|used))|"
    rf"(?<!slowed )(?<!slowing )(?<!slows )(?<!slow )(?:down|downwards?){STEP_AFTER})\b",
    re.IGNORECASE,
)
SLOWER = words(r"slow(?:er|ed|ing|s)?(?: down)?|longer")
FASTER = words(r"faster|quicker|sped up|speed(?:s|ing)? up|shorter")
WORSE = words(r"worse\w*|degrad\w+|deteriorat\w+")
BETTER = words(r"improv\w+|better")
BACK = words(
    r"recover(?:ed|s|y)|back (?:to|at|within|in) (?:its |the |their )?(?:normal|usual|baseline|old|previous|former|healthy)\w*|back down|"
    r"returned to (?:its |the |their )?(?:normal|usual|baseline|old|previous|former)\w*|normali[sz]ed|subsided|c[ao]me back"
)
FLAT = words(
    r"unchanged|flat|stead(?:y|ily)|stable|constant|did(?: not|n[’']t) (?:change|move)|(?:no|without) (?:change|movement)|"
    r"held (?:at|steady)|holds? (?:at|steady)|barely moved|hardly moved|stayed (?:at|put|the same)|"
    r"(?:has|have|is|are|was|were|had)(?: not|n[’']t) (?:changed|moved|budged|affected)|(?:did|does|do)(?: not|n[’']t) budge|"
    r"as usual|unaffected|no (?:[a-z]+ )?(?:surge|spike|rise|increase|drop|jump|growth|fall|decline|shortage)|(?:stayed|remained|held|kept|is|was|are|were|keeps|stays) level|level (?:at|with)"
)
DENIED_BEFORE = re.compile(
    rf"(?:{NEGATION}|\b(?:hardly|barely))(?:\s(?!but\b|and\b|yet\b)\w+){{0,3}}\s*$", re.IGNORECASE
)
SLIGHTLY = words(r"slight\w*|a (?:little|bit|mere|touch)|mere(?:ly)?|marginal\w*|barely|hardly|small|somewhat")
STRONG = words(
    r"surg\w+|soar\w+|jump\w*|spik\w+|shot up|plung\w+|plummet\w*|collaps\w+|took off|exploded|skyrocket\w*|balloon\w*|escalat\w+|slump\w*|tumbl\w+"
)
# word -> what it says exactly, and the least and most it may stand for
FACTORS = {"doubl": (2, 1.75, 2.45), "tripl": (3, 2.6, 3.5), "quadrupl": (4, 3.55, 4.5), "halv": (0.5, 0.4, 0.6)}
CHANGE_BEFORE = re.compile(
    r"\b(?:up|down|by|(?:increase|decrease|rise|fall|drop|gain|loss|change|jump|growth)d? of|lost|gained|shed|added|"
    r"grew|fell|rose|dropped|climbed|jumped|increased|decreased)\s*\(?$",
    re.IGNORECASE,
)
CHANGED_BY = words(
    r"(?:up|down|rose|risen|increased|gr[eo]wn?|fell|fallen|dropped|decreased|climbed|jumped|reduced|slowed|higher|lower|"
    r"slower|faster|worse|better|improved|moved|changed) by"
)
CHANGE_AFTER = re.compile(
    r"^\)?\s*(?:relative )?(?:increase|decrease|rise|drop|jump|growth|gain|loss|change|slower|faster|higher|lower|worse|"
    r"better|longer|shorter|more|less|fewer|up|down|(?:above|below|under|over|short of|off) (?:its|the|their) (?:baseline|peak|maximum|usual))\b"
    r"(?! (?:the|of (?:the )?requests))",
    re.IGNORECASE,
)

# --- which value ----------------------------------------------------------------------------------------------

BEFORE_ROLE = re.compile(r"(^|_)(baseline|before|previous|prior|old|from|start_value|usual|normal)(_|$)")
AFTER_ROLE = re.compile(r"(^|_)(current|peak|after|now|new|latest|last|max|min|high|low|worst)(_|$)")
PEAK_ROLE = re.compile(r"(^|_)(peak|max|min|high|low|worst)(_|$)")
ABOUT = (
    r"(?:(?:a |the |its |their |about|roughly|around|approximately|some|nearly|almost|just|only|over|under|merely|still|"
    r"close to|(?:more|less|fewer) than|at least|at most|well|a mere|p\d\d|value|level|of|up to)\s*)*"
)
PEAK = words(
    r"peak\w*|max(?:imum)?|topped out|tops out|highest|as high as|worst|slowest|busiest|best|at its height|record high|(?:a|its|their) (?:new )?high (?:of|at)"
)
LOW = words(
    r"lowest|(?:a|its|their|the) (?:new )?low (?:of|at)|low point|minimum|min|bottomed(?: out)?|as low as|trough|fewest|quietest"
)
PEAK_AFTER = re.compile(
    r"^\s*(?:p\d\d\s)?(?:peak\b|maximum\b|max\b|high\b|at (?:its|the|their) (?:peak|worst|best|height|highest|busiest))",
    re.IGNORECASE,
)
INTRO_BEFORE = re.compile(
    r"(?:^|[.;]\s)(?:before|until|prior to|(?:back )?at (?:the )?baseline)\b[^,.;]{0,40},\s*$", re.IGNORECASE
)
INTRO_AFTER = re.compile(r"(?:^|[.;]\s)(?:since|after|with|as of|following)\b[^,.;]{1,40},\s*$", re.IGNORECASE)
BEFORE_LEAD = re.compile(
    rf"(?:\bfrom|\bpre-\w+(?: p\d\d)?:?|\bold\b[^.;,]{{0,30}}|\binitial(?:ly| value of)|\bbaseline(?: (?:of|is|was|at|p\d\d))*:?|(?<!as )\bbefore:?|\bused to (?:be|take|sit at|stand at)|\binstead of|"
    rf"\b(?:usual|normal|previous|prior|former|earlier|typical|customary|ordinary)|\bstart(?:ing|ed)? (?:point of|at|from|out at)|\boriginally|\bnormally|\busually|\bpreviously|\bformerly|"
    rf"(?<!more )(?<!less )(?<!fewer )(?<!other )(?<!rather )\bthan|\bcompared (?:with|to))\s*{ABOUT}$",
    re.IGNORECASE,
)
BEFORE_AFTER = re.compile(
    r"^\s*(?:p\d\d\s)?(?:baseline\b|previously\b|formerly\b|earlier\b|beforehand\b|originally\b|normally\b|until\b|"
    r"at (?:baseline|the start|first)\b|in the baseline\b|then(?=\s*(?:[,;.)]|$))|(?:is|was|being) (?:the )?(?:usual|normal|norm|standard)\b|"
    r"to begin with\b|initially\b|at the outset\b|prior to\b|before(?=\s*(?:[,;.):]|$|and\b|\d\d?:\d\d|it\b|(?:the|this|that) (?:\w+ )?(?:incident|deploy\w*|release|change|rollout|outage)\b)))",
    re.IGNORECASE,
)
BEFORE_ANYWHERE = words(
    r"baselines?|pre-\w+|used to|previously|formerly|originally|normally|usually|before (?:the|this|that) (?:incident|change|outage)"
)
NOW_LEAD = re.compile(
    rf"\b(?:now|currently|stands? at|sits? at|at present|right now|as of now|at the moment|today|still|back|recovered|returned)"
    rf"(?: (?:it )?(?:is|are|at|stands? at|sits? at))?[:,]?\s*{ABOUT}$",
    re.IGNORECASE,
)
NOW_AFTER = re.compile(
    r"^\s*(?:p\d\d\s)?(?:now|at present|currently|right now|today|at the moment|as of now|these days|in use now)\b",
    re.IGNORECASE,
)
NOW_STAYS = re.compile(
    r"^,?\s(?:where|and) (?:it |they )?(?:is|are|has|have|still|stays?|stayed|stands?|sits?|remains?)\b[^\d,.;]{0,16}\b(?:now|there|still|since)\b(?! at\b)",
    re.IGNORECASE,
)
NOW_ANYWHERE = words(r"now|currently|at present|at the moment|right now|as of now|these days|is still|are still|still")
TO_LEAD = re.compile(
    rf"(?:\bto|\bafter:|\bpost-\w+(?: p\d\d)?:?|\bnew\b[^.;,]{{0,30}}:|\bafterwards:?|→|->|\breach(?:ed|ing|es)?|\bmade it|\bhit)\s*{ABOUT}$",
    re.IGNORECASE,
)
IS_LEAD = re.compile(rf"\b(?:is|are)(?: at)?\s*{ABOUT}$", re.IGNORECASE)
WAS_LEAD = re.compile(rf"\b(?:was|were|had been|stood at|sat at)\s*{ABOUT}$", re.IGNORECASE)
AFTER_AFTER = re.compile(
    r"^\s*(?:afterwards\b|after (?:it|that|the (?:deploy|incident|release|change|rollout))\b)", re.IGNORECASE
)
PRESENT = words(
    r"is|are|takes?|fails?|serves?|receives?|gets?|handles?|answers?|sees?|sits?|stands?|needs?|waits?|uses?|runs?|holds?|"
    r"ends?|hits?|misses|returns?|responds?|(?:has|have)(?! (?:been|had|reached|gone|risen|fallen|peaked|hit|\w+ed|seen|grown)\b)"
)
SHARE_NOW = words(r"of (?:the |all |its )?\w+ (?:(?:on|to|of) \S+ )?(?:hit|fail|miss|end|go)")
PAST = words(
    r"was|were|had|did|used to|(?:has|have) (?:been|had)|\w{3,}ed|rose|fell|went|reached|hit|took|got|saw|came|grew"
)
ARROW_AFTER = re.compile(r"^\s*(?:→|->|⇒)")

# --- why, how far, when ---------------------------------------------------------------------------------------

BACKWARD_CAUSE = words(
    r"because of|because|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|triggered by|driven by|"
    r"brought (?:about|on|down) by|on account of|comes? down to(?! (?:about |around |roughly )?[\d×])|(?:a|the) (?:result|consequence|fault|product|effect) of|results? from|"
    r"resulted from|resulting from|stem(?:s|med|ming) from|blamed? on|explained by|c[ao]mes? from|coming from|"
    r"attribut(?:ed|able) to|(?:traces?|goes) back to|traced (?:back )?to|down to the|on the back of|courtesy of|owes? (?:it )?to|"
    r"put (?:it |this )?down to|(?:root )?cause (?:of .{1,40} )?(?:is|was)|reason (?:for .{1,40} )?(?:is|was)"
)
FORWARD_CAUSE = re.compile(
    r"\b(?:caus(?:e[sd]?|ing)(?! (?:about |around |roughly |some )?\d)|le(?:d|ads?) to|leading to|result(?:ed|s|ing)? in|(?:is |are |was |were )?responsible for|"
    r"trigger(?:ed|s)?(?! (?:at|since|on|again|from)\b|[.,;]|$)|brought (?:down|about|on)|"
    r"(?:is|was|are|were) (?:the )?(?:reason|why|what|root cause|cause|culprit|source|origin)(?: (?:of|for|that|behind))?|"
    r"(?:root cause|culprit)|(?:is|are|was|were) (?:to blame|at fault|behind)|accounts? for|accounted for|"
    r"explains?(?: why)?|behind (?:the|this)|drove|drives|"
    r"(?:pushed|sent|drags?|dragged|pulled)(?= .{1,40}\b(?:up|down|to|over)\b)|"
    r"(?<!is )(?<!was )(?<!were )(?<!been )ma(?:de|kes?|king)\b(?= [^.;]{1,60}\b(?:slow|rise|climb|fall|drop|increase|fail|fire|jump|"
    r"worse|grow|spike|peak|go|collapse|plunge|plummet|soar|surge|degrade|scan|take|time|balloon|double|triple|lose|shrink|"
    r"explode|swell|stall|crash|restart|wait|miss|exceed|run|read|send|burn|leak|raise|throw)(?:s|ed|er)?\b)|"
    r"slowed(?: down)?(?= (?:the|p\d|/|\w+s\b))|broke|set off|sets off|provok\w+|induc\w+|as a result|consequently|hence(?! (?:after|before|later|earlier|only|not)\b)|"
    r"that is why|that[’']s why|which is why|therefore|thereby)\b",
    re.IGNORECASE,
)
# verbs that make something move when what they act on is measured
TRANSITIVE = re.compile(
    r"\b(?:(?:lower|rais|increas|reduc|inflat|degrad|worsen|hurt|kill|chok|starv|overload|exhaust|saturat|flood|fill|slow|"
    r"halv|doubl|tripl|boost|cut|driv|push|drag|knock|crush|wreck|ruin|hurt|bring)"
    r"(?:s|es|ed|d|ing)(?: up| down)?|cut|hurt|drove|brought|dragged) "
    r"(?!(?:from|to|by|at|on|in|into|of|since|after|before|and|or|but|down|up|again|further|than|between|around|about|only|just)\b)(?=[\w/`])",
    re.IGNORECASE,
)
HEALTH = re.compile(
    r"\b(?:all (?:is |are |looks? |seems? )?(?:good|clear|well|fine|ok(?:ay)?|green|healthy|normal|quiet)|healthy|nominal|"
    r"(?:every ?thing|things|it|all systems?|systems?|services?) (?:is |are |looks? |seems? |appears? )+(?:to be )?(?:all )?"
    r"(?:good|well|fine|ok(?:ay)?|normal|stable|green|up|operational|working)|"
    r"no (?:known |real |visible |current )?(?:problems?|issues?|incidents?|errors?|trouble|outages?|anomal(?:y|ies)|impact)|"
    r"nothing (?:is |looks |seems |was )?(?:wrong|broken|unusual|amiss|off|to worry about)|looks? (?:good|fine|ok(?:ay)?|healthy)|"
    r"(?:works?|working|behav\w+|runs?|running) (?:as expected|fine|normally|well|smoothly)|operational|up and running|"
    r"(?:is|are) (?:fine|ok(?:ay)?|safe|stable)|no need to worry|under control|problem[- ]free|error[- ]free|resolved)\b",
    re.IGNORECASE,
)
OURS = re.compile(
    r"\b(?:our|ours|your|yours|we|us|you|this (?:team|service|system|repo\w*|endpoint|cluster|deploy\w*|incident|code\w*)|"
    r"current(?:ly)?|right now|at the moment|today|yesterday|last (?:night|week|deploy)|production|prod|here)\b",
    re.IGNORECASE,
)
BEHAVIOUR = words(
    r"latenc\w+|p50|p9\d|slow\w*|error rate|errors? (?:rose|fell|are|is|increas\w+)|throughput|"
    r"traffic (?:rose|fell|is|was|increas\w+|drop\w*)|unavailable|is down|times? out|timing out"
)
SCOPE = words(
    r"all|every|each|always|only|sole(?:ly)?|entire(?:ly)?|everything|everywhere|everyone|everybody|anyone|anything|whole|"
    r"any|both|throughout|across the board|exclusively|without exception|complete(?:ly)?|(?:exactly|just) once|anywhere|"
    r"constantly|permanently|continuously|(?:error|fault)-free|unanimously"
)
# denials; what may follow them without denying anything
DENIAL = re.compile(
    rf"{NEGATION}|{NOBODY}|\b(?:zero|un(?:touched|affected|related|harmed|impacted|involved))\b", re.IGNORECASE
)
NOT_DENIAL = re.compile(
    r"(?:not|n[’']t) (?:only|just|merely)\b|no (?:more|less|fewer|later|earlier|sooner) than\b|no\. ?\d|zero (?:point|to)\b",
    re.IGNORECASE,
)
HEDGE = re.compile(
    rf"(?<![\w'’-])(?:{hedges.WRITTEN})(?![\w'’-])|\b(?:(?-i:may(?! \d{{1,2}}\b)|could)|would explain|possible|probable|potential|one explanation|"
    r"consistent with|suggests? that|points? (?:to|at|towards?)|hints? (?:at|that)|indicat(?:es?|ing) that)\b",
    re.IGNORECASE,
)
"""Beside what makes anybody's words a supposition, what makes a claim about evidence one."""
NOT_SCOPE = re.compile(
    r"^(?:any (?:change|more|further|longer|case|rate)\b|whole (?:minutes?|hours?)\b|all (?:utc|in|in all|told|of it|right)\b|all(?=\s*(?:[.,;:!?)]|$|on\b|in\b|to\b|for\b|by\b))|each other|no (?:change|movement|longer|difference|later|more than)\b|"
    r"only (?:from|to|by) (?:about |around |roughly )?[\d×+−{]|only (?:just|a|an|about|around|some|slightly|since|recently|briefly|\d[\d.,]*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) \w+)\b|"
    r"every (?:\d|two|three|four|five|few|second|minute|hour|day)|each (?:second|minute|hour|day))",
    re.IGNORECASE,
)
BEFORE_ALL = re.compile(r"\b(?:next to|after|before|in|above|first of|once and for)\s*$", re.IGNORECASE)
CLAUSE = re.compile(
    r"[;,:]\s|(?<!i\.e)(?<!e\.g)(?<!vs)\.\s|\s(?:while|whereas|but|and|versus|vs\.?|against|unlike|whose|which)\s",
    re.IGNORECASE,
)
ROLE_CLAUSE = re.compile(CLAUSE.pattern.replace("[;,:]", "[;,]"), re.IGNORECASE)
PHRASE = re.compile(r"\s(?:before|after|when|than|as|by the time)\s(?=\w|/)", re.IGNORECASE)
SENTENCE = re.compile(r"(?:(?<!i\.e)(?<!e\.g)(?<!vs)\.|[!?;])\s")
EVENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "deploy",
        words(
            r"deploy\w*|release[ds]?|roll-?out|rolled out|shipped|ships|went (?:out|live)|go(?:es)? live|gone live|landed|(?:reached|in|into|to) production"
        ),
    ),
    ("alert", words(r"alert\w*|fir(?:e|ing|ed|es)|page[ds]?|paging|went off|goes off|pending")),
    ("peak", words(r"peak\w*|maximum|worst|highest|lowest|topped out|busiest|slowest|best|height")),
    ("recovered", words(r"recover\w*|came back|back to normal|ended|resolved|clear(?:ed|s)|is over|stopped firing")),
    ("change", words(r"commit\w*|merg\w+|authored|was (?:made|written)|wrote")),
    (
        "onset",
        words(
            r"onsets?|start\w*|began|begin\w*|begun|r[oi]se|rises|risen|rising|spik\w+|jump\w*|climb\w*|fell|fall(?:s|en|ing)?(?! (?:through|back|in|into|within|on|under)\b)|"
            r"dropp?\w*|went (?:up|down|from)|(?:up|down) from|slow(?:ed|ing|s)?|slow-?down|degrad\w*|increas\w+|surg\w+|"
            r"took off|takes off|(?:got|became|getting|turned) (?:slower|faster|worse|better|higher|lower|longer)|grew|grow\w*|shrink\w*|declin\w*|mov(?:ed|es|ing)"
        ),
    ),
)

# --- what is meant --------------------------------------------------------------------------------------------

# words of a claim -> words of a metric's title or name
SIGNALS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (words(r"error\w*|fail\w*|5xx"), words(r"errors?|fail\w*|5xx")),
    (
        words(
            r"traffic|throughput|request rate|load|busiest|receiv\w+|rps|qps|req/s|requests (?:a|per) (?:second|minute)"
        ),
        words(
            r"traffic|throughput|rps|qps|request rate|"
            r"(?!waits|errors|retries|restarts|failures|timeouts|rejections|misses|drops|evictions|loss)\w+ per (?:second|minute|hour)"
        ),
    ),
    (words(r"hit (?:ratio|rate)|(?:cache )?hits|cache hit|lookups?|miss(?:es)?"), words(r"hits?|miss(?:es)?")),
    (words(r"pools?|connections?"), words(r"pool\w*|connections?")),
    (words(r"databases?|db|sql|quer(?:y|ies)|statements?"), words(r"database|db|sql|quer(?:y|ies)")),
    (words(r"latenc\w+|response times?|speed"), words(r"latenc\w+|duration|response time|time|delay|wait")),
    (
        words(r"usage|utili[sz]ation|consumption|footprint"),
        words(r"memory|cpu|disk|in use|used|working set|utili[sz]ation|usage"),
    ),
    (words(r"backlog|queue|lag|depth|piled? up|pile-?up"), words(r"backlog|queue\w*|lag|depth|pending|waiting")),
    (words(r"volume|intake"), words(r"\w+ per (?:second|minute|hour)|rows|bytes|messages|records")),
)
MEDIAN = words(r"median|typical(?:ly)?")
PERCENTILE = re.compile(r"\bp(\d\d+)\b|\b(\d\d(?:\.\d)?)(?:th|st|nd|rd) percentile", re.IGNORECASE)
# words of titles that say nothing about whose value it is
COMMON = COMMONEST | frozenset(
    "use used high low share full per alert deploy deploys firing pending ratio rate hit".split()
)
# what may stand before "deploy" or a version without being a service
NOT_SERVICES = frozenset(
    "the a an this that its last latest next new newest old previous first second third bad good same failed recent "
    "other another each every no any version release deploy deployed of to with after before since by at from and or "
    "yesterday yesterdays s todays nightly canary prior earlier later faulty broken recent carrying carries shipped in is "
    "on which when was followed follows preceded than as via for being called named was it be also now just only still then onto rolled back revert reverted until into until".split()
)
# capitalised words that may start a sentence or a heading without being part of a person's name
NOT_PEOPLE = frozenset(
    "the a an this that these those in on at from since after before when while both only unlike like commit deploy "
    "alert author line lines step median database errors error traffic latency check roll see read it its there no all "
    "by of for with first second third then now and or but as if not we our i you he she they monday tuesday wednesday "
    "thursday friday saturday sunday january february march april may june july august september october november "
    "december connections connection pool cache hit hits requests request queries query slow slower compared code docs "
    "document documents runbook section page change changes look find rolled back nothing some about roughly nearly "
    "where whereas until unless because although though since so yes two three four five six several both whatever who "
    "steady add raise run ask stop compare slack git python english ruby rust java kotlin scala go elixir swift php "
    "typescript javascript perl dart lua bash yaml toml json".split()
)
