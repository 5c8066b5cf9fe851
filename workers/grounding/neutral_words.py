"""Words that a checked claim may use: they assert nothing by themselves, or a rule of their own checks them.

A claim with any other word, unless its evidence shows that word, says more than was checked, and is a hypothesis.
"""

from __future__ import annotations

import re

from workers.language.stems import stem
from workers.language.stop_words import NEGATED_VERBS, STOP_WORDS

# grammar, beside what is no subject of any text
GRAMMAR = """
across along alongside already although among around barely behind beside besides beyond can't cannot cf d despite e.g
eg either etc even except getting got gotten hardly here's i.e ie including it's let's m near neither never next nobody
none nothing ones onto past per still that's theirs there's though throughout till toward towards unless upon versus via
vs what's whereas whose yet
""".split()
FUNCTION = STOP_WORDS | NEGATED_VERBS | frozenset(GRAMMAR)
# amounts and degrees; how much of something is checked by `scope`, sizes by `values`
DEGREE = """
all every each any some most many much more less few fewer several other others another such same different whole
entire half part third quarter twice double triple times once very quite rather fairly pretty really actually now
night morning noon afternoon evening midnight currently presently recent recently lately
previously formerly originally initially finally eventually ultimately meanwhile afterwards afterward later earlier
early late soon sooner ago almost nearly roughly approximately approx about exactly precisely merely mere simply
slightly somewhat marginally considerably significantly substantially noticeably clearly sharply steeply steadily
gradually slowly quickly suddenly briefly shortly immediately directly well far further furthermore moreover however
instead otherwise thus hence therefore indeed namely especially specifically respectively apart together alone
altogether overall total combined least first second fourth fifth last latest final initial previous prior former
current present new newest newer old older oldest original usual usually normal normally typical typically ordinary
regular average mean median percentile percent pct point points tail fraction multiple factor fold share ratio rate
count number figure figures value values amount level levels size sum difference gap distance delta percentage
majority minority bulk double-digit single little bit lot lots bunch couple pair dozen hundred thousand
k zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety sevenfold eightfold ninefold tenfold
twofold threefold fourfold fivefold sixfold millisecond milliseconds microsecond seconds sec secs minute minutes min
mins hour hours hr hrs day days year years time moment clock span duration window period
interval am pm a.m p.m
utc gmt cet cest est edt
pst pdt local zone byte bytes kb mb gb tb kib mib gib tib
""".split()
# telling where something stands, or that somebody says it
TELLING = """
see look looking looks seen saw shows show showed shown showing according per says say said saying tells tell told
states state stated reads read reading writes wrote written notes note noted mentions mention mentioned lists list
listed describes describe described description explains refers refer called named name names known given gives give
gave giving reports report reported reporting recorded records record measured measure measures measuring observed
observe counted count counts counting based evidence data graph chart dashboard panel metric metrics series sample
samples readings signal signals number document documents doc docs documentation page pages section sections chapter
heading headed title titled paragraph runbook runbooks playbook guide adr design step steps instruction instructions
link url code source file files line lines row rows path paths directory folder module package function functions
method methods class classes symbol variable constant parameter argument field fields key keys setting settings config
configuration option default defaults comment docstring text quote word words phrase sentence entry item items commit
commits committed commit's change changes diff patch hunk hunks author authors authored by-line subject message
repository repo branch tag version versions release releases build deploy deploys deployed deployment deployments
rollout rollouts shipped ship ships went go goes gone going live landed lands land out production prod alert
alerts alerting alarm alarms paged paging ticket severity rule rules threshold fired fire fires firing
event events
""".split()
# verbs whose use leaves the meaning to the values, names and lines beside them
NEUTRAL_VERBS = """
is stands stand stood sits sit sat lies lie lay runs run ran running comes come came coming lands measured reaches
reach reached reaching hits hit hitting takes take took taken taking makes make made making puts put sets set setting
keeps keep kept holds hold held holding stays stay stayed staying remains remain remained lasts last lasted spans span
spanned amounts amount amounted equals equal equalled averages averaged totals totalled hovers hovered hovering ranges
ranged starts start started starting begins begin began begun beginning kicks kicked onset opens opened ends end ended
ending finishes finished follows follow followed following precedes preceded arrives arrived
appears appear appeared occurs occur occurred happens happen happened moves move moved moving movement movements
shifts shifted shift turns turned turn changes change changed changing goes becomes become became defines define
defined definition declares declared lives live living found find located locate placed contains contain contained
containing includes include included carries carry carried carrying uses use used using belongs belong owned owns own
owner returns return returned raises raise raised calls call called calling checks check checked reads loads loaded
builds built creates create created adds add added adding removes remove removed removing touches touch touched edits
edited modifies modified updates updated update rewrites replaces replaced replace swaps swapped bumps bumped assigns
assigned compares compare compared comparison versus exceeds exceed exceeded crosses crossed passes pass passed needs
need needed wants want wanted asks ask asked requires require required recommends recommend recommended suggests
advises advise limits limit limited caps cap capped allows allow allowed permits covers cover covered applies apply
applied handles handle handled serves serve served serving sends send sent gets receives receive received answers
answer answered processes process processed counts waits wait waited tries try tried retries retry retried attempts
attempt attempted saw seeing brings brought bring leaves left leave gives multiplied grown went doing did works worked
work
""".split()
# what is measured, and whose it is; which of them is meant is settled by names
THINGS = """
service services endpoint endpoints route routes api apis system systems component components request requests
response responses call calls process processes user users team person people side sides success successes baseline
baselines peak peaks peaked peaking high highs low lows maximum max minimum min top bottom worst best highest lowest
fastest busiest quietest slow slower fast faster quick quicker higher lower large larger big bigger small
smaller long longer short shorter great greater up upward downward down back rise rises rose risen rising fall falls
fell fallen falling drop drops dropped dropping climb climbs climbed climbing jump jumps jumped jumping increase
increases increased increasing decrease decreases decreased decreasing grow grows grew growing growth spike spikes
spiked spiking surge surged dip dips dipped shrink shrank shrunk decline declined declining slide slid sink sank
plunge plunged plummet plummeted collapse collapsed soar soared double doubled doubling triple tripled tripling
quadruple quadrupled halve halved halving recover recovers recovered recovery recovering return returned worse worsen
worsened better improve improved improvement degrade degraded degradation steady stable flat constant unchanged change
slowdown slowed slowing regression elevated rise-time gain gained lost lose loss reduce reduced reduction cut trimmed
resolved resolve pending cleared active inactive silent
""".split()

