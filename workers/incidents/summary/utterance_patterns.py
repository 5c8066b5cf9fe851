"""The words by which people tell what they do in an incident: alerts, causes, actions, decisions, promises.

English first; German and Spanish as far as a channel of an international team needs them. Every pattern reads lower case.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from functools import cache

from workers.language import hedges, negation


@cache
def words(*patterns: str) -> re.Pattern[str]:
    """Any of these, as whole words."""
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(patterns)})(?![\w'-])")


# --- how it is said -------------------------------------------------------------------------------------------

CAN_BE = words("can(?: also| just| well| still| easily)? (?:be|have been|have)")
"""Beside what hedges anywhere: "that can be the cache"."""
DENIES_TOO = words("nah", "nope", "nicht", "kein(?:e|en)?", "ningun[oa]?", "sin")


def is_hedged(low: str) -> bool:
    """Whether the writer of a sentence in lower case is not sure of it."""
    return hedges.is_hedged(low) or CAN_BE.search(low) is not None


def is_negated(low: str) -> bool:
    """Whether a sentence in lower case denies something."""
    return negation.is_negated(low) or DENIES_TOO.search(low) is not None


IF = words(
    "if",
    "unless",
    "once(?! (?:per|a|an|every|each|in|more|again))",
    "when we",
    "when it",
    "when the",
    "as soon as",
    "in case",
    "before we",
    "would",
    "falls",
    "wenn",
    "sobald",
    "should we",
    "shall we",
    "after we",
)
FUTURE = words(
    "will", "i'll", "we'll", "he'll", "she'll", "they'll", "going to", "gonna", "about to", "plan(?:ning)? to", "want to", "let me", "let's", "lets",
    "need(?:s|ed)? to", "should", "ought to", "next step", "todo", "to do", "propose", "suggest", "can we", "could we", "shall", "ready to", "prepared to", "werde", "voy a", "vamos a",
)  # fmt: skip
QUESTION = re.compile(
    r"\?\s*[\"'”’)]*$|\bwhat(?:'s| is| are we) (?:going on|happening|up|doing here)\b|\bor (?:just|only) \w+$|(?<!all)(?<!are)(?<!is)(?<!was)(?<!were)(?<!look)(?<!looks) (?:right|huh|eh)$|\b(?:is|are) [^.,]{3,40} no$|^(?:(?:so|and|but|ok|then|hm+),? )?(?:why|what|who|which|where|when|how|is there|are there|do we|does|did|can (?:we|you|someone|anyone)|could (?:we|you|someone|anyone)|should we|has any|have we|any(?:one|body) )\b[^.]*$"
)
TAKEN_BACK = words(
    "correction(?! (?:letter|mail|notice|run|job|factor|script|table|of))", "no,? wait", "wait,? no", "scratch that", "strike that", "i was wrong", "i misread", "misread", "my mistake", "my bad", "disregard", "ignore (?:my|that|what i)", "that's wrong", "that was wrong",
    "correct (?:is|number|figure|count)", "turns out", "actually", "not \\S+ but", "revised?", "revising", "updated? (?:number|figure|estimate|impact)s?", "nevermind", "never mind", "spoke too soon", "i take that back",
    "retract(?:ing)?", "i take it back", "spoke too (?:fast|early)", "to correct", "it's not", "correcting", "wrong (?:dashboard|graph|number|query|region|timezone)", "korrektur", "corrección", "instead of", "rather than", "wasn't right",
)  # fmt: skip
JOKE = words(
    "game ?day", "tabletop", "drill", "fire ?drill", "exercise", "chaos day", "practice run", "simulat(?:ion|ed)", "not a real (?:incident|outage|page)", "dry[- ]run", "rehearsal", "just kidding", "jk", "/s",
    "coffee machine", "espresso", "donuts?", "pizza", "birthday", "lunch", "happy hour", "karaoke", "april fools?", "snacks?", "cake", "kitchen", "party", "beer", "for fun", "foosball", "potluck", "cookies?",
)  # fmt: skip
TO_A_MACHINE = re.compile(
    r"\bput\b[^.]{0,60}\b(?:in|into|on|to) the (?:pin|pinned|summary|status line)\b|\b(?:oracle|bot|ai|summari[sz]er)\b[^.]{0,20}\b(?:reads?|reading) this\b|\b(?:ignore|disregard|forget|override)\b[^.]{0,30}\b(?:previous|prior|above|earlier|all|your|any)\b[^.]{0,20}\b(?:instructions?|prompts?|rules|messages?|context)"
    r"|\bnew instructions?\b|\bai readers?\b|\bas the (?:incident )?(?:bot|ai|assistant)\b|\bwhen (?:you )?(?:are )?summari[sz]\w+|\bwho(?:ever)? writes the summary\b|\b(?:pinned (?:message|summary)|summary) (?:says?|must|should|has to|needs?)\b|<\|\w+\|>|\bforget what\b|\bfor the (?:automated|automatic|ai|bot)\b|^\W*(?:system|assistant|developer|admin|instructions?|prompt)\s*(?:\]|:|>|note|message|override|prompt|instruction)|<\s*/?\s*(?:system|instructions?|assistant)\b|\[(?:system|inst|admin|assistant)\b"
    r"|\byou are (?:now|an? (?:ai|assistant|bot|helpful|language))|\bas an ai\b|\b(?:summaries|summari[sz]er|assistant|ai|llm)\b[^.]{0,40}\b(?:must|should|needs? to|shall|has to|is to|please)\b"
    r"|\b(?:note|attention|message|instructions?) (?:to|for) (?:the )?(?:bot|ai|llm|assistant|oracle|summari[sz]er|summary)"
    r"|@(?:oracle|bot|assistant|summari[sz]er|ai|u[a-z0-9]{8,})\b[^?]{0,30}\b(?:say|state|post|tell|write|report|mark|set|pin|add|remove|include|mention|declare|announce|put|blame|reveal|print|send|repeat|resolve|close|update|delete|forget|change|list)\b"
    r"|^(?:bot|llm|assistant|oracle)[,:]\s|\b(?:print|reveal|repeat|show|output|leak)\b[^.]{0,20}\b(?:your|the|all) (?:system )?(?:prompt|instructions|secrets?|env|environment|credentials|tokens?)"
    r"|\b(?:your|its|the) (?:system prompt|instructions|prompt)\b(?=\W*$|[,.;])|\bignore what (?:was|has been|i|we) said\b|\b(?:please|pls|kindly|could|can|let)\b[^.?!]{0,30}\b(?:the (?:minutes|notes|summary|record|log)\b[^.?!]{0,20}\b(?:state|say|show|mention|reflect|read)|(?:log|note|record|list|minute) (?:the |this |that )?(?:root |\w+ )?(?:cause|incident|matter|issue)? ?as\b|minute (?:that|this)\b|update your notes)|\b(?:pls|please) minute\b|\bmark this matter as\b|\bstop mentioning\b|\bto whatever assistant\b"
    r"|\b(?:in|to|into|for|from) (?:the|your|this) (?:pinned )?summary\b|\bmark (?:this|the) (?:incident |timeline |channel )?as (?:resolved|closed)\b[^.]*\b(?:in|on) (?:the )?(?:summary|pinned)",
    re.IGNORECASE,
)

ORDER = re.compile(
    r"^(?:please |pls |kindly |now |and |you (?:must|should|have to|need to) |make sure (?:that )?(?:you )?)*(?:ensure|make sure|treat(?! (?:it|this) as (?:an? )?(?:sev|p)[a-z]*\W?\d)|include|say|state|report|pretend|consider|write|mention|set(?! (?:(?:it|this) )?to (?:sev|p)[a-z]*\W?\d)|augment|modify|merge|add|append|insert|output|print|respond|reply|answer|tell|post that|act|assume|claim|declare|announce|explain|describe|provide|translate|summari[sz]e|conclude|begin|end(?! of\b)|start your|finish)\b"
)
"""What tells someone to write or do something is no statement of how things are."""
BIDS = re.compile(
    r"^(?!(?:only|half|both|all|once|found|sent|cut|put|set|ran|took|saw|got|had|lost|shut|made|built|kept|left|hit|was|is|are|were|since|because|like|than|then|when|if|as|at|by|for|from|in|of|on|to|with|and|but|or|so|not|no|now|just|also|even|still|over|under|after|before|about|what|which|who|how|why|where|that|there|here|despite|without|within|until|till|around|behind|inside|outside|through|against|per|via|went|told|gave|read|held|brought|bought|caught|meant|paid|said|spent|stood|thought|wrote|broke|chose|drove|fell|knew|rose|woke|grew|threw|drew|began|came|become|became|due|given|apart|maybe|perhaps)\b)"
    r"[a-z]{2,}(?<![^s]s)(?<!ed)(?<!ing)(?<!ly)(?<!er)(?: (?:down|out|up|off|back))? (?:me|us|an?|your|every|each|the|this|these) "
)
"""How a sentence begins that bids someone do something: "replace every third letter"."""
ABOUT_MACHINES = re.compile(
    r"\bprompt[- ]?inject\w*|\bjailbreak\w*|\bnice try\b|\b(?:make|tell|told|trick|get|got|fool)(?:ing)? (?:the |our |that )?(?:bot|ai|summari[sz]er|oracle|assistant)\b|\bthe (?:bot|ai|assistant|summari[sz]er)\b[^.]{0,30}\b(?:said|says|wrote|writes|posted|thinks|believes)\b"
)
CODE_LINE = re.compile(
    r"[;{}]\s*$|^\s*[\w.]+\(.*\)\s*[:;]?\s*$|^\s*(?:import|from|def|class|async|with|for|while|return|print|const|let|var|public|private|func|if|elif|else|try|except)\b.*[:({;]\s*$|^\s*(?:import|from) [\w.]+(?: import [\w., ]+)?$|^\s*[\w.\[\]]+ ?= ?[^=]|^\s*</?\w+[^>]*>|^\s*[#/]{2,}|^\s*at [\w.$]+\("
)

# --- why it is, who feels it, how grave it is --------------------------------------------------------------------

CAUSE = re.compile(
    r"\broot[- ]cause\b(?! analysis| doc| unknown| (?:is |still )*(?:unknown|unclear|tbd|not))|\bcaused by\b|\b(?:the (?:actual |real |underlying )?)?(?:cause|culprit|trigger|smoking gun)\b (?:is|was|=)(?! (?:still |yet |un|not ))|\bthe reason (?:is|was|=)|\bfound (?:it|the (?:\w+ )?(?:cause|culprit|problem|issue|bug|reason|smoking gun))\b|\bgot it:|\bfound\b[:,]|\bfound the \w+|\bthat's (?:the reason|why)\b|\bthe reason\b|\bcause (?:is|was) identified\b|\bconfirm(?:ed)?\b(?!\?)|\bsmoking gun\b|\bdue to\b|\bbecause (?:of|the|a|an|we|our|it|every|\w+)\b|\bthat's (?:the|our) (?:cause|culprit|bug|problem|issue)\b|\breproduced\b|\bculprit\b|(?<!n't )(?<!not )\bexplains? (?:the|why|it|this|that|our)\b"
    r"|\bget(?:s|ting)? (?:oom-?killed)\b|\b(?:is|was|are|were|got|been) (?:exhausted|leaking|leaked|misconfigured|expired|deadlocked|saturated|oomkilled|oom-killed|throttled|corrupted|maxed out|rate[- ]limited)\b|\b(?:disks?|volumes?|partitions?|pools?|queues?|buffers?|tables?|filesystem|quota|heap|memory|storage|inodes?|tablespace|redis|log)\b[^.,;]{0,20}\b(?:is|was|are|were|got|ran) (?:\d+ ?% )?full\b|\bexpired\b|\bexhaust(?:ed|ion)\b|\b(?:ursache|grund) (?:ist|war)\b|\bla causa (?:es|fue|era)\b|\bporque\b|\bdebido a\b|\btraced (?:it |this )?(?:down )?to\b|\bnarrowed (?:it )?down to\b|\bbisected\b|\bintroduced (?:by|in)\b"
)
SUSPECT = re.compile(
    r"\bi(?:'d| would)? guess\b|\bjust guessing\b|\bpotential(?:ly)?\b|^thinking\b|\bnot proven\b|\bcould (?:it|this|that|they) (?:come|stem|have)\b|\bsuspect|\bsuspicion|\bafraid (?:it|that|this)|\bi wonder\b|\bfirst (?:thought|guess|idea|instinct)\b|\ba feeling\b|\bi'd bet\b|\bmy (?:best )?read\b|\bwondering\b|\btheory\b|\bhypothesis\b|\bhunch\b|\bmy (?:guess|bet|money)\b|\b(?:could|might|may|must)(?: also| just| well| still| easily)? (?:be|have been|it be|this be)\b|\b(?:maybe|perhaps|probably|possibly|likely|presumably)\b|\blooks? like\b|\bsmells?\b|\bseems? (?:like|to be|related)\b|\bi think (?:it|this|the|we|that|our)\b|\brelated to\b|\bcorrelat|\bvermut|\bcoinciden|\blines up with\b|\bleaning\b|\bcaused by\b|\bdue to\b|\bbecause\b|\bculprit\b|\bthe cause\b|\bcreo que\b|\bparece\b|\bkönnte\b|\bsounds like\b|\bfeels like\b|\bwouldn't be surprised\b|\bblame\b|\bsuspicious|\blines up\b|\bsmells of\b|\bcould (?:it|this|that) be\b|\bi bet\b|\bit's (?:either )?(?:the|our|a) [\w-]+ or (?:the |our |a )?[\w-]+"
)
RULED = words(
    "ruled",
    "rule",
    "ruling",
    "red herring",
    "unrelated",
    "dead end",
    "off the hook",
    "off the table",
    "coincidence",
    "exonerated",
    "out of the picture",
    "in the clear",
    "cross(?:ed)? (?:it|that|them|this) off",
    "not guilty",
    "not to blame",
    "nothing to do with",
    "scrap my \\w+",
    "scrap the \\w+(?: \\w+)? (?:theory|idea|guess)",
)
RULED_OUT = re.compile(
    r"\b(?:exclude|excluded|eliminate|eliminated|discard|discarded|dismiss|dismissed)\b(?! (?:until|if|from))|\b(?:drop|dropping|dropped|kill|killed|bury|buried|abandon\w*) (?:the |my |that |our )?[\w-]+ (?:theory|idea|hypothesis|angle|lead)\b|\b(?:theory|hypothesis|idea|angle) (?:is |was )?(?:dead|gone|out|wrong|disproved|busted|off)\b|\bcan(?:'t|not| not) (?:really |possibly )?be (?:the |our |a |an )?[\w-]+|^[\w/ -]{2,24}\? (?:no|nope|nah)\b|^(?:so |and |ok )*it(?:'s| is) not (?!\w+ing\b|over|clear|enough|yet|only|just|that|so|too|good|great|fixed|resolved|solved|down|up|back|really|even|every|all|like|as|possible|easy|much|our|your|us|me|you|here|there|about|ready|done|in|on)[\w-]+\b|\blook elsewhere\b|\bstop chasing\b|\bnot (?:their|our|his|my) (?:fault|problem|side)\b|\b(?:did|has|have)(?:n't| not) changed? (?:since|in|for)\b|\b(?:speaks?|argues?|points?) against\b|"
    r"\bit is not\W*$|\byou can forget (?:my|the|about)\b|\bso neither \w+|\b(?!(?:that|it|this|he|she|what|all|everything|here|there)'s)[a-z-]+'s (?:clean|fine|innocent|not it)\b|\bout of the picture\b|\bcross(?:ed)? (?:it|that|them|this) off\b|\bnot (?:guilty|to blame)\b|^forget (?:about )?the \w+\W*$|\bstrike (?:it|that)\W*$|\brul(?:ed|ing|es?) (?:\w+ ){0,4}?out\b|\b(?:not|isn't|wasn't|aren't|n't) (?:the |a |an |our |related to |caused by |because of |due to |it\b|coming from )|\b(?:looks?|is|are|seems?|was|were|appears?) (?:all |totally |perfectly |completely |pretty |rock |entirely )*(?:fine|healthy|clean|normal|ok|okay|good|flat|idle(?! in\b)|boring|unaffected|unchanged|innocent|quiet|steady|nominal)\b|\bunrelated\b|\bred herring\b|\bnothing (?:unusual|odd|weird|wrong|suspicious|interesting|obvious|in|on|new)\b|\bno (?:recent |new |other )?(?:deploys?|changes?|errors|anomal\w+|packet loss|smoking gun|correlation)\b|\bexonerat|\bwithdraw|\bscrap (?:that|the)\b|\boff the hook\b|\bdead end\b|\bcoincidence\b|\b(?:off|from) (?:the|your|my|our) (?:list|table|hook)\b|\binnocent\b|\bdoes(?:n't| not) stand\b|\bnothing to do with\b|\bclears the\b|\bscratch (?:the|that|my)\b|\b(?:so|which means) (?:no|it isn't|it ain't|it's not|it is not|nope|not)\b|\b(?:ain't|isn't|aren't) (?:them|it|theirs|ours|his|hers|that)\b|\bnot theirs\b|\bscrap my\b|\bausgeschlossen\b|\bdescartad|\bnot our\b"
)
SYMPTOM = re.compile(
    r"\b(?:5\d\d|4(?:08|29|99|0[134])|5xx|errors?|error rate|fail(?:s|ed|ing|ures?)?|timeouts?|timing out|time out|latency|slow|p9[059]|down|unavailable|unreachable|degraded|crash\w*|oom\w*|stuck|outage|spik\w+|refused|rejected|broken|drops?|dropped|lag(?:ging)?|backlog|backed up|saturat\w+|elevated|hanging|hangs?|5\d\ds|fehler\w*|langsam|errores|fallan|falla|caíd[oa]s?|lento|duplicate\w*|missing|stale|wrong|corrupt\w*|blank|loop\w*|restart(?:s|ing)|evict\w+|exhaust\w*|pag(?:ed|ing)|alert(?:s|ing)?)\b"
)
WHO = re.compile(
    r"\b(?:teachers?|pupils?|parents?|cashiers?|dispatchers?|growers?|farmers?|nurses?|doctors?|physicians?|surgeons?|pharmacists?|technicians?|residents?|commuters?|travell?ers?|clerks?|tellers?|staff|personnel|nobody|everybody|no one|hospitals?|clinics?|wards?|schools?|farms?|greenhouses|branches|pharmacies|restaurants?|hotels?|airlines?|accts|orgs|suppliers?|creators?|editors?|authors?|artists?|gamers?|fans|donors?|applicants?|households?|families|taxpayers?|voters?|colleagues|crews?|viewers?|visitors?|listeners?|couriers?|guests?|citizens?|views|parcels?|shipments?|packages?|pick lists?|expediciones|envíos|pakete|sendungen|labels?|objects|chats|people|everyone|members?|employees|agents|operators|warehouses?|stores|sites|kunden|customers?|users?|clients?|merchants?|tenants?|patients?|drivers?|riders?|passengers?|players?|students?|shoppers?|sellers?|buyers?|subscribers?|partners?|accounts?|requests?|orders?|checkouts?|payments?|logins?|sign-?ups?|sign-?ins?|transactions?|bookings?|uploads?|downloads?|deliver(?:y|ies)|emails?|messages|invoices?|payouts?|searches|sessions?|carts?|traffic|page ?views|streams?|calls|api calls|jobs|workspaces?|shops?|stores?|devices?|kund(?:en|innen)|nutzer|benutzer|clientes|usuarios|pedidos|pagos|bestellungen|support tickets?|tickets|webhooks?|notifications?|claims|trips|rides|charges|refunds|cards|readings|exports?|reports?|imports?|trades?|quotes?|claims?|appointments?|documents?|photos?|videos?|game ?servers?|matches|tenants|regions?)\b"
)
AFFECTED = re.compile(
    r"\bkicked out\b|\bby hand\b|\b(?:are|is) not able to\b|\b(?:receive|receives|get|gets|have|has|see|sees) no\b|\b(?:must|have to|has to) (?:\w+ ){0,2}(?:call|drive|type|phone|walk|wait|queue|write|enter|print|work)\b|\bcan only\b|\bnobody\b.{0,30}\bcan\b|\bnobody can\b|\bfeels? (?:this|it)\b|\boutdated\b|\bgot (?:the|an?) (?:\w+ )?(?:banner|error|page|warning|message|timeout)\b|\bw/o\b|\b(?:called(?: in)?|wrote in|written in|late|hang(?:s|ing)?|hung|(?:isn't|aren't|not|stopped) (?:going|coming|getting|loading|opening|processing|updating|sending|arriving|showing)|short|wait\w*|queue\w*|double|twice|being told|denied|missed|parad[oa]s|pendientes|stopped|read|leaked|exposed|stand(?:ing|s)? still|not see\w*|isn't seeing|aren't seeing|affect(?:ed|s|ing)?|impact(?:ed|s|ing)?|can(?:'t|not| not)|unable|fail(?:s|ed|ing|ures?)?|losing|lost|los[es]|errors?|50\ds?|5\d\ds|5xx|timeouts?|timing out|slow|down|blocked|stuck|charged twice|double|duplicat\w+|wrong|missing|delayed|delays?|dropped|rejected|declined|refused|degraded|unavailable|hit|seeing|see|getting|betroffen|afectad[oa]s?|fallan|no pueden|broken|blank|empty|logged out|locked out|stale|late|waiting|complain\w*|report(?:ing|ed)|without|not (?:receiv|gett|be)\w+|outage|elevated|higher|errored|bounc\w+|spinning|crash\w*|phon(?:ed|ing)|stood|standing outside|standing at|limbo|dark|dead|held up|hung up|gave up|abandon\w*|turn(?:ed|s|ing)? away|not one|nobody can|nobody gets|ran into|ran late|running late|go red|locked|stranded|offline|comes? back|\d+ \w+ (?:are |is )?off)\b"
)
NO_IMPACT = re.compile(
    r"\bno (?:customer|user|personal|client) data\b|\bno data (?:was |is |has been )?(?:lost|leaked|exposed)|\bno double (?:charges|bookings)\b|\bnothing (?:was |is )?lost\b|\bno (?:real |actual |customer|user|client|external|visible|production|further|data)[\w -]{0,25}(?:impact|loss|affected)\b|\bno impact\b|\b(?:zero|0) (?:customer|user) impact\b|\bnobody (?:is |was )?(?:affected|impacted)\b|\bno (?:customers?|users?|one) (?:is |are |was |were )?(?:affected|impacted)\b|\bonly internal\b|\binternal[- ]only\b|\bnot customer[- ]facing\b"
)
QUANTITY = re.compile(
    r"(?<![\w.-])(?:~|≈|about |around |roughly |approx\.? )?\d[\d.,]*\s?(?:%|percent|k\b|m\b|x\b|/s|/min|rps|qps|ms\b|s\b|sec|min|h\b|gb|mb|tb)?(?![\w:-])|\b(?:half|a third|a quarter|most|all|some|every|dozens|hundreds|thousands|one in \w+|two thirds)\b"
)
MEASURE = re.compile(r"\d[\d.,]*\s?(?:%|percent|k\b|m\b)?|\b(?:half|third|quarter|hundreds|thousands|dozens)\b")
SEVERITY = re.compile(
    r"\b(?:(sev)(?:erity)?(?: level)?[\s:-]{0,2}([0-5]|one|two|three|four)|(p)(?:rio(?:rity)?)?[\s:-]{0,2}([0-5])(?! ?9))\b",
    re.IGNORECASE,
)
SETS_SEVERITY = re.compile(
    r"\b(?:declar\w+|this is|that's|it's|it is|upgrad\w+|downgrad\w+|rais\w+|lower\w+|bump\w+|escalat\w+|call(?:ing|ed)?|severity|set(?:ting)?|now|mak(?:e|es|ing)|treat\w*|opened|open|mov\w+|to|as|(?:is|means|=)(?= (?:a )?(?:sev|p)\W?\d)|classif\w+|going to|started|new|dropp\w+|still|remains|at|status|summary|incident)\b|^\W*sev|^\W*p\d|[,;(] ?(?:sev|p)[- ]?\d\)?\W*$"
)

# --- what is done ---------------------------------------------------------------------------------------------

ROLLBACK = re.compile(
    r"\broll(?:ed|ing|s)?[- ]?back\b|\brollback\b|\brevert(?:ed|ing|s)?\b|\bzurückgerollt\b|\brevertid[oa]\b|\bbacked out\b|\bbacking out\b|\brollbacked\b"
)
DEPLOY = re.compile(
    r"\b(?:deploy(?:ed|ing|s|ment|ments)?|release[ds]?|rolled out|rolling out|rollout|shipped|shipping|promoted|pushed|hotfix(?:ed)?|merged|went out|went live|live (?:on|in) prod\w*|started on prod\w*|canary|published)\b"
)
DID = re.compile(
    r"\b(?:halted|submitted|reissued|tried(?= to| \w+ing)|rolled|reverted|rebooted|restarted|bounced|recycled|redeployed|deployed|failed over|failover|flipped|toggled|turned (?:off|on)|switched|disabled|enabled|flushed|cleared|purged|invalidated|scaled|bumped|raised|increased|doubled|decreased|lowered|reduced|drained|cordoned|evicted|killed|terminated|blocked|banned|unblocked|throttled|rate-limited|shed|paused|unpaused|stopped|started|added|removed|applied|patched|hotfixed|merged|pushed|rotated|renewed|reissued|replaced|upgraded|downgraded|pinned|promoted|moved|shifted|rerouted|re-routed|rebalanced|reindexed|vacuumed|analyzed|dropped|created|recreated|re-ran|reran|replayed|requeued|backfilled|silenced|acked|unlocked|released|freed|resized|expanded|extended|set|changed|updated|repointed|pointed|isolated|fenced|detached|attached|remounted|mounted|reset|re-enabled|tuned|freigegeben|neu gestartet|reiniciad[oa]|activated|deactivated|cut over|cut|took|taken|put|swapped|power-?cycled|gave \S+(?: \S+)? a (?:cold |hard |quick )?(?:reset|restart|reboot|kick)|truncated|deleted|rebuilt|restored|resynced|repaired|retried|reconnected|kicked off|kicked|opened)\b"
)
DOING = re.compile(
    r"\b(?:dropping|growing|capping|reprinting|halting|merging|shipping|pulling|rolling back|reverting|rebooting|restarting|bouncing|redeploying|deploying|failing over|flipping|toggling|turning (?:off|on)|switching|disabling|enabling|flushing|clearing|purging|scaling|bumping|raising|increasing|doubling|lowering|reducing|draining|cordoning|killing|terminating|blocking|throttling|shedding|pausing|stopping|applying|patching|pushing|rotating|renewing|reissuing|replacing|upgrading|pinning|promoting|moving|shifting|rerouting|rebalancing|reindexing|replaying|requeueing|backfilling|rebuilding|restoring|resyncing|hotfixing|cutting over|swapping|trying|putting|adding)\b"
)
FAMILIES = {
    "rollback": ROLLBACK,
    "failover": re.compile(r"\bfail(?:ed|ing|s)?[- ]?over\b|\bfailover\b|\bpromot\w+\b"),
    "restart": re.compile(r"\b(?:re(?:start|boot)\w*|bounc\w+|recycl\w+)\b"),
    "scale": re.compile(r"\b(?:scal(?:e|ed|ing)|replicas?|autoscal\w+)\b"),
    "flag": re.compile(r"\b(?:flag|toggl\w+|kill ?switch|feature flag)\b"),
    "flush": re.compile(r"\b(?:flush\w*|purg\w+|invalidat\w+)\b"),
    "drain": re.compile(r"\b(?:drain\w*|cordon\w*)\b"),
    "rotate": re.compile(r"\b(?:rotat\w+|renew\w*|reissu\w+)\b"),
    "hold": re.compile(r"\b(?:hold|held|freez\w+|froze\w*|lift\w*|paus\w+|resum\w+|hidden|visible|unfreez\w+)\b"),
    "deploy": re.compile(r"\b(?:deploy\w*|hotfix\w*|patch\w*|roll(?:ed|ing)? out|shipp\w+)\b"),
}
"""What belongs together though it is told twice: as it begins and as it is done."""
NO_HELP = re.compile(
    r"\b(?:no|not any|without(?: any)?) (?:success|result|improvement|better)\b(?! than)|\b(?:changed|achieved|freed|brought|gained|solved) nothing\b|, nothing\W*$|\buseless\b|\b(?:did not|didn't|does not|doesn't) (?:bring (?:an? |any )?(?:improvement|change|relief|result)|cure|do (?:anything|a thing|much)|make a dent|move the needle)\b|\b(?:errors?|symptoms|picture) identical\b|\b(?:hangs|fails|crashes) (?:like|as) before\b|\bas (?:high|bad|slow|many) as before\b|\bcame straight back\b|\bfailed (?:w/|with) (?:the )?same\b|\bsame (?:errors?|symptoms?) remains?\b|\bremains? \w+ nevertheless\b|"
    r"\bdid (?:nothing|zip|nada)\b|\bno good\b|\b(?:did(?:n't| not)|does(?:n't| not)|has(?:n't| not)|no) (?:really |seem to |actually |have |had |make |made |any )*(?:help|helped|effect|change|changed|improve\w*|difference|luck|fix|fixed|impact on|work|worked|joy|dice)\b|\bno (?:visible |real |noticeable |measurable )?(?:effect|change|improvement|difference|luck|joy|dice)\b|\bstill (?:not|no|failing|down|broken|old|stale|elevated|seeing|getting|the same|high|bad|at|slow|there|happening|erroring|spiking|timing out|5xx|errors?)\b|\bmade (?:it|things) worse\b|\bnot helping\b|\bwithout (?:any )?effect\b|\bunchanged\b|\bmade no\b|\bnot (?:coming|going|trending) down\b|\bnot (?:dropping|falling|recovering|improving|moving|budging|better|clearing|draining)\b|\bdidn't move\b|\bkeine (?:wirkung|änderung|besserung)\b|\bsin (?:efecto|cambios)\b|\bno ayud"
)
HELPED = re.compile(
    r"\b(?:we're back|we are back|helped|recover(?:ing|ed|y)|improv(?:ing|ed|ement)|dropp(?:ing|ed)|going down|coming down|falling|fell|(?<!rolled )(?<!rolling )(?<!reverted )back (?:to|down|up)|clearing|cleared|looks? (?:good|better|healthy|stable)|looking (?:good|better)|better|working|worked|gone|green|normal|healthy|stabili[sz]\w+|drain(?:ing|ed)|trending down|did the trick|besser|mejora\w*|mejor|down to)\b"
)
SERIES = re.compile(r"\d[\d.,]*\s?[%a-z/]{0,4}\s*(?:->|→|=>|➜|➡️?)\s*~?-?\d")
"""A figure as it went: "31% -> 9% -> 2%"."""
DECISION = re.compile(
    r"\bdecision\b|\bdecided\b|\bcall made\b|\b(?:sequence|order|plan) is fixed\b|\bthat's (?:firm|final|settled|my call)\b|\bnobody (?:ships|deploys|touches|changes|merges|restarts)\b|\b(?:hold|freeze|block|ban|embargo)\b[^.?]{0,20}\b(?:is|are|now) (?:lifted|off|over)\b|\blift(?:ing|ed)? the (?:hold|freeze|ban|block)\b|\bwe(?:'re| are| will|'ll| have)? (?:agreed?|decid\w+|going with|go with|not going to|won't|will not|staying|sticking|holding|freez\w+|keeping|hold|freeze|keep|stay|wait)\b|\bagreed\b[:,]? \w+|\bgoing with\b|\b(?:freez(?:e|ing)|frozen|freeze)\b|\bno (?:more |new |further )?(?:deploys?|merges?|releases?|changes|rollouts?)\b[^.?]{0,40}\b(?:until|for|today|tonight|while|without|please)\b|\bhold (?:off|all)\b|\bcode freeze\b|\bwe won't\b|\bwe will not\b|\bmy call\b|\bi'm (?:calling|making the call)\b|\bcall is\b|\b(?:up|down)grad(?:ed|ing) (?:this |it |the incident )?to\b|\bwir (?:entscheiden|haben entschieden|bleiben)\b|\bdecidimos\b|\bic (?:decision|call)\b|\bthe plan is\b|\bplan:"
)
STANDS_UNTIL = re.compile(
    r"\bwe (?:shall|(?:do not|don't)(?! (?:know|see|have|need|think|understand|want|get|expect|find|believe|yet|really|use|even|seem|hear|notice)\b)|fail over|accept|have (?:chosen|resolved|opted))\b(?=.* )|^(?:ok |approved,? |so )*(?:go|proceed) (?:with|for|ahead with)\b|^(?:ok |so |then )*(?:ship|abort|kill|halt|cancel|stop|drain|pull|revert|freeze|wipe) (?:it|the|all)\b|\b(?:everyone|everybody|nobody|no one|only (?:the )?\w+(?: team)?) (?:off\b|stops?\b|shall\b|touch(?:es)?\b|is to\b|are to\b|stays?\b)|\b(?:stays?|remains?|goes|is|are|kept|keep|keeping|leave|leaving)\b.{0,40}\b(?:until|till) (?:further notice|we know|we have|tomorrow|monday|morning)|\bover the weekend\b|\bas (?:commander|ic|incident manager|lead) i (?:order|decide|want|ask)\b|\bi (?:order|insist|want that we|want us to)\b|\b(?:crisis|management|incident|board|ops|legal)(?: team)? (?:has|have) (?:chosen|decided|resolved|opted|agreed)\b|(?:, |\b(?:this|that) is )(?:final|signed off|approved)\W*$|^(?:call|verdict|ruling):|\bno (?:more )?\w+ (?:w/o|without) (?:an? )?(?:ic|my|the|our)\b|\bthe (?:approach|plan|order|sequence) is changed\b|"
    r"\bi(?:'ve| have) made up my mind\b|\beffective immediately\b|^(?:and )?no (?:refunds?|deploys?|restarts?|changes?|mails?|messages?|releases?|rollouts?|calls?|posts?|statements?)(?: [\w-]+){0,3} (?:until|till|before|without)\b|\b(?:is|are) (?:now )?(?:silenced|muted|paused|frozen|blocked|closed|stopped|held|switched off) until \d|(?<!minutes )(?<!hours )(?<!days )(?<!min )\bfrom now(?: on)?\b(?=\W*$|[,.])|^(?:so )?no [\w-]+(?: [\w-]+){0,5} then\W*$|^so no (?:rollback|restarts?|deploys?|failover|banner|announcement)\b|\bstays? (?:on|off|up|down|paused|closed|open|blocked|as (?:it is|is)|out|in place)\b.*\b(?:until|till|for|at least)\b|\b(?:is|are) withdrawn\b|\bfrom now (?:on )?(?:we|all|every|nobody|no one)\b|\bno more \w+ .*\b(?:today|tonight|until|till|without|w/o|for now)\b|\bonly (?:until|till)\b|^(?:so )?no (?:fines?|banner|rollback|restarts?|deploys?|announcement|statement|tweets?|page|status page)\b"
)
"""How whoever leads says what holds for now."""
LETS = re.compile(
    r"\blet(?:'?s| us) (?!(?:know|have)\b)(?!see\b|chat|talk|hop|jump|meet|look|find|figure|check|take a look|dig|sync|discuss|hope|circle|get (?:on|everyone)|be\b|think|try to understand|go\b|wait and see|use this)\w+"
)
AGREES = re.compile(
    r"^\W*(?:\+1|yes|yep|yeah|agreed?|ok(?:ay)?|sgtm|sounds good|do it|go (?:ahead|for it)|approved?|lgtm|makes sense|👍|ack|roger|will do|on it|doing (?:it|that)|go|sure|jup|ja|sí|dale)\b",
    re.IGNORECASE,
)
THUMBS = frozenset(
    {
        "+1",
        "thumbsup",
        "white_check_mark",
        "heavy_check_mark",
        "ok_hand",
        "100",
        "ship_it",
        "shipit",
        "rocket",
        "saluting_face",
    }
)
DONE_MARKS = frozenset(
    {"white_check_mark", "heavy_check_mark", "ballot_box_with_check", "done", "checked", "check", "heavy_tick", "tada"}
)
ACK_MARKS = frozenset(
    {
        "eyes",
        "ack",
        "looking",
        "mag",
        "saluting_face",
        "fire_engine",
        "rotating_light_ack",
        "raised_hand",
        "hand",
        "male-firefighter",
        "firefighter",
    }
)
ACK = re.compile(
    r"\b(?:ack(?:ed|nowledged|ing)?|i'm on it|on it|looking(?: into (?:it|this|that)| at (?:it|this|that)| now)?|i'll take (?:it|this)|taking (?:it|this|a look)|got (?:the page|paged|it)|joining|i'm (?:here|looking|on)|schaue? (?:ich )?(?:mir|rein|nach)|ich schau|lo miro|mirando|investigating|having a look)\b"
)
DECLARED = re.compile(
    r"\b(?:(?:i |we |hereby )?declare(?= (?:an? |this |it )?(?:major|sev|p\d|incident))|declar(?:ing|ed)|open(?:ing|ed)|start(?:ing|ed)|creat(?:ing|ed)|rais(?:ing|ed)|spinning up) (?:an? |this |as |it |the |new |major )*(?:incident|sev-?\d|p[0-5]|outage)\b|\bthis is (?:a |an |now )?(?:sev-?\d|p[0-5]|incident|major)\b|\bincident (?:declared|opened|started|created)\b|\b(?:upgrad|escalat|rais|bump)(?:ing|ed)[^.?]{0,20} to (?:a )?(?:sev-?\d|p[0-5])\b|\bcall(?:ing|ed)? (?:this|it) (?:a |an )?(?:sev-?\d|p[0-5]|incident)\b|\bdeclaro\b|^sev-?\d\b"
)
COMMANDER = re.compile(
    r"\bi'm (?:the )?lead\b(?! \w+ing)|\b(?:the |incident |inc )?lead(?: role)? is (?:now |with )*(?:@|me\b|mine\b|yours\b|[a-zà-ÿ]+(?<!ing)\W*$)|\b(?:the|my|over|hand\w*|pass\w*) lead (?:role )?(?:over )?to\b|\blead (?:now|role)\b|\bthe lead(?=\W*$|[,.;:!?)]| (?:at \d|here|from|for (?:this|the)|on (?:this|it)|over|again|and|until)\b)|\bincident (?:commander|lead|manager)\b|\binc lead\b|\bic\b|\bcommander\b|\blead(?:ing)? (?:this|the incident)\b|\b(?:in|incident|have|has|tak(?:e|es|ing)|took|hand\w*(?: over)?) command\b"
)
"""A person's role: "the lead shard", "lead time" and "errors lead to timeouts" are none."""
ROLE = r"(?:ic|il|(?:the )?con|incident (?:command(?:er)?|lead|manager|control)|commander|command|(?:the )?(?:incident )?coordination|(?:the |incident )?lead(?:ership)?(?! (?:time|on|to|shard|node)\b)|(?:the )?wheel)"
"""What whoever runs an incident is called, or has."""
LEAD_SELF = (
    r"\bi(?:'ll| will| shall| am|'m)? (?:now |hereby |still |also |from now )*(?:(?:be leading|lead|act as|acting as|manage|managing|steer|steering) (?:(?:the|this|over|as|whole) ){0,3}(?:incident|ic|response|disturbance|outage|bridge)|(?:assume|accept|hold|keep|taking|take) (?:(?:the|over|role|of|charge|this|on) ){0,4}(?:incident (?:lead|manager|command\w*)|ic|lead|command|coordination)|volunteer to lead)\b(?! (?:channel|call|report|ticket|number|on|shard)\b)|\bfrom now i (?:steer|lead|run|manage|command)\b|\bit(?:'s| is) me who (?:runs|leads|coordinates|manages)\b|\b(?:command|coordination|lead|leadership)\b[^.]{0,30}\b(?:on my side|in my hands|with me)\b|\bresponsible (?:person )?for (?:this|the) incident\b|\bmy incident to run\b|\bappointed (?:as )?(?:leader|lead|ic|commander|incident \w+)\b",
    rf"(?:^|[,.;] |\bi(?:'ll|'m|'ve| will| am| have| can)? )(?:ok |now |so |then |fyi |still |just |also |the one )*(?:got|have|grab(?:bing)?|tak(?:e|ing)|hold(?:ing)?|keep(?:ing)?|assum(?:e|ing)) (?:over )?(?:the )?{ROLE}(?=\W*$|[,.;!]| (?:here|from|now|since|until|till|for (?:this|it|now|tonight|the)|as|tonight|today|of)\b)",
    rf"\b{ROLE} ?(?:=|:|->|is|'s with|with|is with) (?:now )?(?:me|mine)\b|\b(?:me|myself) as (?:the )?{ROLE}\b|\b(?:stepping|jumping|coming) in as (?:the )?{ROLE}\b|\blead's with me\b",
    r"^(?:ok |so |now |hi |all )*(?:leading|coordinating|driving|commanding|running) (?:this|it|the (?:incident|show|room|response))(?=\W*$|[,.;]| (?:one|from|now|until|till|tonight|today|and)\b)|^(?:coordinating|leading|driving) from (?:now|here)\b",
    r"\bi(?:'ll| will| shall)? (?:command|drive|coordinate)(?= (?:this|it|from|the (?:incident|response|call|bridge))|\W*$|[,.;])|\bi(?:'m|'ll| will)? (?:ok )?tak(?:e|ing) over (?:the )?(?:coordination|command|lead|as)\b|\bi(?:'m| am) (?:the )?(?:il|dm|incident \w+) (?:tonight|today|now|for|here)\b",
)
I_LEAD = re.compile(
    "|".join(LEAD_SELF) + "|"
    r"\b(?:i'm|i am|i'll be|i will be|ich bin|soy)\b (?:now |the |your |acting |here as |incident )*(?:ic\b|lead\b|commander|incident manager|coordinating|in charge|in command|running (?:it|this|point|the (?:incident|room|show))|on point|driving|taking (?:charge|point|command|the lead|this one|it from here))"
    r"|\b(?:i|i'll|i will|let me) (?:now )?(?:take (?:the )?(?:lead|charge|point|command|ic)\b|lead\b|run (?:this|point)|coordinate|drive this|have command)|\btak(?:ing|e) (?:over as |the |on |over )?(?:charge|lead|point|command|ic|incident (?:commander|lead))\b"
    r"|\b(?:i'll|i will|let me) (?:run|drive|lead|own) (?:this|it)(?: one)?\b|\bi(?:'ve| have) (?:got )?(?:this(?: one)?(?=\W*$|[,.;])|command\b|the lead\b)|\b(?:yep |yes |ok )?mine now\b|\bi(?:'ve| have)? (?:got )?it from here\b|\bmine to (?:run|lead|drive|handle)\b|\b(?:ic|commander|duty manager|incident lead) here\b|\blead is me\b|\bas (?:the )?(?:duty (?:manager|officer)|incident (?:commander|manager|lead))\b"
)
BEGAN = re.compile(
    r"\b(?:start(?:ed|ing|s)?|began|begins?|begun|since|first (?:seen|error|alert|failure|report|occurrence)s?|onset|kicked in|as of|from|beginning|seit|desde|empezó)\b"
)

