"""Secrets that no scanner finds here: each is made at test time, from the shape of its kind, by a seeded random.

In a shape ``{h32}`` stands for 32 random characters of an alphabet: h hexadecimal, d digits, l letters, u upper case
and digits, n lower case and digits, m letters and digits, w those with _ and -, b base64.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
from collections.abc import Iterator

ALPHABETS = {
    "h": "0123456789abcdef",
    "d": string.digits,
    "l": string.ascii_letters,
    "u": string.ascii_uppercase + string.digits,
    "n": string.ascii_lowercase + string.digits,
    "m": string.ascii_letters + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
SLOT = re.compile(r"\{([a-z])(\d+)\}")
TOKENS = """
hf_{l34}
hvs.{w92}
hvb.{w140}
glsa_{m32}_{h8}
glc_{b60}
eyJrIjoi{m70}
dop_v1_{h64}
doo_v1_{h64}
dor_v1_{h64}
shpat_{h32}
shpss_{h32}
shpca_{h32}
shppa_{h32}
GOCSPX-{w28}
ya29.{w60}
AIza{w35}
1//0{w60}
NRAK-{u27}
NRII-{w32}
dapi{h32}
sbp_{h40}
pul-{h40}
AGE-SECRET-KEY-1{u58}
key-{h32}
pubkey-{h32}
sntrys_{b120}_{b43}
sntryu_{h64}
lin_api_{m40}
ntn_{d11}{m35}
secret_{m43}
ATATT3xFfGF0{w160}={h8}
ATBB{m32}
dckr_pat_{w27}
{d10}:AA{w33}
M{m10}{d2}{m12}.{m6}.{w30}
https://discord.com/api/webhooks/{d18}/{w68}
https://hooks.slack.com/services/T{u9}/B{u9}/{m24}
https://a.blob.core.windows.net/c/f?sv=2024&sp=r&sig={m42}%3D
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={b86}==;EndpointSuffix=core.windows.net
Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={b43}=
{m3}8Q~{w34}
npm_{m36}
pypi-AgEIcHlwaS5vcmc{w120}
glpat-{w20}
glrt-{w20}
ghp_{m36}
gho_{m36}
ghu_{m36}
ghs_{m36}
github_pat_{m22}_{m59}
sk-ant-api03-{w93}AA
sk-proj-{w74}T3BlbkFJ{w74}
sk-{m48}
xoxb-{d12}-{d13}-{m24}
xoxp-{d12}-{d12}-{d12}-{h32}
xapp-1-A{u10}-{d13}-{h64}
SG.{w22}.{w43}
rk_live_{m24}
sk_live_{m24}
whsec_{m32}
EAA{m120}
sq0csp-{w43}
AKIA{u16}
LTAI{m20}
SK{h32}
{h32}-us12
xkeysib-{h64}-{m16}
PMAK-{h24}-{h34}
rubygems_{h48}
oy2{n43}
CLOJARS_{n60}
sqp_{h40}
sgp_{h16}_{h40}
pscale_pw_{w43}
dp.pt.{m43}
tskey-auth-{m12}-{m32}
dt0c01.{u24}.{u64}
{m14}.atlasv1.{w64}
figd_{w40}
gsk_{m52}
r8_{m37}
pplx-{m48}
rdme_{n70}
CFPAT-{w43}
pat{m14}.{h64}
""".split()
"""One of each kind, bare: all of it is the secret, but what `ADDRESS` names."""
ADDRESS = re.compile(
    r"https://(?:discord\.com/api/webhooks/\d+/|a\.blob\S*sig=)|Default\S*AccountKey=|;EndpointSuffix\S*|Endpoint=\S*AccessKey="
)
COMMANDS = """
curl -u deploy:{m16} https://api.example.org/v1
curl --user 'deploy:{m16}' https://api.example.org/v1
restic --password {m14} snapshots
helm login --token={m20}
mysql -h db -u shop -p{m12} shop
<password>{m14}</password>
<add key="DbPassword" value="{m14}" />
aws_secret_access_key = {b40}
[default]\\naws_access_key_id = AKIA{u16}\\naws_secret_access_key = {b40}
machine git.example.org login deploy password {m14}
db.example.org:5432:shop:shop_rw:{m14}
postgresql://shop:{m14}@db:5432/shop
mongodb+srv://shop:{m14}@cluster0.example.net/shop
redis://:{m14}@cache:6379/0
Authorization: Bearer {m40}
""".strip().splitlines()
"""Secrets by what stands around them: the random parts are the secret."""
FORMS = {
    "prose": "the deploy failed with {} until we changed it",
    "yaml": "shop:\n  settings:\n    value: {}\n",
    "environment": "SHOP_VALUE={}\n",
    "code": 'client = connect("{}")',
    "message": "@Ann I pasted {} into the runbook, 502s since 09:12",
}
PASSWORDS = {
    "leet": ("hunter{d4}", "Tacos-{d4}", "Sommer{d4}!", "P@ssw0rd{d2}"),
    "random": ("{l4}{d1}{m9}{l1}{d1}",),
    "sign": ("{m6}{d1}!{m4}", "{m7}#{d1}{m2}", "{l3}${d2}{m5}"),
    "phrase": ("correct-horse-battery", "velvet-cactus-orbit"),
    "words": ("correct horse battery staple",),
    "word": ("swordfish", "letmein"),
    "pin": ("{d6}",),
}


def fill(shape: str, chance: random.Random) -> str:
    """A shape with every slot drawn."""
    return SLOT.sub(lambda slot: "".join(chance.choices(ALPHABETS[slot[1]], k=int(slot[2]))), shape)


def tokens(chance: random.Random) -> Iterator[tuple[str, str]]:
    """One token of each kind, as it is written, and the part of it that must not be seen."""
    for shape in TOKENS:
        token = fill(shape, chance)
        yield token, ADDRESS.sub("", token)
    signed, key = jwt(chance), pem(chance)
    yield signed, signed.rpartition(".")[2]
    yield key, key.splitlines()[2]


def commands(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Commands, files and addresses with a secret, and that."""
    for shape in COMMANDS:
        written, secret = shape.replace("\\n", "\n"), ""
        while slot := SLOT.search(written):
            secret = fill(slot[0], chance)
            written = written.replace(slot[0], secret, 1)
        yield written, secret


