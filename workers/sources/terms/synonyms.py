"""Words that software writes in more than one way, and words that say little in a question about code."""

from __future__ import annotations

from workers.sources.terms.tokens import stem

FUNCTION_WORDS = frozenset(
    "a about above after again against all also am an and any are as at be because been before being below between"
    " both but by can could did do does doing done down during each every few for from further get gets given going had"
    " has have having he her here hers him his how i if in into is it its itself just know let like ll may me might"
    " more most must my need no nor not now of off on once one only or other our ours out over own please re s same"
    " shall she should so some such t than that the their them then there these they this those through to too under"
    " until up us ve very want was we were what when where whether which while who whom why will with within without"
    " would you your yours happen happens happened exactly actually currently really whats wheres hows tell"
    " since yesterday today lately recently ago tonight"
    " anything something somewhere someone anyone thing things way ways kind sort".split()
)
_WEAK = """
configure configured configuration defined define definition implemented implement implementation handled handle
handles handling used use uses using set sets setting located location live lives find found show explain describe
summarize code codebase repo repository file files function functions class classes method methods module modules
logic work works working part place places responsible take takes make makes made call called calls wire wired change
changed changes look looks see happens add added adding new project source line lines value values default defaults
support supports supported decide decides determine determines specify specified declared declare written stored kept
come comes performed perform done give gives run runs running example list controlled control controls behind fix
fixes fixed update updates updated remove removed improve improved allow allows avoid prevent ensure
"""
# Short and long forms, and near-synonyms of the trade: one line a group.
_SYMPTOMS = """
latency slow slower spike spikes spiky spiked error errors erroring p50 p90 p95 p99 timeout timeouts timing deploy
deployed deploys deployment release released incident outage degraded regression regressed failing fails broken went
gone going high higher low rising dropped traffic requests throughput 5xx
"""
_GROUPS = """
config configuration configure settings
init initialize initialization
route routing router endpoint
send emit publish
fetch retrieve
notify notification
num number
auth authentication authenticate authorization authorize login credentials
sync synchronize synchronization
async asynchronous
max maximum
min minimum
err error exception failure
msg message
param parameter argument
dir directory folder
tmp temp temporary
req request
res resp response reply
db database
conn connection
ctx context
env environment
impl implementation
cmd command
fn func function
obj object
len length
idx index
prev previous
cur current
addr address
attr attribute
btn button
img image
pkg package
spec specification
ver version
repo repository
delete remove destroy
create make build
retry backoff attempts
throttle limit quota
timeout deadline ttl expire expiry
cache memoize lru
log logging logger
schedule cron periodic
queue enqueue
encrypt encryption cipher
hash digest checksum
parse decode deserialize unmarshal
serialize encode marshal dump
validate validation validator verify check
middleware interceptor filter
socket websocket ws
cert certificate tls ssl
permission role acl access
stop shutdown close terminate
recover recovery restore
panic crash abort
split partition chunk
compress gzip deflate
metric stats telemetry instrumentation
lock mutex semaphore
"""
WEAK = frozenset(stem(w) for w in _WEAK.split())
SYMPTOMS = frozenset(stem(w) for w in _SYMPTOMS.split())


def alternates() -> dict[str, tuple[str, ...]]:
    """Stem -> other stems that may stand for it."""
    out: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        stems = [stem(w) for w in line.split()]
        for one in stems:
            out.setdefault(one, {}).update(dict.fromkeys(s for s in stems if s != one))
    return {k: tuple(v) for k, v in out.items()}


ALTERNATES = alternates()