# --- what is left ---------------------------------------------------------------------------------------------

COMPLETED = re.compile(
    r"^(?:the )?[\w/-]+(?: [\w/-]+){0,5} (?:is |are |now )*(?:done|complete[d]?|finished|is out|are out|is live|is in place|(?:is|are) (?:up|back)(?=\W*$|[,.]| and))\b"
)
WAS_DONE = re.compile(
    r"^(?!(?:it|that|this|what|who|which|there|everything|all|nothing|people|users|customers|last)\b)(?:the )?[\w./:*-]+(?: [\w./:*-]+){0,3}? (?:is |are |was |were |now |been |has been )*(?:set to|set back to|replaced|shifted|disabled|enabled|pushed (?:to|out)|replayed|renewed|deployed|upgraded|patched|applied|restored|reindexed|corrected|reloaded|emptied|bumped|raised|lowered|redeployed|reverted|restarted|rebooted|bounced|failed over|turned off|turned on|scaled|killed|flushed|purged|drained|rotated|revoked|merged|halted|(?:re)?set(?=\W*$)|rolled (?:back|out)|rerouted|re-routed|switched|paused|unpaused|resumed)\b"
    r"|(?:^|, )(?:flag )?[\w.:*/]+[-_./][\w./:*-]*(?: (?:is|now|back))* (?:at 0|on|off|up|down to 0|in|out)\b(?=\W*$|,)|^purge all sent\b"
)
"""How a deed is told without its doer: "maxmemory set to 24gb"."""
ROLLED = words(
    "rolled", "rolling", "reverted", "reverting", "done", "complete[d]?", "finished", "is (?:out|live|in)", "zurückgerollt", "revertido",
)  # fmt: skip
"""That a rollback is more than a wish."""
BY_WHOM = words(
    "i", "we", "i've", "we've", "i have", "we have", "just", "have", "has", "been", "now", "also", "he", "she", "they", "got", "was", "were",
)  # fmt: skip
"""What stands before a deed in the past."""
LONG_AGO = re.compile(
    r"\b(?:yesterday(?:'s)?|last (?:week|night|month|friday|monday|release|sprint)|(?:days?|weeks?|months?) ago|this morning|earlier today|back in)\b"
)
"""When something was done that is no answer to what began today."""
FROM_NOW = re.compile(r"\bfrom now on\b|\bnow (?:uses?|runs?|goes?)\b")
STILL = re.compile(r"\bstill\b")
CONCLUDES_NOT = re.compile(r"(?:good\W+|ok(?:ay)?\W+)?(?:so|then) (?:no|not)\b(?! (?:idea|clue|one|sure))")
SO_NO = re.compile(
    r"\bwas never (?:the|our|a)\b|\bexcluded\b|\b(?:so )?(?:is|it\'s|it is|that\'s) not (?:it|the)\b|\bnot (?:the|a) (?:cause|reason|problem|culprit)\b|,? so no\.?$|\bit wasn't\b|\bnot payments\b|^not (?!nice|good|proven|sure|yet|now|bad|great|good|really)\w+\.?$|\bnone from\b|\bi(?:'d| would)? rule out\b|\blooks clean\b|\bnothing under\b|\bnot (?:affected|altered|impacted|involved|touched|ours)\b"
)
ROUTINE = words(
    "no (?:status )?update",
    "has been open for",
    "please assign",
    "no resolution summary",
    "prefix inc",
    "weekly",
    "daily",
    "monthly",
    "report",
    "checks? done",
    "digest",
    "reminder",
    "scheduled",
    "standup",
)
VENDOR = re.compile(
    r"\b(?:p[0-5]|sev-?\d)\b[^.]{0,12}(?:\b(?:ticket|case|bug|issue|jira|request|with)\b|\bw/)|\b(?:ticket|case|bug|vendor|support)\b[^.]{0,24}\b(?:p[0-5]|sev-?\d)\b"
)
"""A priority of something else than the incident."""
SEPARATE = re.compile(
    r"\bnot the same \w+\b|\bi (?:lead|take|have|run) the \w+ one\b|\bmine is the \w+ one\b|\bclosing mine\b|\bthe \w+ (?:one|incident) is (?:separate|different|another|unrelated|its own|mine|ours|over|closed|resolved|still|a )|\b(?:separate|second|another|different|unrelated|other|new|distinct) (?:\w+ )?(?:incident|issue|outage|problem|thing|alert|sev-?\d)\b|\btwo (?:separate |different )?(?:incidents|issues|outages|problems|things)\b|\bseparate(?:ly)? from\b|\bnot (?:the same|related)\b|\bunrelated to\b|\bindependent (?:of|incident|issue)\b|\bsame channel\b"
)
"""What tells one incident from another."""
ALARMS = re.compile(
    r"pagerduty|opsgenie|alertmanager|grafana|datadog|guardduty|zabbix|nagios|sentry|pingdom|statuscake|cloudwatch|new ?relic|prometheus|uptime|alert|icinga|checkmk|incident|dynatrace|honeycomb|splunk|victorops|monitor|watchdog|sensu",
    re.IGNORECASE,
)
RUN_WITH = re.compile(
    r"incident\.?io|^incidents?$|incident[ _-]?(?:bot|manager|commander|response|io)|rootly|fire ?hydrant|blameless|kintaba|jeli\b|dispatch|allma",
    re.IGNORECASE,
)
"""Programs with which people run incidents: what they post, someone entered. Those that page alone are none."""
ENTERED = re.compile(
    r"^[A-Z]{2,}[A-Z0-9]*-\d+ (?:opened|declared|created) by\b|\blead is now\b|\b[Ss]everity:? (?:SEV|sev|Sev|P)[- ]?\d (?:→|->|to) |\b[Ss]tatus:? [A-Z][a-z]+(?: [a-z]+)? (?:→|->) (?:Triage|Investigating|Cause found|Identified|Fixing|Mitigated|Monitoring|Resolved|Closed|Stable)"
)
"""What such a program posts, whatever it is called."""
DEPLOYERS = re.compile(
    r"argo|ship|deploy|jenkins|spinnaker|github actions|flux|octopus|release|harness|codefresh|buildkite|circleci|gitlab|terraform|launchdarkly|flag",
    re.IGNORECASE,
)
TODO = re.compile(
    r"\b(?:action items?|ai|todo|to-?do|follow[- ]?ups?|next steps?|actions?)\b(?: for (?:me|@?\w+)\b[^:.]{0,20})?\s*[:\]-]|^\[ ?\]|^\[x\]",
    re.IGNORECASE,
)
PROMISE = re.compile(
    r"\b(?:i'll|i will|i'm going to|i am going to|i can|i'm gonna|let me|i'd(?! (?:call|like|say|put|bet|guess|rather|love|hope|expect))|ich (?:werde|mache|kümmere|übernehme|schreibe)|yo me (?:encargo|ocupo)|me encargo|i'm taking|i'll take|i take|mine|taking)\b"
)
LOOKS = re.compile(
    r"\b(?:look|check|see|dig|have a look|take a look|investigate|poke|peek|verify|confirm|join|hop|jump|be right|brb|get (?:on|back)|ask|tail|grep|grab|pull up|ping|find out|keep you|let you|be back|be online|try|watch|monitor|be on)\b"
)
NEEDED = re.compile(
    r"\b(?:(?:someone|somebody) (?:please )?(?=(?:write|check|look|find|own|file|open|make|fix|add|take|document|tell|ask)\b)|we (?:need|should|must|have to|ought) |needs? to |someone (?:should|needs|has) |somebody |should (?:also )?|must |remember to |don't forget to |make sure )"
)
DONE = re.compile(
    r"\b(?:done|fixed|pinned|added|changed|replaced|removed|written|tested|informed|told|counted|in (?:prod|production)|complete[d]?|finished|posted|sent|updated|published|filed|created|opened|merged|shipped|deployed|up now|(?:is|are) (?:up|in|out|back|off|on)(?=\W*$|[,.;]| and)|\w's (?:in|out|up)(?=\W*$|[,.;])|is up|live|ticket:|wrote|written|reached out|called|paged|informed|notified|erledigt|hecho|listo|in place|fertig|rotated|revoked|disabled|restored|scheduled|booked|handled|taken care of)\b"
)
UNDER_WAY = re.compile(
    r"\b(?:still|half|almost|nearly|not yet|so far|in progress|under way|underway|waiting|pending|working on|being|partly|started|starting|\d+ (?:of|/) \d+|\d+ ?%|needs?|wants?|until|once|as soon as)\b|^(?!.*\b(?:is|are) running)\w+ing (?:the|it|on|an?|to|now|this|that|my|our)\b"
)
"""What tells that something is not done yet."""
DROPPED = re.compile(
    r"\b(?:drop(?:ping|ped)? (?:that|the|this)|no longer need(?:ed)?|not needed(?: any ?more)?|skip(?:ping)? (?:that|the|this)|cancel(?:led|ing)? (?:that|the)|won't do|obsolete|moot|don't bother|forget about|scrap(?:ping)? (?:that|the)|descoped?|de-scoped?)\b"
)
HANDS_OVER = re.compile(
    r"\b(?:i take (?:the|that|over)|i'll take (?:the|that|over)|hand(?:ing|ed)?(?: it| this| that)?[- ]?(?:over|off)|tak(?:ing|es|e|en) (?:it |this |that )?over|over to|reassign(?:ed|ing)?|pass(?:ing|ed) (?:it |this |that )?(?:on )?to|will own|now owns?|owns? (?:that|this|it)|is (?:the )?(?:new )?(?:owner|ic)|instead of|relieving|stepping (?:in|down|away)|swapping|take[sn]? the (?:ticket|action|item)|übernimmt|übergebe)\b"
)
HANDS_LEAD = re.compile(
    r"\blead is now\b|\bhand(?:ing|ed|s)?\b[^.]{0,20}\b(?:lead|command|ic|incident)\b[^.]{0,12}\bto\b|\btak(?:es|ing) (?:over )?(?:the lead|command|it from (?:here|there)|over)\b|\b(?:lead|command|ic)\b[^.]{0,12}\b(?:goes to|passes to|is now|now with)\b|\btak(?:es|ing) over (?:the )?coordination\b|\bi(?:'m|'ll| will| am)? (?:now )?hand(?:ing)?(?: it| this)? over to\b|\b\w+ has (?:it|this|the (?:channel|bridge|incident|lead)) (?:from|now\b)"
)
"""How who leads says who leads from now on."""
NAMED = r"@([\w.-]*\w)"
"""Someone who is mentioned, whether they wrote or not."""
LAST = r"(?=\W*$|[.,;!] )"
TURNS_OVER = re.compile(
    rf"{NAMED},? (?:you're|you are|you take|you have|is|are|has|have|takes?|took|gets|as|will take|picked up)(?: \w+){{0,3}}? {ROLE}\b|\b{ROLE}\b[^@.]{{0,24}}(?:to|is|:|=|->|→|by|with|w/|of) {NAMED}|\bnew {ROLE} {NAMED}"
    rf"|\b(?:over to you|your incident(?: now)?|it's yours|yours now)\b.{{0,12}}{NAMED}|{NAMED}.{{0,12}}\b(?:it's yours|over to you|your incident)\b|\b(?:report to|relieved by|(?:baton|torch) to) {NAMED}"
    rf"|{NAMED} (?:runs|is running|drives|is driving|leads|is leading|commands|commanding|in charge|is in charge)(?: (?:this|it|the incident))?(?: (?:from (?:now|here)|now)(?: on)?)?{LAST}|\bdropping {ROLE}\b"
)
"""With one other person named by whoever leads: that one leads from now on."""
NEXT_UPDATE = re.compile(
    r"^(?!.*\b(?:job|batch|run|query|cron|deploy\w*)\b)(?=.*\b(?:next|another|following|fresh|new|further|more|again|back|return)\b)(?=.*\b(?:updates?|news|report|information|status|statement|communication|message from me|mail from us|inform you|come back to you|hear from (?:me|us)|state of things)\b)(?=.*\b(?:at|by|around|before|within|in|until|for|due)\b.{0,24}(?:\d|\bnoon|\bmidnight|\bhours?\b|\bquarter|\bhalf|\bnine|\bten|\bminutes)).*\b(?:will|shall|we'll|i'll|you'll|expect|expected|scheduled|due|goes out|get|promise|return)\b"
    r"|"
    r"\bnxt (?:upd(?:ate)?|post|status)\b|^(?:upd(?:ate)?|status|news|comms|word) (?:again |due |at |@|in |by |around )+(?=:?\d|a |an |half|quarter|ten|five|noon|midnight)|\b(?:update|status|comms|news|info) (?:is )?(?:due|expected|planned) (?:at|by|in|around) |\bback (?:w/|with) (?:\w+ ){0,3}(?:at|by|in|before|around) |\bback in \d+ (?:\w+ )?with\b|\b(?:eta|time) (?:for |of )?(?:the )?next (?:comms|update|status|post)|\bexpect (?:\w+ ){0,3}from (?:me|us) (?:in|at|by|around|within)\b|\bnext (?:checkpoint|sync|review|bulletin|(?:status ?page|customer|public|internal) (?:post|update|note)|comms|call)\b|^again (?:in|at) \d|\bnew status (?:at|@|in|by)|\b(?:you'll|you will|everyone will|all will) (?:hear|get \w+) (?:\w+ ){0,3}(?:from (?:us|me) )?(?:in|at|by|within|again|before)\b|\b(?:further|more) (?:info(?:rmation)?|details|news)? ?(?:at|by|in|around|from) (?=:?\d|half|quarter|noon|an hour|a few)"
    r"|"
    r"\bhear from me (?:again )?(?:at|by|in)\b|\b(?:i'll|i will) write here again\b|\b(?:next|another|further|will|i'll|more|the next) (?:status |stakeholder |exec |customer )?(?:update|upd|post (?:an? |another )?update|news|word|post|report)\b(?! (?:the|this|that|it)\b)|\bnext (?:message|round|sitrep|bulletin|status|note|look|summary)\b(?= (?:from|by|of|at|in|tomorrow|today)\b|:? \d|\W*$)|\bi (?:will |shall )?sum up (?:again )?at\b|\bback (?:here )?(?:with \w+ )?(?:at|by) (?=\d{1,2}[:h]\d\d)|\bupdate (?:again |you |everyone )?(?:in|at|by|every|around)\b|\bnext check-?in\b|\bnext (?:one|from (?:me|us)) (?:in|by|at)?\b|\bnext (?:at|in|by)\b|\bnext (?=\d|(?:half|quarter|ten|five|twenty|noon|midnight)\b)|\bwill update\b|\bnächstes update\b|\bpróxima actualización\b|\bsiguiente actualización\b"
    r"|\b(?:i'll|i will|we'll|we will) (?:be back|(?:speak|talk|write|post|holler|shout|report|call) again|(?:speak|talk|holler|shout|check in|come back|be in touch|update)(?: \w+){0,2} (?:again|at|by|in))\b|\bback (?:here )?at (?=\d{1,2}[:h]\d\d|half|quarter|noon)|\bmore at (?=\d{1,2}[:h]\d\d|half|quarter|noon)"
)
SMALL_TALK = re.compile(
    r"\b(?:why on earth|anyone (?:around|else|here|awake|hungry)|everyone|you (?:there|around|hear|see my|ok|good|sure|seeing|free|joking|serious|want me|mean)|can (?:you|anyone|someone|i|we) (?:hear|see|please|join|share|post|paste|hop|jump|have|get|look|check|take|try|confirm|send|link|add|give|mute|drop|run|update|do|also|page|stop|keep|verify|rotate|own)|could (?:you|someone|anyone)|bridge|zoom|meet link|huddle|link\?|coffee|lunch|dinner|sleep|weekend|kids|thanks|who(?:'s| is) (?:on ?call|ic|driving|here|got|taking|on|around|scribing|summarizer)|want me to|shall i|should i|do you (?:want|need|mind|have|know)|need (?:help|anything|a hand|hands)|does that make sense|ok\?|right\?|no\?|sound good|agreed\?|objections|makes sense|ready\?|done\?|eta\?|any news|any update|updates?\?|how's it|thoughts|lol|haha|ping)\b|^(?:what|huh|really|why|how|who|wait|and|so|seriously|which one|where|when|eh|que)\??$"
)
WHAT_NOT_KNOWN = re.compile(
    r"\bstill (?:nobody|no one|no answer|waits?|waiting) (?:on|for|to)\b[^.]*\b(?:answers?|question|q\b)|\b(?:open question|unknown|unclear|don't (?:yet )?know|do not (?:yet )?know|no idea|still (?:don't|do not|unclear|unknown|need to (?:understand|know|find)|investigating why)|not (?:yet )?(?:clear|known|understood)|can't explain|cannot explain|need to (?:understand|figure out|find out) (?:why|how|what|who|whether|if)|mystery|wonder why|tbd|unerklärlich|no sabemos|wissen (?:wir )?(?:noch )?nicht)\b"
)
GOOD_QUESTION = re.compile(
    r"^(?:\[[^\]]{1,16}\] |\W|and |but |so |also |ok |btw |still |then |open question:? )*(?:why|what|how|which|who(?! (?:is|'s) (?:on|ic))|where|when (?:did|will|was|do)|is (?:it|this|that|there|the|our|any)|are (?:the|there|we|any|other|all|these)|did|any(?:one|body) (?!around|else|here|awake|know if|on\b)|do \w+|does|was|were|has|have (?:we|any|other)|could|should we|can we|will|would|warum|wieso|por qué|cuánt)\b"
)

