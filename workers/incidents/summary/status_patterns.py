"""The words by which people tell how an incident stands: over, eased, watched, understood, back, or none at all.

English first; German and Spanish as far as a channel of an international team needs them. Every pattern reads lower case.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

SAID_LAST = r"(?=\W*$|[.,;:!)] |[,;] ?(?:thanks|thx|ty)\b)"
"""Where a sentence or its clause ends."""
AND_WHY = r"(?= (?:since|because|as|from|through|via|thanks|with|but|by|now|after|even|though|while|on|using|again)\b)"
"""How it goes on behind what people can do again: how, and what is left."""
IT = r"(?:it|(?:this|that)(?: one)?|the (?:incident|issue|outage|bridge|call|war room|channel))"
WORSE = r"(?:down|up and down|failing|broken|red|slow|dead|gone|dying|erroring|flapping|timing out|crashing|stuck|spiking|climbing|rising|growing|dropping)"
FINE = r"(?:fine|ok|okay|good|healthy|normal|happy|stable|green|clean|unaffected)"
SERVED = r"(?:(?:end )?users?|visitors?|shoppers?|travell?ers?|residents|citizens|pupils|nurses|farmers|customers?|clients?|people|everyone|everybody|merchants?|drivers?|riders?|passengers?|patients?|staff|students?|players?|readers?|viewers?|shops?|stores?|branches|guests?|agents|couriers?|subscribers|members|partners|tenants|callers)"
SERVICE = r"(?:service|site|website|api|app|portal|system|platform|login|checkout|network|link|line|connection|power|cooling|sound|picture|feed|stream|cluster|database|db|server|shop|search|page|backend|gateway|map|payments?|internet|vpn|wifi|phones?|lift)"
FOR_THEM = r"(?:flow(?:s|ing)?|run(?:s|ning)?|work(?:s|ing)?|print(?:s|ing)?|opens?|load(?:s|ing)?|respond(?:s|ing)?|answer(?:s|ing)?|going (?:out|through)|get(?:s|ting)? through|through|in|out|online|reachable|accessible|available|serving|serves|process(?:es|ing)|accept(?:s|ing)|sends?|sending|sync(?:s|ing)|usable|alive|up|back|moving|play(?:s|ing)?|sells?|selling|ship(?:s|ping)?|deliver(?:s|ing)?|connect(?:s|ed|ing)?|read(?:s|ing)?|arriv(?:es|ing))"
"""What a service does that does what it is for."""


def any_of(*patterns: str) -> re.Pattern[str]:
    """Any of these."""
    return re.compile("|".join(patterns))


# --- at its end -----------------------------------------------------------------------------------------------

PERFORMED = any_of(
    rf"\b(?:let's|lets|we'll|i'll|i will|we will|we can|we|i'd say we|i'd) (?:now |then |all )?(?:call|consider|mark|declare|close|end) {IT}(?: as)?(?: (?:resolved|closed|over|done|off|now|here))*{SAID_LAST}",
    rf"\bwe can (?:all )?close{SAID_LAST}",
    rf"\bi'd say (?:we(?:'re| are) done|{IT}(?:'s| is) (?:over|done|resolved))\b",
    rf"\bwe (?:can )?(?:all )?(?:close|end) {IT}(?: now| here)*{SAID_LAST}|\b(?:everyone|everybody|we|you|all|people) can (?:all )?stand down\b",
    rf"\b(?:{IT}|case) can (?:now )?be (?:closed|resolved)(?: (?:from|on) our (?:side|end))?\b{SAID_LAST}",
    rf"\b(?:bridge|call|war room|channel) can (?:drop|close|end|go){SAID_LAST}|\b(?:everyone|everybody|all|you) can (?:drop|leave) (?:the )?(?:bridge|call)\b",
)
"""What ends an incident by being said, though it is put as something to come: "let's call it resolved"."""
THING = r"(?:the |this |our |that )?(?:\w+[\w-]* ){0,3}?(?:incident|issue|outage|problem|sev-?\d|it|this|everything|all|impact|störung|incidente|problema)"
RESOLVED = any_of(
    rf"^(?!.*\b(?:alert|page|ticket|conflict|case|thread|dns|hostname|comment)s?\b)(?:the )?[\w./-]+(?: [\w./-]+){{0,4}} (?:is|are) (?:now |fully |all )*resolved\b(?! (?:by|to|via|at \d+\.))|\b{THING}(?:'s|'re)? (?:is|are|as|now|has been|have been|was|can be|been|marked|considered|fully|officially|all|completely|ist|está)?\s*(?:now |also |fully |officially |considered |marked |completely |as )*(?:resolved|closed|over(?! (?!now\b|for\b|and\b)\w)|fixed|done and dusted|behoben|gelöst|resuelto)\b"
    r"|\b(?:calling|declaring|marking|considering|closing|resolving|mark|call|consider)\b (?:it[:,]? |this[:,]? |the |as |incident |sev-?\d |that |one |issue )*(?:as )?(?:resolved|closed|all[- ]clear|over|done)\b(?! until| yet)|\b(?:closing|resolving) (?:the |my |this )?(?:sev-?\d|p[0-5])\b|\b(?:closing|resolving) (?:this|it|mine|the incident|the issue|the outage|this incident|out)\b"
    r"|\ball[- ]clear\b|\bincident (?:is )?(?:resolved|closed|over)\b|^resolved\b(?! (?:the|an?|my|our) (?!incident|issue|outage|problem))|\bwe(?:'re| are) (?:resolved|all clear|in the clear)\b|\bstand(?:ing)? down\b|\bend of (?:the )?incident\b|\bclosing (?:the|this) (?:channel|bridge|war room)|[,;.] (?:now )?(?:closing|resolved|closed)\b\W*(?:it|out|this|(?:thanks|thank you|thx|ty|cheers|folks|all|everyone|team|now|for real)\b.*)?\W*$"
    r"|\bcalling it\b(?=\W*$|[.,!] )|\bthat's a wrap\b|^(?:all )?done here\b|^closing\W*$|\bwe(?:'re| are) done here\b",
    rf"^(?:ok(?:ay)?,? |and |so )*(?:now )?(?:resolving|closing|wrapping up|ending)(?: {IT}| here| now| up| out)*{SAID_LAST}|\b(?:and|then) closing{SAID_LAST}|\bending {IT}\b",
    rf"\b(?:disruption|outage|incident|interruption|degradation)s? (?:is |are |has |have |was |were |now )*(?:ended|over|finished|resolved){SAID_LAST}|\b(?:outage|incident|disruption) ended\b",
    r"\b(?:so )?that's us (?:done|finished)\b|^(?:(?:ok|problem|issue|all|fixed and|now|and|finally) )*solved\b|\bfixed and (?:verified|confirmed|tested)\b|^done\b[.!,;]* (?:thanks|thx|thank you|everyone|go (?:to bed|home))|\bstood down\b|^stand-?down\b|^(?:and |so |ok )*we(?:'re| are) through\b(?! (?:with|to|the|\d))",
    rf"\b(?:ticket|case|bridge|call|war room|channel) (?:is |now )*closed{SAID_LAST}|\bcalling it (?:a night|a day|here|done|off)\b",
)
OBSERVERS = r"(?:(?:(?:the|our|its|their) )?(?:monitor(?:s|ing)?|probe(?:s|rs?)?|exporters?|collectors?|scrap(?:e|ers?|es|ing)|metrics?(?: pipeline)?|telemetry|dashboards?|alert(?:s|ing| rules?)?|alarms?|(?:health ?|uptime )?checks?|sensors?|graphs?|gauges?|synthetics?|panels?|canary script|status ?checkers?|pingdom|statuscake|datadog|uptime robot)(?: (?:agent|node|script|panel|host|monitor))?|our (?:view|eyes|picture|sight)(?: of (?:it|that|them))?)"
FAULTY = r"(?:buggy|outdated|expired|duplicated?|double[- ]count\w+|had (?:the )?wrong \w+|tripped|died|dead|failed|failing|stalled|stuck|blind|wrong|bogus|spurious|stale|misconfigured|lying|lied|cut off|down|lost (?:its|the|their|our) \w+|misfired|at fault)"
NEVER_DOWN = r"(?:never (?:really |actually |ever )?(?:stopped|impaired|down|out|gone|away|offline|affected|dipped|dropped)|(?:up|serving|served|healthy|work(?:ing|ed)|green|ran|normal)(?: \w+){0,2} (?:throughout|all along|the (?:whole|entire) time|all the time|as (?:always|ever))|no (?:outage|downtime)\b|zero (?:failures|errors|drops?)|never touched|nothing (?:was |is )?(?:ever |actually |really )*(?:wrong|down|broken|happened)|not (?:the|a) (?:service|outage|region|network)|no drop in)"
SEEMED = any_of(
    rf"^(?=.*\b{NEVER_DOWN}).*\b{OBSERVERS}(?: itself| that| was| were| is| are| had| has| got| only| just| all)* {FAULTY}\b",
    rf"\b{NEVER_DOWN}[^,.]{{0,20}}[,.;] (?:it was |that was )?(?:just|only) (?:the |our |an? )?{OBSERVERS}{SAID_LAST}",
    rf"^only {OBSERVERS}(?: was| were| is| are| had| got)* {FAULTY}{SAID_LAST}|\b(?:exists?|was|is|seen) only (?:on|in) {OBSERVERS}{SAID_LAST}|\bonly lost {OBSERVERS}{SAID_LAST}",
    rf"^(?:(?:turns|turned) out (?:that )?)?(?:it|this|that|all this|the (?:alert|alarm|page|incident))(?:'s| is| was)(?: all| only| just| to be)? (?:(?:our|their|the|an?|unannounced|announced|planned|own) ){{0,3}}(?:[\w-]+ )?(?:drill|exercise|game ?day|load ?test|chaos (?:drill|test|experiment)|rehearsal|simulation)(?: on [\w-]+)?{SAID_LAST}|^(?:was|only|just|turns out it was|turns out to be) (?:(?:our|their|the|an?|own|planned) ){{0,3}}(?:[\w-]+ )?(?:drill|exercise|game ?day|load ?test|chaos (?:drill|test|experiment))(?: on [\w-]+)?{SAID_LAST}",
    rf"\b(?:retract|scratch|cancel|withdraw)\w* (?:this|that|the) (?:whole |entire )?(?:incident|sev\d?|alarm){SAID_LAST}|\b(?:alarm|alert|smoke) w(?:/o|ithout) (?:a )?fire\b",
    rf"^(?:just|only|all) (?:an? |some )?(?:[\w-]+ )?(?:alert|pager|monitoring|sensor|probe) (?:noise|replay|glitch|misfire){SAID_LAST}|^(?:\w+ )?(?:alert|alarm|pager) misfire{SAID_LAST}",
    rf"\b(?:chas(?:ed|ing) a ghost|alarmed for nothing)\b|^(?:so |ok |turns out )?the (?:alarm|alert) (?:was|is) (?:fake|a bug|a mistake|unfounded|wrong|bogus|spurious|mistaken){SAID_LAST}|\bno (?:breach|outage|loss|failure|incident) (?:at all|after all)\b|\b(?:outage|incident|problem|loss|breach|failure)s? (?:did not|didn't|never) (?:really )?exist(?:ed)?{SAID_LAST}|\bno request\b[^.]{{0,40}}\bever failed\b|\b(?:consider|treat) (?:this|it) (?:as )?a false (?:positive|alarm)\b",
    rf"\b(?:phantom|bogus|spurious) (?:alarm|alert)s?{SAID_LAST}|\b(?:the )?(?:alarm|alert)s? (?:was|were) bogus{SAID_LAST}|\bblind,? (?:and |but )?not (?:down|out|broken|gone)\b|\bnot (?:down|out|gone|broken),? (?:just |only )*blind\b",
    rf"\b(?:it|this|that|all) (?:(?:was|is|all|only|just) )*an? (?:monitoring|measurement|measuring|metrics?|telemetry|probe|dashboard|sensor) (?:artefact|artifact|glitch|blip|hiccup|error){SAID_LAST}",
    rf"^(?:this is |this was |it's |it is |it was |that was )?not real{SAID_LAST}|\bno (?:prod|production) (?:issue|problem|incident|outage)(?: at all)?{SAID_LAST}|^nothing (?:actually |really |is |was |ever )*(?:wrong|down|broken){SAID_LAST}|\bnobody ever lost (?:access|anything|data|service)\b|\b(?:everything|trains|{SERVICE}) (?:has |have |was |were )?(?:ran|run|worked|up|healthy|served|operated|fine)(?: as normal| normally| fine| perfectly| as always)? (?:throughout|the (?:whole|entire) time|all along){SAID_LAST}",
)
"""How it is said that there was nothing but what somebody saw; a "but" or a "still" beside it takes it back."""
GOES_ON = re.compile(
    r"\b(?:but|still|until|till|yet|so far|the rest|however|except|now|ours|last (?:week|month|year|night|time)|while|only (?:\w+ )?(?:east|west|north|south)|is real|are real|goes on)\b"
)
NO_DRILL = re.compile(
    r"\b(?:not?|isn't|wasn't|never|n't) (?:an? |the |our )?(?:\w+ )?(?:false (?:alarm|positive)|drill|exercise|load ?test|rehearsal|game ?day)\b|\bfalse (?:alarm|positive) (?:on|for|from|in) (?:the |our )?\w+|\b(?:first|second|third|other|another) (?:alert|alarm|page|one)s? (?:is|are|was|were)\b|\b(?:thought|think|believed?|hoped) (?:\w+ ){1,3}false (?:alarm|positive)\b"
)
"""What denies that it was none: "this is no drill"."""
FALSE_ALARM = any_of(
    r"\bfalse (?:alarm|positive)\b|\b(?:not|isn't|wasn't|no) (?:a |an )?(?:real|actual) (?:incident|outage|problem|issue|impact|errors?)\b|\bnon-?(?:incident|event)\b|\b(?:nothing|no service|no one|nobody) (?:was|is) (?:actually |ever |really )?(?:down|broken|affected|impacted)\b"
    r"|\b(?:monitoring|alerting|metrics?|probe|exporter|dashboard|synthetic\w*|check)(?:'s own| itself)? (?:was|is|were) (?:lying|wrong|broken|at fault|the (?:problem|issue|culprit))\b|\bphantom (?:alert|outage|incident)\b|\bfehlalarm\b|\bfalsa alarma\b",
    r"\b(?:not|isn't|wasn't|never) an? (?:incident|outage)\b|\bnothing (?:is|was|'s) (?:wrong|down|broken)\b|^(?:so )?no incident\b|\bwe were never (?:down|affected|impacted)\b",
    r"\b(?:was|were|it's|it is|that's|only|just) (?:only|just|merely) (?:the|a|our) (?:\w+ )?(?:monitor|monitoring|probe|alert|alarm|dashboard|check|sensor|graph|panel|exporter)\w*\b|^(?:it|this|that)(?:'s| was| is)(?: all| only| just)? an? (?:\w+ )?(?:drill|exercise|rehearsal|simulation)\b",
    rf"\b(?:it's|it is|that's|it was|was) (?:the|our) (?:synthetic |monitoring )?(?:probe|monitor|monitoring|exporter|sensor|alert rule)(?: itself)?{SAID_LAST}",
    r"\b(?:closing|close|mark(?:ing)?|file|filed|filing) (?:it |this )?as noise\b|\b(?:it|this|that)(?:'s| is| was) (?:just|only|all) noise\b",
    r"\b(?:turn(?:s|ed) out to be|it was|that was|this was) (?:only |just )?(?:an? |the )?(?:planned|scheduled|expected|announced|known) (?:\w+ )?(?:maintenance|test|work|exercise|drill|job|restart|window)\b",
)
ENDED = any_of(
    rf"\b(?:the|this) (?:\w+ )?(?:incident|matter|outage|emergency|disruption)\b(?: (?:of|regarding|with|around|in|about|for) [\w -]{{2,30}}?)? (?:is|has been|herewith)(?: (?:now|herewith|hereby|officially|therefore|finally|thus|fully))* (?:closed|finished|terminated|over|ended|archived|completed|concluded)(?: now| as of now)?{SAID_LAST}|\b(?:i|we) (?:have |had )?(?:just |now |accordingly |officially )*(?:closed|ended|terminated|concluded) (?:the|this) (?:major |whole )?(?:incident|matter|emergency)\b(?! (?:of|from|in|at|last)\b)|\b(?:i|we|so we can|we can) (?:now |hereby |officially )*(?:end|close) the incident{SAID_LAST}|\b(?:call|consider) (?:it|this) the end of the incident\b|\b(?:crisis|incident|response) team is dissolved\b|\b(?:problem|trouble|issue) is (?:solved|finished|fixed) for good\b|\bconsider the (?:matter|incident|case) closed\b",
    rf"^(?:officially )?(?:over|finished|closed) (?:as of|since) \d{{1,2}}[:.h]\d\d{SAID_LAST}|^officially (?:over|closed|resolved)\b|\b(?:{IT}(?:'s| is)|we(?:'re| are)) (?:now )?(?:officially|finally) (?:over|closed|resolved|done){SAID_LAST}|\b(?:inc|incident|sev)[-# ]?\d+ (?:is |now )*(?:closed|resolved|over){SAID_LAST}|(?:->|→|=>) ?resolved{SAID_LAST}|\b(?:flip|mov|sett?|chang|switch)\w* (?:the )?(?:state|status|incident|it|this)(?: \w+)? to resolved(?: now)?{SAID_LAST}|\b(?:shutting|closing|winding) (?:the |this )?(?:incident|war room) down{SAID_LAST}|\b(?:declar|call|consider)\w* (?:this|it|that)(?: one)?(?: incident)? (?:finished|done|over|closed|resolved)\b|^marked (?:as )?resolved(?: on (?:the )?status ?page)?{SAID_LAST}|^resolve it{SAID_LAST}|(?<=, )closing{SAID_LAST}",
)
"""More ways to end an incident, which speak of another one, or of a day to come, when `NOT_OURS` is said beside."""
NOT_OURS = re.compile(
    r"\b(?:but|ours|vendors?|providers?|suppliers?|partners?|their|last (?:week|month|year|night|time)|by mistake|when|if|until|once|similar|not by us|staging|tomorrow|has to|must)\b"
)
CLOSED_AS = re.compile(
    r"\bas (?:an? )?(?:\w+ )?(?:false (?:alarm|positive)|exercise|drill|test|noise|non-?(?:incident|event))\b"
)
"""What an incident is closed as when there was none."""
MITIGATED = any_of(
    rf"\b{SERVED} (?:can|are able to|could) (?:[\w-]+ ){{1,3}}again{AND_WHY}|\b(?:work(?:s|ing)?|sell(?:s|ing)?|play(?:s|ing)?|print(?:s|ing)?|load(?:s|ing)?|online|reachable)(?: for [\w ]{{2,24}})? again{AND_WHY}|\b(?:is|are) (?:usable|reachable|available|accessible) again\b|\b{SERVED} (?:receive|get) (?:their |the |all )?(?!errors?|timeouts?|problems?|issues?|failures?|same|\d)[a-z]+ again\b",
    rf"\b(?:nobody|no one) (?:notices|feels|sees) (?:it|this|anything|the (?:failure|problem|outage|issue|errors?))\b|\bno {SERVED} (?:is suffering|suffers?)\b|\bno (?:more |further |visible )*(?:harm|effect on|damage to|disturbance for) (?:(?:any|the|our) )?(?:{SERVED})\b|\bno (?:more |further |visible )*(?:customer|patient|user|passenger|player)s? (?:harm|effect|damage|disturbance)\b|\bsymptoms? (?:have |has )?(?:disappeared|vanished|ended)\b|\bworking (?:now|again) for (?:the )?{SERVED}\b|\bfor (?:the )?{SERVED} it (?:is |works|'s )",
    r"\berrors? (?:are |at |now )*(?:zero|0|none)\b(?!\.\d)|\bconfirm(?:s|ed)? (?:that )?it works\b|\bmitigated\b|(?:^|\b(?:it|this|that|everything|all|we|incident|issue|outage|breach|leak|attack|spread|fire|damage|impact)(?:'s| is| are| has been|'re)? (?:now |fully |all )*)contained\b(?! in)|\bmitigation (?:is )?(?:in place|complete|done|worked|holding)\b|\bback to (?:normal|baseline|nominal|healthy|green|usual)\b|\b(?:fully |have |has |all |is |are |now |mostly )*recovered\b(?! \w+ (?:file|data))|\b(?:errors?|\d+s|5xx|4xx|error rate|failures|latency|p9\d|timeouts|queue|backlog|lag|checkouts?|logins?|payments?|traffic|orders|uploads?|requests|printers?)\b[^.?,;]{0,30}\b(?:is|are|at|to|now|all|back|down to|has|have|been)\b[^.?,;]{0,16}\b(?:gone|cleared|zero|0(?![.,]\d)|normal|baseline|drained|healthy|green|stopped|recovered)\b(?! \d)|\b(?:lag|queue|backlog|errors?|error rate|latency|p9\d)\b[^.?]{0,20}, (?:that's|so|which is) (?:normal|healthy|fine|back to normal)"
    r"|\b(?:is|are|'s|'re) (?:all )?(?:healthy|green|working|up|back|stable|fine) again\b|\b(?:bleeding|impact|pain) (?:has |is )?(?:stopped|over|ended|gone)\b|\bservice (?:is )?restored\b|\brestored service\b|\bno (?:more|new|further) (?:errors|failures|5xx|customer impact|timeouts)\b|\bworks? again\b|\bwe(?:'re| are) back\b(?! (?:to|at|on|in|down|where)\b)|\b(?:queue|backlog|lag)s?(?: is| are|'s)? (?:now )?(?:(?<=now )empty|empty (?:now|again)|drained|clear(?:ed)?|gone)\b|\b(?:nobody|no one|nothing)(?:'s| is) (?:stuck|affected|failing|blocked|waiting) any ?more\b|\b(?:p9\d|latency)[^.?,;]{0,20}\bback (?:at|to|under|below|down to) ~?\d+ ?ms\b|\b(?:everything|all) (?:is |looks? )?(?:green|healthy|normal|nominal)\b"
    r"|\bwieder (?:normal|da|stabil|ok|grün|erreichbar)\b|\bläuft wieder\b|\bfunciona (?:de nuevo|otra vez)\b|\brecuperado\b|\bnormal otra vez\b|\bvuelve a funcionar\b",
    rf"\b(?:can|could|able to)\b(?: (?!not\b)[\w/'-]+){{1,6}} again{SAID_LAST}|\b{FOR_THEM}(?: [\w'-]+){{0,3}} again{SAID_LAST}|\b{FINE} again{SAID_LAST}",
    rf"\b{SERVED} (?:have|see|get|are getting|are seeing) (?:the )?(?:right|correct|good|proper|normal|human) [\w-]+ (?:now|again)\b",
    rf"\b{SERVED} (?:are |is )?(?:now |all )*(?:back (?:in|on|online|up)|{FINE}|no longer)\b|\bno longer (?:affect\w*|impact\w*|see|sees|seeing|feel|failing|fails?|broken|stuck|blocked|down|waiting)\b|\b{SERVED} (?:don't|do not|won't) (?:notice|see|feel) (?:it|anything|a thing)?",
    rf"\b(?:{SERVED}|front ?end|user traffic)(?:[- ](?:side|facing|traffic)(?: part| side)?)? (?:(?:are|is|looks?|all|now|seem) )*(?:ok|okay|fine|clean|good|unblocked|happy|unaffected)\b|\b{SERVED} (?:should(?:n't| not)|do(?:n't| not)|won't|no longer) (?:\w+ )?(?:notice|feel|(?:see|hit|experience) (?:it|this|that|any (?:errors?|problems?)|anything|the (?:problem|issue|errors?)))\b",
    r"\bno (?:more |longer )?(?:visible |customer |user |further )*(?:impact|pain|customer pain|symptoms?)(?: any ?more| since| as of| for| left)\b|\bno more (?:customer |user )?pain\b|\bpain(?: is|'s) off\b|\b(?:complaints?|error reports) (?:have |has )?(?:stopped|dried up|ceased)\b|\b(?:stopgap|bandaid|band-aid|interim fix|temporary fix|fallback|bypass|detour) (?:is )?(?:holds?|holding|works?|working|in place)\b|\bworks? (?:again )?for (?:everyone|everybody|all)\b",
    rf"\bwork-?around (?:is |still )*(?:in place|holds?|holding|works?|working|active|live)\b|\bstable (?:since|on|at|with)\b|^(?:we|it|everything|all|service|things?)(?:'re|'s| are| is)? (?:now |looks? |all )*stable{SAID_LAST}",
    r"\b(?:impact|customer impact|user impact) (?:is |has |was |now )*(?:over|ended|gone|stopped|contained|done)\b|\bstop(?:ped|s) the bleeding\b|\bback where (?:it|they|we) (?:was|were|belongs?|started|should)\b|\b(?:fully|service|everything|all|connectivity|access) restored\b",
    rf"^(?:ok |so |now |and |everything |it |things? |all |that |service |{SERVICE} )*(?:looks?|looking) (?:all |much |really |pretty )*(?:{FINE}|better)(?: now| again| here| to me)*{SAID_LAST}(?!, off\b)|\bgreen (?:across the board|everywhere|all over|on all)\b",
    rf"\b{SERVICE}(?:'s| is| are|'re)? (?:now |all )*back(?: up| online| on| again)*{SAID_LAST}|\b(?:it|they|everything|all|we)(?:'s|'re| is| are) (?:now |all )*(?:back (?:up|online)|up again|back on (?:their|its) feet)\b",
    rf"\b(?:{SERVICE}|[\w]+[-_./\d][\w-]*) (?:is|are) (?:now )?back up{SAID_LAST}|\b{SERVED} (?:are |get )(?:now |all )?(?:unblocked|served (?:again|normally|from))\b",
    rf"\b(?:0|zero|nothing|none|nobody)(?: left)? in (?:the )?(?:queue|backlog|line)\b|\b{FOR_THEM} (?:everywhere|for (?:everyone|everybody|all))\b",
    rf"\b(?!complain|report|call|ticket|error|alert|question|page|message|news)[a-z-]+s (?:are |is )?(?:coming|going|getting) (?:out|through)(?: fine| now| ok)*{SAID_LAST}",
    r"\b(?:success|availability|crash-free|uptime|health|delivery|conversion|throughput|traffic|hit rate|acceptance|approvals?|sessions?|orders?|logins?|checkouts?|sales)\b[\w -]{0,20}\bback (?:at|to|above|over) ~?\d",
    rf"\b(?:resumed|reinstated)(?: at)?(?: \d{{1,2}}:\d\d)?{SAID_LAST}|\ball (?:of (?:them|it) |\d[\d,.]* )(?:\w+ )?(?:delivered|sent|through|processed|done|out|recovered|restored|back|up|online|served|paid|accepted)\b",
    rf"\b(?:did|does) (?:the trick|it){SAID_LAST}|\b(?:errors?|failures|timeouts|5xx|alerts|alarms|symptoms)(?: are| is)? (?:all )?gone\b|\bnothing (?:fails|is failing|failed|breaks) (?:any ?more|since|now)\b|\brecovered (?:at|since|on (?:its|their) own|by itself)\b",
)
NO_MORE = any_of(
    rf"\b{SERVED} (?:do not|don't|no longer|can't|cannot) (?:see|get|have|feel|notice)\b[^.]{{0,30}}\b(?:any ?more|any longer)\b",
    r"\b(?:new|further) (?:complaints?|tickets|calls|reports|errors|failures) (?:are not|aren't|have not|haven't|do not|don't) (?:com\w+|arriv\w+|open\w*)\b",
    r"\b(?:contained|mitigated),? (?:but )?not (?:yet )?(?:over|resolved|closed|done|solved|fixed|repaired)\b|\bnot (?:yet )?(?:over|resolved|closed|done),? but (?:contained|mitigated)\b",
)
"""What denies that people feel it, or that it is over: they feel it no more."""
MONITORING = any_of(
    r"\b(?:monitoring|watching|keeping an eye|keep an eye|observing|baking|keep(?:ing)? watch|keep watching|keep monitoring|soak(?:ing)?)\b(?! (?:team|stack|system|tool|said|was|is broken|dashboard|alert|bug|gap|server|job|agent|change|pipeline|issue|config))|^status: monitoring",
    r"\b(?:hot)?(?:fix|patch|repair\w*|rollback|change|route|workaround)\b.{0,40}\b(?:live|in place|deployed|merged|through|applied|on all|on 100 ?%)\b.{0,40}\b(?:holding|staring|tailing|tracking|babysit\w*|bake|baking|looking good so far|eyes on|see (?:if|whether))\b",
    r"^(?=.*\b(?:fix(?:ed)?|patch\w*|solution|certificates?|deployed|installed|corrected|repaired|in place|implemented|new settings?|changed over)\b)(?!.*\bwrong\b).*\b(?:watch(?:ing)?|monitor(?:ing)?|observ(?:e|ing|ation)|supervis(?:e|ing)|(?:carefully )?follow(?:ing)? (?:the|it|its) [\w' ]*(?:closely|for some)|carefully follow\w*|keeping watch|verify(?:ing)? (?:it|its|the stability|that it)|looking at (?:the|our) [\w' ]*(?:times|graphs?|rates?|metrics|dashboards?))\b",
    r"\bobservation (?:phase|only|mode|period)\b|\b(?:stay|staying|remain\w*|sit|sitting) and (?:watch|observe|monitor)\b",
    r"\beyes on (?:the )?(?:graphs?|dashboards?|metrics|logs)\b|\bmonitoring (?:phase|mode|period|window)\b|\bwaiting to see (?:if|whether) (?:it|this|that) (?:sticks|holds|stays|lasts)\b|\bstaring at (?:the )?(?:dashboards?|graphs?)\b|\b(?:set|moved|moving|setting|status|state)(?: it| this)?(?: to|:) monitoring\b|\bbake time\b|\b(?:tailing|following) (?:the )?logs (?:for|to see)\b",
    r"\bkeep(?:ing)? (?:the|our|an) eyes? on\b|\bi (?:do not|don't|won't|will not) close (?:it|this)\b|\bwe (?:only |just |now |will |shall |all )*(?:watch|observe)\b(?=\W*$|[,.;]| (?:it|this|that|the)\b)",
    r"\b(?:hypercare|under observation|will observe|keep(?:ing)? (?:a )?(?:close )?eye on)\b|\b(?:watch|observe|soak) (?:it|this|that|things)? ?(?:for|until|till|over|through|another|closely|overnight)\b|\b(?:let it|let this|letting it|leave it to) (?:bake|soak|cook|settle)\b",
    rf"\b(?:now |so )(?:we|i) (?:monitor|watch|observe){SAID_LAST}|\b(?:let's|lets) (?:watch|monitor|observe)(?: it| this| that)?{SAID_LAST}|\bhold(?:ing)? (?:\w+ ){{1,5}}before (?:closing|we close|i close)\b",
    rf"\b(?:keep|keeps|keeping|hold|holding|leave|leaving|stays?|staying|remains?) (?:{IT} )?open (?:for|until|till|over|to be|to watch|while|through|overnight)\b",
)
REOPENED = any_of(
    r"^(?!.*\b(?:never|so that|must not|should not)\b).*\b(?:is|are|being|has|have|just|keeps?|went|go|goes|gone) (?:\w+ ){0,2}?(?:lost|failing|failed|dying|declined|broken|down|frozen|hanging|timing out|crashing|stuck|dropping|rejected|refused|offline)\b(?:(?!\b(?:are|up|works?|working|flowing|processing|fine|ok|back)\b)[^.]){0,30}\b(?:again|once more|anew|a second time|another time)\b",
    r"^(?!.*\b(?:never|so that|must not|should not)\b).*\b(?:fail|hang|freeze|crash|stall|die|drop|time out|break|lose|flap|lock up)s?\b(?: \w+){0,3} (?:again|once more|anew)\b|\b(?:down|failing|broken|out|offline) (?:a second|for a second|another) time\b",
    r"^(?!.*\b(?:cause|bug)s?\b).*\b(?:is|are|were|was|have|has)(?: not|n't) (?:yet |really |fully )?(?:recovered|solved|fixed|better)(?: after all)?\b|^not (?:solved|fixed|resolved|over|done) after all\b|\b(?:was|were) premature\b|\bpremature(?:ly)? (?:closed|resolved)\b|\bshort joy\b|\bfalse dawn\b|\bback (?:at|to|in|into) (?:the (?:beginning|start)|incident mode)\b|\btake back (?:the|my) (?:all[- ]clear|resolution)\b|\b(?:helped|worked|held|lasted|bought us|stayed up)(?: \w+)? only(?: for)? (?:a |an |\w+ )?(?:while|minutes?|moment|hour|bit)\b|\b(?:helped|worked|held) (?:only )?for (?:only )?a (?:while|moment|bit)\b|\b(?:bought|gave) us only\b|\b(?:repair|fix|patch|solution|workaround) (?:does not|doesn't|did not|didn't|has not|hasn't) (?:last|hold|held|stick|work|hold up)\b",
    r"\b(?:symptoms?|errors?|problems?|issues?|alarms?|alerts?|locks?|disturbances?|faults?|lag|timeouts?|drops?|failures?|delays?|outage)(?: \w+)? (?:is |are |has |have |seem to be )?(?:(?:back|returned|returning|come back|coming back|returns?)\b(?! (?:to|at|on|in|down|up|under|below|where|green|normal|an?|item)\b)|reappear\w*|appears? anew|jumped (?:straight )?back)",
    r"\bnot over after all\b|\b(?:closed|celebrated|resolved|cheered|relaxed)(?: it| this)? too (?:early|soon|fast)\b|^(?:and )?round (?:two|2|three)(?=[.:,]|$| of (?:errors|timeouts|this))|\b(?:second|another|next|new) wave of (?:errors|timeouts|failures|alerts|alarms|calls|complaints|crashes|50\d)|\bback (?:to|in|into)(?: the)? red\b|\b(?:only|merely) masked (?:it|this|the (?:problem|issue|errors?))\b|\bthought we were (?:done|through|over|out)\b|\bfix (?:is )?(?:no good|not good|useless)\b|\b(?:we're|we are|it's|it is|and) down again\b|\b(?:graph|it|that) only looked (?:ok|fine|good|better)\b|\b(?:failing|down|broken|dropping|crashing|dying|declined) once more\b",
    r"\b(?:we(?:'re| are)|it(?:'s| is)|incident (?:is )?) (?:re-?)?open(?:ed)? again\b|\bsame (?:picture|thing|story|symptoms?|pattern|error|mess) (?:as (?:in the|this|before|yesterday|earlier|at)|again)\b",
    r"\b(?:(?:it|they|this)(?:'s| is|'re| are) back|(?:errors?|issue|problem|5xx|latency|alerts?|timeouts)(?:'s| is|'re| are)? back|(?:it|they|errors?|issue|problem|5xx|latency|alerts?|timeouts|this)(?:'s| is|'re| are)? (?:happening again|recurring|climbing again|rising again|spiking again|failing again|came back|returned|started again|flapping))\b(?! (?:to|at|on|in|down|up|online|under|below|where|green|normal)\b)|\breopen(?:ing|ed)?\b|\bspoke too (?:soon|fast|early)\b|\bi take (?:it|that) back\b|\bregress(?:ed|ing)\b",
    rf"\b(?:started|starting|starts|begun|beginning|happening|happens|happened|fell over|falls over|fallen over|went down|goes down|going down|came back|comes back) again{SAID_LAST}|\b{WORSE} again{SAID_LAST}|\bhere we go again\b|\bsame (?:\w+ )?(?:symptoms?|errors?|thing|problem|issue|story|alert)s? again\b",
    rf"(?<!cause is )(?<!cause )(?<!bug is )(?<!bug )\b(?:not|isn't|aren't|wasn't|n't) (?:quite |really |actually |yet |fully |completely )*(?:fixed|solved|out of the woods|stable|gone)(?: yet)?{SAID_LAST}|\brelaps\w+|\bback to square one\b|\bstill (?:an|a live) (?:issue|incident|outage)\b",
)
NOT_OVER = re.compile(
    r"\b(?:not|isn't|aren't|wasn't|n't) (?:quite |really |actually |yet |fully |completely )*(?:over|resolved|done|closed|finished)(?: yet)?\b"
)
"""It says nothing of whether people still feel it: "mitigated, not resolved"."""
STILL_BAD = re.compile(
    r"\b(?:still|again) (?:happening|down|broken|failing|elevated|degraded|seeing|getting|erroring|bad|at \d)\b|\bnot (?:actually |really )?(?:fixed|better|recovered|back)\b"
)
NO_CAUSE = any_of(
    r"\b(?:still|have|there's) no (?:\w+ )?cause\b|\b(?:isn't|is not|wasn't) the (?:\w+ )?cause\b|\bno (?:root )?cause (?:yet|found)\b",
    r"\b(?:no idea|don't know|do not know|not know|no clue|can't say|not sure|unclear) (?:yet )?(?:why|what (?:causes|caused|triggers|triggered))\b|\b(?:root )?cause(?: is| remains)? (?:still |yet )*(?:unknown|unclear|open|not known|not clear)\b",
)
"""How it is said that what was found is not why."""
PLAINLY = re.compile(r"\bmitigat\w+|\bcontained\b|\bmonitoring\b|\bworkaround (?:holds|works|in place)\b")
"""How someone says outright that people feel it no more, rather than by what they see."""
PARTLY = re.compile(
    r"\b(?:half|some|most|many|part|one|two|three|four|five|\d+) (?:of|out of)\b|\bpart(?:ially|ly)\b|\b(?:yesterday|last (?:time|week|month|year|night|quarter)|back then|earlier this (?:week|year|month))\b"
)
"""What of a recovery is told of a part, or of another day."""
ALL_OF = re.compile(r"(?<![\d.,])([4-9]|\d[\d,.]*\d) ?(?:of|/|out of) ?\1(?![\d.,]*\d)")
WELL = re.compile(
    r"\b(?:up|back|online|ok|okay|healthy|green|connected|logged (?:on|in)|reachable|recovered|serving|working)\b"
)
"""With `ALL_OF`, that each of so many is well: "212 of 212 sessions logged on"; "80 of 80, all taken" is none."""
KNOWN_NOW = any_of(
    r"^so: \S+ \S+ \S+|\bthat explains (?:both|all|everything|it all)\b|\bit is confirmed\b|\bwe(?:'ve| have) got it\b",
    r"\b(?:crash|bug|leak|fault|regression|deadlock|race|culprit) (?:is|sits|lives|comes|was|turned out to be) (?:in|from|inside|with) (?:the |our |an? )?[\w./-]+",
    r"^(?:so |ok |and |well |it )*turn(?:s|ed) out\b",
    r"\bwe (?:now )?know (?:what|why)\b",
    r"\b(?:outage|problem|issue|disturbance|errors?|failure|trouble|slowness|delay)s? (?:comes?|originates?|stems?|results?|arises?|came) from (?:an?|the|our|their)\b|\b(?:cause|origin|source|fault|reason|problem)(?: of [\w -]{2,40}?)? (?:lies|sits|is to be found) in\b|\b(?:the )?origin of [\w -]{2,40} is\b|\bis what (?:stop\w*|breaks?|broke|kill\w*|caus\w*|block\w*|lock\w*)\b|\bwhat (?:breaks|broke|kills|killed|stops|stopped|causes|caused) (?:the |our |it |this )?[\w ]{0,30}?\bis (?:an?|the|our)\b|\b(?:it is|it's) (?:the|our) [\w -]{2,40} (?:that|which) (?:cause[sd]?|breaks?|broke|kill\w*|trigger\w*)\b|\b(?:investigation|analysis) is conclusive\b|^it is now (?:clear|certain|proven) that\b|\b(?:established|determined|pinned down) the cause\b|\ball evidence (?:agrees|points to)\b",
    r"^(?:the )?(?:root )?(?:cause|rc|rca|reason)(?: (?:now |is |was )*(?:known|found|clear|confirmed))?\s*(?:=|:|->|→)\s*(?!unknown|tbd|unclear|open|none|\?)\w|^why (?:it|this|they) (?:broke|failed|fails|breaks)\s*[:=]|^(?:proven|nailed|proved)(?: now| it)?[,:.]|\bthat(?:'s| is) what (?:kills|killed|broke|breaks|locks?|locked|starves|starved)\b|\b100 ?% (?:sure|certain)\b|^(?:it's |it is |it was )?definitely (?:the|our) (?!same\b)\w+",
    r"\b(?:issue|problem|cause|bug|fault|culprit) (?:is |was |has been )*(?:identified|found|located|pinned down)\b",
    r"^(?:so |ok |and )*(?:the )?(?:problem|issue|fault|bug) (?:is|was) (?!that we|still|not|back|gone|over|with us|resolved|fixed|solved|closed)",
    r"^(?:(?:so|ok|yes|yep|yeah|right|and|bingo|confirmed|that's it)[,:.]? )*(?:it's|it is|it was|that's|that was) (?:the|our|an?|your|their|my) (?:[\w./-]+ ){0,3}(?:rule|config\w*|flag|toggle|migration|cert\w*|job|cron|query|lock|pool|disk|volume|token|key|secret|release|deploy\w*|version|build|patch|upgrade|limit|quota|record|dns|firewall|proxy|lb|balancer|router|switch|cable|script|change|pr|commit|merge|rollout|restart|failover|cache|ttl|timeout|setting|parameter|policy|route|vendor|provider|driver|schema|library|dependency|leak|loop|race|bug|regression|clock|license|licence|credential\w*|password|index\w*|partition|replica|fan|valve|fuse|pump|breaker|battery)s?\b(?! (?:again|too|either|page|team|person|guy|for (?:now|today|tonight|everyone))\b)",
)
"""How it is said what it is, without the word cause."""
OTHERS_STATUS = re.compile(
    r"\bstatus(?: page)? (?:is|says|shows|still)\b|\b(?:their|vendor'?s?) (?:status|dashboard)\b"
)
"""What another company's page says of itself."""
CHANGED = any_of(
    r"\b(?:status|state)\b[^.]{0,30}(?:→|->).{0,40}",
    r"\b(?:status|state|milestone)\b.{0,40}\b(?:changed|updated|moved|set|transitioned|now)\b.{0,60}",
    r"\b(?:changed|updated|moved|set|transitioned)\b.{0,40}\b(?:status|state|milestone|incident)\b.{0,60}",
    r"\bmarked (?:the |this )?(?:incident|inc-?\d+|it)\b.{0,40}|\bincident\b.{0,30}\b(?:has been|was|is now)\b.{0,40}",
    r"\b(?:resolved|closed|mitigated|cancell?ed) (?:the|this) incident\b",
)
"""How a program with which people run incidents tells that someone changed how one stands."""
NO_INCIDENT = re.compile(
    r"\bnot an? (?:real )?incident\b|\bno incident\b|\b(?:the |this )?(?:name|channel) is a joke\b"
)
"""How a topic or a purpose says that a channel is called like an incident's and holds none."""
UNTIL = re.compile(r"\b(?:until|till(?! to v?\d)|before|once|unless|bis|hasta)\b[^,;]*")
"""What shall be so one day is not so now: "we freeze deploys until this is over"."""