def jwt(chance: random.Random) -> str:
    """A token with a header and a payload that are really JSON."""
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": fill("{d10}", chance), "exp": 1_764_000_000})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*encoded, fill("{w43}", chance)))


def pem(chance: random.Random) -> str:
    """A private key."""
    dashes = "-" * 5
    body = "\n".join(fill("{b64}", chance) for _ in range(3))
    return f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{body}\n{dashes}END RSA PRIVATE KEY{dashes}"


def password(sort: str, chance: random.Random) -> str:
    """A password as people choose one."""
    return fill(chance.choice(PASSWORDS[sort]), chance)


def lookalikes(chance: random.Random) -> Iterator[str]:
    """Texts that look like secrets to whoever counts characters only: ten of each sort."""
    for _ in range(10):
        number = uuid.UUID(int=chance.getrandbits(128), version=4)
        data = chance.randbytes(400)
        picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + data).decode()
        yield f"commit {fill('{h40}', chance)} touched src/app/service.py:41-58"
        yield f"deployed {fill('{h7}', chance)} to production at 14:06"
        yield f"request {number} took 340 ms"
        yield f"trace_id={fill('{h32}', chance)} span_id={fill('{h16}', chance)}"
        yield f"image: images.example.net/shop@sha256:{fill('{h64}', chance)}"
        yield f'"integrity": "sha512-{base64.b64encode(chance.randbytes(64)).decode()}"'
        yield f"![chart](data:image/png;base64,{picture})"
        yield f"shop-api-{fill('{n9}', chance)}-{fill('{n5}', chance)} was OOMKilled"
        yield f"asked by U{fill('{u10}', chance)} in C{fill('{u10}', chance)} at 1764{fill('{d6}', chance)}.000100"
        yield f"arn:aws:lambda:eu-west-1:{fill('{d12}', chance)}:function:checkout-{fill('{d3}', chance)}"
        yield f"i-{fill('{h17}', chance)} in subnet-{fill('{h17}', chance)}"
        yield f'etag: W/"{fill("{h32}", chance)}"'
        yield f"https://git.example.org/shop/-/blob/{fill('{h40}', chance)}/src/token_store.py#L10-20"
        yield f"h1:{base64.b64encode(chance.randbytes(32)).decode()} go.sum"
        yield f"md5 {fill('{h32}', chance)}  dist/shop-1.{fill('{d2}', chance)}.tar.gz"
        yield f"idempotency key {number} was seen twice"
        yield f"cache key user:{fill('{d6}', chance)}:cart:v{fill('{d1}', chance)}"
        yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{fill('{b43}', chance)} ann@example.org"
        yield f"cursor={base64.b64encode(fill('{d12}', chance).encode()).decode()} page 2"
        yield f"{fill('{d10}', chance)}:{fill('{d5}', chance)} bytes of {fill('{d9}', chance)}"