# --- what programs post ---------------------------------------------------------------------------------------

FIRING = re.compile(
    r"\bfiring\b|\btriggered\b|\balert(?:ing|ed)?\b|\[(?:alerting|critical|warning|p[0-5]|sev\d|fire|down|problem)\]|:(?:rotating_light|fire|red_circle|warning):|\bis down\b|\bopened incident\b|\bcritical\b|\bproblem\b|\b(?:above|below|over|under|exceed\w*|limit|threshold) (?:of )?\d|(?<![-=–])[<>]=? ?\d|\b(?:dropped|fell|rose|jumped) (?:by )?\d|\bheartbeat (?:lost|missed)\b",
    re.IGNORECASE,
)
CLEARED = re.compile(
    r"^ok\b|\bresolved\b|\[(?:ok|recovered|up|resolved)\]|\brecovered\b|\bis (?:up|ok|back)\b|:(?:white_check_mark|large_green_circle|green_heart):|\bnormal\b",
    re.IGNORECASE,
)
ENDED = re.compile(
    r"\b(?:started on prod\w*|live (?:on|in)|succeeded|success(?:ful(?:ly)?)?|finished|completed?|deployed|is live|rolled out|done|healthy|synced|promoted|passed|released)\b",
    re.IGNORECASE,
)
FAILED = re.compile(r"\b(?:failed|failure|aborted|cancell?ed|errored|broken)\b", re.IGNORECASE)
BUILD = re.compile(
    r"\b(?:build|pipeline|workflow|tests?|ci|job|lint|pull request|pr #?\d+|coverage|dependabot|reminder|standup|calendar|poll|giphy)\b",
    re.IGNORECASE,
)