# what code and documents do with the things they name
TEXT_VERBS = """
wraps wrap rejects reject joins join filters filter logs log stores store skips skip parses parse encodes encode
decodes computes compute calculates sorts sort orders order extends extend overrides override overriding writes write
opens open closes close locks lock unlocks copies copy splits split merges merge appends append hashes hash throws
throw catches falls back fallback converts convert multiplies rounds clamps validates validate initialises loops
iterates compares fetches fetch loads dials dial dispatches enqueues dumps dump builds derives derive maps looks walks
collects picks pick turns away starts resets reset clears flushes flush drains drain restarts restart rolls roll
reverts revert switches switch enables enable disables disable configures configure configured proposes propose
promises promise forbids forbid warns warn excludes exclude contradicts contradict promotes watches watch announces
announce informs inform escalates contact contacts prompts draws drawn doubles halves wins uploads upload
synchronously asynchronously atomically command commands procedure pattern environment environments production staging
default defaults plain digits
""".split()

# openings and joints of sentences
JOINTS = """
quick summary update ever often ahead meantime meanwhile longest shortest practically virtually story careful dealt
deal picture innocent younger elder wide site-wide recap fyi btw note heads-up confirmed confirming question answer
short fact facts context case cases point thing things way ways place places reason bottom line regards regarding
concerning concerned terms contrast comparison comparing relative relation addition turn result side hand kind sort
type example instance meaning means mean actual exact very own right left well same-day new-style everything
""".split()

IN_TEXTS = frozenset({*TEXT_VERBS} | {stem(w) for w in TEXT_VERBS})
KNOWN = frozenset(
    {*FUNCTION, *DEGREE, *TELLING, *NEUTRAL_VERBS, *THINGS, *JOINTS}
    | {stem(w) for w in (*DEGREE, *TELLING, *NEUTRAL_VERBS, *THINGS, *JOINTS)}
)
PLAIN = frozenset({*FUNCTION, *TELLING, *JOINTS})
WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