QUANTIFIED = re.compile(
    rf"(?<![\w.:-])(?:~|≈)?(?!\d+\.\d{{1,2}}\s[a-z])\d[\d.,]*\s?(?:k\b|m\b|%|percent)?\s?(?:of )?(?:[\w-]+ ){{0,3}}?(?:{WHO.pattern[2:-2]})"
)
"""So many of those who feel it: ``3,400 orders``, ``6% of European subscribers``."""
SHRUGS = ("dunno", "idk", "no idea", "no clue", "good q(?:uestion)?", "don't know", "do not know", "nobody knows")
SHRUG = words(*SHRUGS)
"""How someone says that they have no answer."""
ASIDE = words(
    *SHRUGS,
    "not sure",
    "not ours",
    "can(?:'t|not| not) (?:tell|say)",
    "hard to (?:tell|say)",
    "not yet",
    "i'll ask",
    "will ask",
    "raise it",
    "tomorrow",
    "later",
    "not today",
    "tbd",
    "unknown",
    "can count",
    "will count",
    "checking",
    "looking",
    "let me",
)
"""What is said to a question without answering it."""
SETUP = re.compile(
    r"\b(?:set to|scaled|synced|rolled out|deployed|config change|toggled|switched|enabled|disabled|applied|promoted|released|restarted|reverted|rolled back|drained|→)\b|→",
    re.IGNORECASE,
)
ACTED = re.compile(
    r"\b(?:started|triggered|requested|initiated|launched|applied|resumed|paused|run|deployed|pushed|approved|changed|updated) by\b|\bby @?[a-z][\w.-]+\W*$|\bby @?[a-z][\w.-]+(?:: |, )|\bappl(?:y|ied) (?:complete|succe\w+)\b|\b[\w-]+=\S+ (?:in|on|to) \w",
    re.IGNORECASE | re.MULTILINE,
)
"""How a program tells that it changed something for someone: "config push ttl=1800 to eu-1 by wes"."""
TRACKED = re.compile(
    r"\b(?:commented|moved to|created by|assigned|opened by|closed by|reviewed?|mentioned|replied|reminded|invited|uploaded|shared)\b",
    re.IGNORECASE,
)
"""What trackers of tickets and reviews post."""
CONFIGURED = re.compile(
    r"\b(?:flag|scaled|config(?:uration)? (?:change|»)|limit|set to|replicas|toggled|restarted|drained)\b|→",
    re.IGNORECASE,
)
GRAVE = re.compile(r"\b(?:p[0-3]|sev-?\d|critical|high|error|disaster|emergency|page)\b", re.IGNORECASE)
TECHNICAL = re.compile(
    r"(?<![\w-])[\w-]+[_./][\w./-]+|\b[A-Z][A-Z0-9]{2,}\b|\b[a-z]+-[a-z]+(?:-[a-z0-9]+)*\b|\b[a-z]+[A-Z]\w+|\b[0-9a-f]{7,40}\b|\bv?\d+\.\d+(?:\.\d+)?\b"
)
"""Names of services, settings, versions, commits."""
APPLAUSE = frozenset(
    {
        "100",
        "tada",
        "pray",
        "bulb",
        "eyes",
        "scream",
        "dart",
        "+1",
        "thumbsup",
        "fire",
        "white_check_mark",
        "raised_hands",
        "clap",
        "exclamation",
        "heart",
    }
)
TOOK_BACK = words(
    "correction",
    "scratch that",
    "strike that",
    "scrap that",
    "i was wrong",
    "i misread",
    "i take that back",
    "korrektur",
    "corrección",
    "final count",
    "for the record",
)
"""What takes back in all sentences of a message."""
MINE = re.compile(
    r"\bis on me\b|\b(?:is|are) mine\b|\bi(?:'ll| will)? own\b|\bmine:|\bi take (?:the|that|this|over the)\b|\bi'll take (?:the|care)\b"
)
"""What its writer takes."""
OUTWARD = words(
    "ticket",
    "post",
    "page",
    "call",
    "file",
    "write",
    "update",
    "tell",
    "inform",
    "notify",
    "email",
    "alert",
    "status page",
    "customers?",
    "partner",
    "vendor",
    "support",
)
ONLY = words("only", "just", "all", "every", "both", "none of", "nur", "solo")
COMPONENT = words(
    "db",
    "databases?",
    "postgres\\w*",
    "mysql",
    "redis",
    "kafka",
    "cache",
    "network",
    "dns",
    "cdn",
    "queues?",
    "disks?",
    "memory",
    "cpu",
    "deploy\\w*",
    "releases?",
    "config\\w*",
    "cert\\w*",
    "load",
    "traffic",
    "provider",
    "vendor",
    "regions?",
    "nodes?",
    "pods?",
    "cluster",
    "proxy",
    "gateway",
    "load balancer",
    "lb",
    "firewall",
    "migrations?",
    "cron\\w*",
    "jobs?",
    "index",
    "locks?",
    "deadlock\\w*",
    "leak\\w*",
    "timeouts?",
    "retr(?:y|ies)",
    "rate limit\\w*",
    "quota",
    "upgrade",
    "library",
    "flag",
    "token",
    "ttl",
    "session",
    "storage",
    "switch",
    "router",
    "kernel",
    "gc",
    "threads?",
    "connections?",
    "pool",
    "quer(?:y|ies)",
    "join",
    "vacuum",
    "transactions?",
    "tx",
    "s3",
    "buckets?",
    "conns?",
    "edge",
    "origin",
    "shield",
    "replicas?",
    "primary",
    "shards?",
    "third[- ]party",
    "api",
    "datenbank",
    "netzwerk",
    "base de datos",
    "red",
)
GRADES = re.compile(
    r"\b(?:bump|upgrad|downgrad|rais|lower|mov|tak|drop|escalat|mak|call|treat)(?:e|es|ed|ing|ping|ped|s)? (?:this|it|that|us|things)? ?(?:up|down|over)? ?(?:to|as)? ?(?:an? )([0-5])\b(?! ?(?:%|min|hour|day|week|node|pod|replica|second|s\b|h\b))"
)
"""A severity without its word: "bumping this to a 1"."""
CHANGES_SEVERITY = re.compile(
    r"\b(?:up|down)grad\w+|\b(?:rais|lower|bump|drop|mov|chang|escalat)\w+|\bfrom (?:sev|p\d)|\bnow (?:a )?(?:sev|p\d)|\b(?:back|down) to (?:a )?(?:sev|p\d|prio)|\bhand\w* over|\bbecomes?\b"
)
TAKES_LEAD = re.compile(rf"{I_LEAD.pattern}|\bi(?:'m|'ll| am| will)? (?:open\w*|have|own)|\bmine\b")
NOT_SO = re.compile(
    r"\b(?:it|that|this|is|was|so|are)(?:'s)? not \w+|\bisn't\b|\bwasn't\b|\bno (?:difference|change)\b|\bsame as\b|\btoo, .{0,200}\bsame\b|\bforget (?:that|it)\b"
)
IDENTIFIES = re.compile(
    r"(?:so |ok |yep |and )?(?:it|that|this|these|those)(?:'s| is| was| are|'re) (?:all )?(?:from |on |in )?(?:an?|the|our|my|your|one|\d+)\b"
)
"""How something that was just seen is said to be what it is: "it's an ALTER TABLE from the migrations job"."""
REFUSES = re.compile(
    r"^\W*(?:no+\b|never\b|nope|hell no|god no|nein|please don't|don't|do not|we(?:'re| are) not|not (?:now|yet|doing)|hold on|wait|stop|that's not (?:your|yours)|who are you|denied|rejected|negative)",
    re.IGNORECASE,
)
COUNTED = re.compile(
    r"(?<![\w.:#-])(?:~|≈)?(?:\d[\d.,]+|\d[\d.,]*\s?k)\s+(?!(?:[a-z]+ ){0,2}(?:backends?|pids?|quer(?:y|ies)|locks?|process(?:es)?|rows?|keys|files?|shards?|topics|tasks|consumers?|segments?|threads?|sockets?|alerts?|migrations?|routes|records|indexes|images|blocks|spans|entries)\b)(?!(?:ms|min|minutes?|seconds?|hours?|days?|weeks?|bytes|rps|qps|pods?|nodes?|replicas?|instances?|connections?|threads?|cores?|partitions?|lines?|commits?|retries|workers?|brokers?|servers?|hosts?|errors?|restarts?|checks?|tokens?|metrics|logs?|tests?|steps?|times)\b)(?:[a-zà-ÿ-]+ ){0,2}?(?P<noun>(?!https|ones)[a-zà-ÿ]{3,}s)\b"
)
"""So many of anything that can be counted as who feels it: ``4,870 couriers``."""
JOY = frozenset({"joy", "rofl", "laughing", "stuck_out_tongue", "clown_face", "troll", "sweat_smile", "grin", "smile"})
IS_IT = re.compile(r"^(?:so |or |and )?(?:is|are|was|were) (?:it|this|that|the|our)\b")
"""How a suspicion is put plainly: "is it the reindex?"."""
THATS_IT = words(
    "i (?:think|believe|guess) (?:that's|this is) (?:it|the (?:cause|reason))",
    "that (?:could|might|may) be it",
    "i(?:'d| would)? bet (?:that's|it's|this is) (?:it|that)",
    "that(?:'d| would) (?:do it|explain(?: it)?)",
    "might be it",
    "could be that",
)
SET_BY_BOT = re.compile(
    r"\b(?:severity|priority)\b[^.]{0,20}\b(?:changed|set|updated|raised|lowered|now|is)\b|\b(?:declared|opened)\b"
)
ONSET = re.compile(r"^(?:(?:it|this|that|they|errors|alerts) )?(?:all )?(?:start(?:ed|s)|began|begins|onset)\b")
"""How someone begins who says when it began."""
SCOPE = re.compile(
    r"^(?:confirmed|reproduced|same) (?:on|in|for|from|with)\b|^(?:(?:just|and) )?only (?:in |on |for |some )|^(?:[\w./-]+,? (?:and |or |& |\+ )?){1,5}only\b(?=\W*$|,|\.)"
)
"""How it is told what feels it and what does not: "ios only, android 97%"."""
HOW_MANY = re.compile(
    r"\bhow (?:many|much|bad|big|wide)\b|\bwhat(?:'s| is) the (?:impact|blast radius|scope|damage)\b|^~?\d[\d.,]*k? [a-z]+\?|\b(?:what|which) (?:share|percentage|fraction)\b"
)
"""How someone asks for the impact."""
TURNED_BACK = re.compile(r"\b(?:put|turn|switch|set|take) (?:\S+ ){1,4}?back\b|\bundo\b|\bback out\b")
"""How something is done away with again."""
VENDOR_SAYS = re.compile(
    r"\b(?:vendor|provider|support|they|\w+'s (?:support|on-?call)) (?:say|says|said|confirm\w*|see)\b"
)
"""What another company tells of itself."""
CONTRAST = re.compile(
    r"\b(?:others?|rest|everything else|all else)\b[^.]{0,30}\b(?:fine|ok|okay|good|normal|healthy)\b|\b(?:old|stale|fail\w*|broken|bad)\b[^,;]{0,200}[,;] .{0,200}\b(?:fine|ok|okay|good|normal|fresh)\b|\b(?:fine|ok|okay|good|normal|fresh)\b[^,;]{0,200}[,;] .{0,200}\b(?:old|stale|fail\w*|broken|bad)\b"
)
"""What feels it, beside what does not: "lhr fra = old, us is fine"."""
EXPLAINS = re.compile(r"(?<!n't )(?<!not )\bexplains? (?:the|why|it|this|that|our)\b")
THANKS = re.compile(r"^\W*(?:ok(?:ay)?|k|ty|thx|thanks|thank you|got it|cool|great|perfect|nice)\b(?!.*\?)")
"""How someone takes an answer."""
KEEPS_TELLING = re.compile(
    r"\b(?:i'll|i will) (?:keep (?:you|everyone|the channel)|(?:post|write|update|shout|say) (?:here|again|every|more|when))\b"
)
"""What is promised to everyone who reads."""
FAULTY = re.compile(
    r"\b(?:isn't|aren't|not) (?:in|on|set|there|installed|mounted|deployed|enabled|called|run)\b|\bfall(?:s|ing)? back to\b|\b(?:is|are|was) missing\b|\bno longer\b|\b(?:was|were|got) (?:removed|renamed|deleted)\b|\b(?:kept|keeps) \w+ing\b|\bnever (?:ran|fired|started|expires)\b|\bdoesn't (?:exist|recycle|expire|fit|match)\b|\bno (?:jitter|backoff|limit|index|retr(?:y|ies)|timeout|check)\b"
)
"""How something is told to be other than it should."""
EASES = re.compile(r"\b(?:slow|go|com|di|calm|quiet)ing down\b|\bdown to (?:the )?(?:usual|normal)\b")
HEARSAY = re.compile(r"\b(?:they|he|she|vendor|support)(?: now)? (?:say|says|said|claim|claims|told us)\b")
DENIES = re.compile(
    r"\bnothing of (?:that|this|it) is (?:so|true)\b|\bthat(?:'s| is)(?: simply| just)? (?:not (?:so|true|right|ours|correct|what)|false|untrue|nonsense|wrong)\b|\b(?:that|this) (?:isn't|is not|ain't) (?:so|true|right|our\w*|ours|correct|decided)\b|\bnobody (?:here )?(?:decided|said|agreed|asked|approved)\b|\bwe (?:never|did not|didn't) (?:decide|decided|agree|agreed)\b|\b(?:isn't|not) (?:ours|yours) to (?:decide|call|say)\b|\b(?:disregard|ignore) @\w+|\bnot an? (?:real|official) (?:update|page|message)\b"
)
"""How whoever leads says that something is not so."""
SENDS_AWAY = re.compile(
    r"\byou(?:'re| are) (?:only )?a guest\b|\byou(?:'re| are) (?:still )?not (?:on|part of) (?:the|this) (?:team|response|incident)\b|\bleave the (?:updates?|notes|summary|decisions?|minutes) to\b"
)
"""How someone is told to have no part in it."""
CONFIRMS = frozenset({"100", "dart", "bulb", "face_palm", "facepalm", "man-facepalming", "woman-facepalming"})
"""Reactions by which people say: that is it."""
LEADS_IN = words(
    "found it",
    "got it",
    "proof",
    "here it is",
    "there it is",
    "that's it",
    "eureka",
    "bingo",
    "have it",
    "i have it",
    "nailed it",
    "here's the thing",
    "here's what happens",
    "found something",
    "i have something",
)
"""What stands before a finding."""
FINDS = re.compile(
    r"(?:proof|bingo|eureka|found it|nailed it|got it|there it is|here it is|here we go|aha)\b\W{1,4}(?=\w+\W+\w)"
)
"""How a finding begins: "bingo, idem:* is 92% of the keyspace"."""
NONE_OF_IT = re.compile(
    r"\b(?:no|zero|0|without)(?: \w+)? (?:errors?|failures?|timeouts?|alerts?|lag|backlog|drops?|restarts|5xx)\b"
)
"""Signs of an incident that are said not to be there."""
CANNOT = re.compile(r"\b(?:can(?:not|'t| not)|unable to|nobody can|none of \w+ can|not one of \w+ can)\b")
"""How it is said that something does not work any more."""
DECIDED_SO = re.compile(
    r"^(?:(?:right|ok|so|and|then),? )?(?:(?:that|this|it)(?:'s| is) )?(?:a |the |my )?(?:decision|decided|call(?:'s)? (?:is )?made|final|firm|settled)\b(?:[,:]? \w+){0,2}\W*$"
)
"""A few words that make the rest of a message a decision."""
RETRACTS = re.compile(
    r"\bi take (?:it|that) back\b|\bspoke too (?:soon|fast|early)\b|\bi was wrong\b|\bwe (?:were wrong|said that wrongly)\b|\bscrap (?:that|my \w+)\b|\bcause (?:is )?(?:still |now )?unknown\b|\bwe (?:do not|don't) know the cause\b"
)
"""How someone takes back what they gave as the cause."""
TALLY = re.compile(
    r"(?<![\w.:])\d[\d,.]{2,} [^.?]{0,40}\b(?:in total|all told|overall)\b|\b(?:peaked|counts?|counted(?: up)?|tally|estimate|final|total(?:s|led)?)\b[^.?]{0,60}?(?<![\w.:])\d[\d,.]{2,}|(?<![\w.:])\d[\d,.]*k? (?:[a-z]+s )?(?:offline|late|stuck|failing|affected|waiting|asking|complaining|calling|locked out)\b|(?<![\w.:])\d[\d,.]{2,} (?:they counted|final|in all)\b|\b0 (?:late|stuck|failing|affected|waiting|missing|left)\b|(?<![\w.:])\d[\d,.]* (?!pods|nodes|replicas|instances|hosts|brokers|checks|probes|workers|servers|shards|alerts|threads)(?:[a-z]+ )?[a-z]{3,}s (?:say|report|complain|tell us|can't|cannot)\b"
)
"""A count that may not say of what."""
SHARE = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|\d+) (?:in|out of|of every) (?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|\d+)\b"
)
"""A share in words: ``two in five scans``."""
REMEMBERS = re.compile(r"\bremember (?:when|the|how|that|last|20\d\d)\b|\bback in (?:20\d\d|the day)\b")
"""How someone speaks of another time."""
FORBIDS = re.compile(
    r"^(?:no[,.:]? )?(?:nobody|no one|no-one) (?:ships|deploys|touches|restarts|merges|pushes|changes|moves|hops|goes|leaves|posts|rolls|runs|starts|stops|releases|scales|reverts|toggles|flips|speaks|calls|tells|edits|deletes|lifts|switches|closes|opens|unblocks|sends|writes)\b"
)
"""How whoever leads forbids something: "nobody ships anything before the whistle"."""
