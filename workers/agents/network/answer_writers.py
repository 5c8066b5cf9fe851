"""Writes what the network's sources hold: claims with slots over facts, what was looked at, and what is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workers.agents.network.answer_parts import (
    MOST_ROWS,
    about,
    blind_spots,
    counted,
    during,
    each_of,
    heard,
    none_found,
    of_step,
    of_words,
    rows_of,
    summary_of,
)
from workers.agents.network.inquiry import LISTING, Inquiry
from workers.agents.network.row_claims import (
    alert_row,
    beacon_row,
    change_row,
    claim,
    first_sight_row,
    group_row,
    record_row,
    talk_row,
)
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import number, text_of
from workers.language.nearest_names import ranked_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join
from workers.reasoning.empty_answer import as_nearest, name_unused, write_nothing

REGULAR_NOTE = (
    "Regular intervals alone do not tell a beacon from a monitor, an update check or a clock: look at the process "
    "behind it before it is called one."
)


def write_answer(brief: Brief, asked: Inquiry) -> Draft:
    """The answer to the kind of question; what was tried when nothing was found."""
    if brief.intent.question_type == "order":
        return write_refusal(brief)
    writer = WRITERS.get(brief.intent.question_type, write_alerts)
    if unknown := unknown_names(asked, brief):
        return write_unknown(unknown[0], brief)
    draft = writer(brief) if brief.evidence else None
    if draft is None:
        return write_nothing(brief, empty_words(brief))
    draft = draft.model_copy(update={"missing": (*draft.missing, *brief.gaps, *blind_spots(brief))})
    used = {word for call in brief.calls for value in call.args.values() for word in str(value).lower().split()}
    for item in brief.evidence:
        used -= set(text_of(item, "left").split(", "))
    left = [*asked.unbound, *(word for word in asked.unread if word not in used)]
    if not left:
        return draft
    draft = draft.model_copy(update={"missing": (*name_unused(left), *draft.missing)})
    return as_nearest(draft, brief.without_model) if asked.kind in LISTING else draft


def write_refusal(brief: Brief) -> Draft:
    """That nothing is changed here."""
    text = "I only read what sensors and the inventory hold: I cannot change anything, and nothing was changed."
    return Draft(headline=Claim(template=text), missing=brief.gaps)


def unknown_names(asked: Inquiry, brief: Brief) -> list[str]:
    """What is named as a host and stands neither in NetBox nor in a rule or a sensor's name."""
    known = " ".join(str(f.value) for e in brief.evidence for f in e.facts.values()).lower()
    return [name for name in asked.unknown if name.lower() not in known.replace(f"named '{name.lower()}'", "")]


def write_unknown(name: str, brief: Brief) -> Draft:
    """That nothing is called so, with the names that are nearest."""
    labels = ("netbox_device", "netbox_virtual_machine", "ids_sensor", "netbox_rack")
    near = ranked_names(name, tuple(n for label in labels for n in brief.landscape.labels.get(label, ())), 5)
    like = (Gap(text=f"Names like it: {join(near)}.", tool="netbox_read"),) if near else ()
    text = f"Nothing in the inventory or in the sensors' logs is called “{name}”."
    return Draft(headline=Claim(template=text), missing=(*like, *blind_spots(brief)))


def empty_words(brief: Brief) -> str:
    """What NetBox says that it has not; else that nothing was found."""
    said = [
        gap.text.partition(": ")[2]
        for gap in brief.gaps
        if ": NetBox has no" in gap.text or ": NetBox has neither" in gap.text
    ]
    return f"{said[0].rstrip('.')}." if said else "I found nothing about this in the sensors' logs or in NetBox."


def certain(first: Evidence, lead: str, **rows: tuple[Claim, ...]) -> Draft:
    """What a tool's output says for sure: its first item in the headline, and its rows."""
    return Draft(headline=claim(first, lead), **rows, confidence="high")


# --- one writer a kind of question ----------------------------------------------------------------------------


def write_host(brief: Brief) -> Draft | None:
    """What a host is by NetBox, and what the sensors say of it: each known or said to be unknown."""
    identity, alerts = of_step(brief, "identity"), of_step(brief, "groups", "ends", "newest")
    known = identity_claim(identity)
    first = summary_of(alerts)
    if not identity and first is None:
        return write_inventory(brief)
    told = [known] if known else []
    if first is not None:
        told.append(alerted_claim(first, known=known is not None))
    if not told:
        return None
    lead = told[0]
    if len(told) > 1:
        lead = Claim(
            template=f"{told[0].template.rstrip('.')}. {told[1].template}",
            evidence=tuple(dict.fromkeys((*told[0].evidence, *told[1].evidence))),
        )
    groups = rows_of(alerts, "by")
    newest = rows_of(alerts, "place")
    return Draft(
        headline=lead,
        what_changed=tuple(change_row(e) for e in rows_of(identity, "changed_at")),
        metrics=(*map(group_row, groups), *map(alert_row, newest)),
        docs=tuple(record_row(e) for e in identity if not has(e, "changed_at") and e is not identity[0]),
        confidence="high",
    )


def identity_claim(identity: Sequence[Evidence]) -> Claim | None:
    """What NetBox says of an address or a device; None when it was not asked or holds nothing."""
    if not identity:
        return None
    item = identity[0]
    k = item.id
    if has(item, "unassigned"):
        where = [f"{name} {{{k}.{name}}}" for name in ("site", "vlan", "tenant") if has(item, name)]
        return Claim(
            template=f"NetBox has no record of {{{k}.unassigned}}; the nearest prefix is {{{k}.prefix}}"
            f"{f' ({join(where)})' if where else ''}.",
            evidence=(k,),
        )
    if has(item, "ip"):
        return Claim(template=f"{{{k}.ip}} is {owner_words(item)} in NetBox{place_words(item)}.", evidence=(k,))
    return Claim(template=f"{named(item)} in NetBox{place_words(item)}.", evidence=(k,))


def owner_words(item: Evidence) -> str:
    """``eth0 of web01 (access switch)``, or that it is assigned to nothing."""
    k = item.id
    if not has(item, "device"):
        name = f" as {{{k}.dns_name}}" if has(item, "dns_name") else ""
        return f"recorded{name} as {{{k}.address}}, assigned to no device,"
    role = f" ({{{k}.device_role}})" if has(item, "device_role") else ""
    port = f"{{{k}.interface}} of " if has(item, "interface") else ""
    return f"{port}{{{k}.device}}{role}"


def named(item: Evidence) -> str:
    """A device, an interface or a prefix by its name."""
    k = item.id
    for fact, more in (("name", "role"), ("interface", "device"), ("prefix", "role"), ("site", "region")):
        if has(item, fact):
            extra = f" ({{{k}.{more}}})" if has(item, more) else ""
            at = f", at {{{k}.primary}}," if has(item, "primary") else ""
            return (
                f"{{{k}.{fact}}}{extra}{at} is {{{k}.status}}" if has(item, "status") else f"{{{k}.{fact}}}{extra} is"
            )
    return item.title


def place_words(item: Evidence) -> str:
    """Prefix, site, VLAN and tenant, as far as they are known."""
    k = item.id
    own = {"prefix", "site", "vlan", "rack", "tenant"}
    if has(item, "prefix") and not has(item, "ip"):
        own -= {"prefix"}
    known = [
        f"{name} {{{k}.{name}}}"
        for name in ("prefix", "site", "vlan", "rack", "tenant")
        if name in own and has(item, name)
    ]
    return f": {', '.join(known)}" if known else ""


def alerted_claim(first: Evidence, *, known: bool) -> Claim:
    """How many alerts a host was in, or that none is recorded."""
    if not number(first, "count"):
        return none_found(first, "alert")
    named = about(first)
    who = named if named and not known else "It"
    return Claim(template=f"{who} was in {counted(first, 'alerts')} {during(first)}.", evidence=(first.id,))


def write_alerts(brief: Brief) -> Draft | None:
    """The alerts of a span, the most severe and newest first."""
    found = of_step(brief, "alerts")
    first = summary_of(found)
    if first is not None and has(first, "groups"):
        return write_ranking(brief)
    if first is None:
        return None
    if not number(first, "count"):
        return Draft(headline=none_found(first, "alert"), confidence="medium")
    rows = rows_of(found, "place")
    named = about(first)
    lead = f"{counted(first, 'alerts')}{of_words(named)} {during(first)}, "
    lead += f"the last at {{{first.id}.newest}}{each_of(first)}; the most severe first."
    return certain(first, lead, metrics=tuple(map(alert_row, rows)))


def write_ranking(brief: Brief) -> Draft | None:
    """What alerts most."""
    found = of_step(brief, "alerts", "ends")
    first = summary_of(found)
    if first is None:
        return None
    rows, ends = rows_of(of_step(brief, "alerts"), "by"), rows_of(of_step(brief, "ends"), "by")[: MOST_ROWS // 2]
    if not rows:
        thing = event_words(first).removesuffix("s")
        return Draft(headline=none_found(first, thing), confidence="medium")
    top = max(rows, key=lambda row: number(row, "count"))
    named = about(first)
    thing = event_words(first)
    lead = f"{{{first.id}.count}} {thing}{of_words(named)} {during(first)}, the last at {{{first.id}.newest}}; "
    lead += f"{{{first.id}.groups}} × {text_of(top, 'by')}{first_of(rows)}{each_of(first)}."
    least = many_of(first, "events ")
    if least:
        lead = f"{{{first.id}.groups}} × {text_of(top, 'by')} with {least}{of_words(named)} {during(first)}."
    return Draft(
        headline=Claim(template=lead, evidence=(first.id, top.id)),
        metrics=tuple(map(group_row, (*rows[: MOST_ROWS // 2], *ends) if ends else rows)),
        confidence="high",
    )


LEAST = {"at_least": "{} {}or more", "at_most": "{} {}or fewer", "targets": "{} targets or more"}


def many_of(first: Evidence, things: str = "") -> str:
    """How many there are to be of each group."""
    said = (
        words.format(f"{{{first.id}.of_{name}}}", things) for name, words in LEAST.items() if has(first, f"of_{name}")
    )
    return " and ".join(said)


def event_words(first: Evidence) -> str:
    """What is counted."""
    return first.title.partition(" ")[2].replace("alert events", "alerts")


def first_of(rows: Sequence[Evidence]) -> str:
    """The most frequent one, where there is one that is more frequent than the others."""
    same = [row for row in rows if text_of(row, "by") == text_of(rows[0], "by")]
    first, *others = sorted(same, key=lambda row: -number(row, "count"))
    tied = others and number(first, "count") == number(others[0], "count")
    if tied:
        return "; none is more frequent than the others"
    return f"; the most frequent is “{{{first.id}.label}}” with {{{first.id}.count}}"


def write_talkers(brief: Brief) -> Draft | None:
    """Who speaks to whom."""
    if of_step(brief, "alerts"):
        return write_ranking(brief)
    found = of_step(brief, "talkers")
    first = summary_of(found)
    if first is None:
        return None
    rows = rows_of(found, "flows")
    if not rows:
        return Draft(headline=none_found(first, "connection"), confidence="medium")
    named = about(first)
    lead = f"{{{first.id}.count}} connections{of_words(named)} {during(first)}; the busiest first."
    return certain(first, lead, metrics=tuple(map(talk_row, rows)))


def write_beacons(brief: Brief) -> Draft | None:
    """Pairs with a rhythm, each a hypothesis with its numbers."""
    found = of_step(brief, "beacons")
    first = summary_of(found)
    if first is None:
        return None
    k = first.id
    rows = rows_of(found, "jitter")
    named = about(first)
    of = f" of {named}" if named else ""
    looked = f"{{{k}.pairs}} pairs{of} with {{{k}.fewest}} connections or more were looked at {during(first)}"
    if not rows:
        lead = f"No pair of hosts has regular connections; {looked}; {heard(first)}."
        return Draft(headline=Claim(template=lead, evidence=(k,)), confidence="medium")
    lead = f"{{{k}.count}} pairs of hosts have regular connections, which may be beaconing; {looked}."
    return Draft(
        headline=Claim(template=lead, evidence=(k,), status="hypothesis"),
        metrics=tuple(map(beacon_row, rows)),
        missing=(Gap(text=REGULAR_NOTE),),
        confidence="medium",
    )


def write_first_seen(brief: Brief) -> Draft | None:
    """What is new, signatures before the rest."""
    found = of_step(brief, "new")
    first = summary_of(found)
    if first is None:
        return None
    k = first.id
    counts = [
        f"{{{k}.{name}}} {PLURALS[name[4:]]}" for name in first.facts if name.startswith("new_") and number(first, name)
    ]
    if not counts:
        thing = "new signature, domain, destination or fingerprint"
        return Draft(headline=none_found(first, thing), confidence="medium")
    named = about(first)
    lead = f"New{f' on {named}' if named else ''} {during(first)}: {join(counts)}."
    if has(first, "all_new"):
        lead += f" Records only begin at {{{k}.records_since}}, so that everything seen since counts as new."
    rows = rows_of(found, "what")
    return certain(first, lead, metrics=tuple(map(first_sight_row, rows)))


PLURALS = {
    "signature": "signatures",
    "domain": "domains",
    "destination": "destinations",
    "fingerprint": "TLS fingerprints",
}


def write_inventory(brief: Brief) -> Draft | None:
    """What NetBox lists."""
    found = of_step(brief, "listed") or of_step(brief, "identity")
    if not found:
        return None
    first = found[0]
    if not has(first, "count"):
        return Draft(headline=record_row(first), docs=tuple(map(record_row, found[1:MOST_ROWS])), confidence="high")
    kind = first.facts["count"].entity
    chosen = [
        f"{name[3:]} {{{first.id}.{name}}}"
        for name in first.facts
        if name.startswith("of_") and "each" not in name and name[3:] not in LEAST
    ]
    where = f" for {join(chosen)}" if chosen else ""
    some = f", of which {{{first.id}.listed}} are listed" if number(first, "count") > number(first, "listed") else ""
    lead = f"NetBox has {{{first.id}.count}} × {kind.replace('_', ' ')}{where}{some}{each_of(first)}."
    if has(first, "groups"):
        number_of = f"{{{first.id}.groups}} ×" if number(first, "groups") else "No"
        lead = f"{number_of} {first.facts['groups'].entity} with {many_of(first)} × {kind}{where}{each_of(first)}."
    return certain(first, lead, docs=tuple(map(record_row, found[1 : MOST_ROWS + 1])))


def write_owners(brief: Brief) -> Draft | None:
    """Whose something is, and who is called about it."""
    found = [e for e in of_step(brief, "owners") if not has(e, "listed")]
    if not found:
        return None
    first = found[0]
    return Draft(
        headline=owner_claim(first),
        docs=tuple(owner_claim(e) for e in found[1 : MOST_ROWS + 1]),
        confidence="high",
    )


def owner_claim(item: Evidence) -> Claim:
    """``cam-01 (active) is of Facilities; contacts: …``, or that none is recorded."""
    k = item.id
    name = next((n for n in ("name", "site") if has(item, n)), "")
    state = f" ({{{k}.status}})" if has(item, "status") else ""
    tenant = f"is of tenant {{{k}.tenant}}" if has(item, "tenant") else "has no tenant"
    people = f"contacts: {{{k}.contacts}}" if has(item, "contacts") else "no contact is recorded for it"
    return Claim(template=f"{{{k}.{name}}}{state} {tenant}; {people}." if name else item.title, evidence=(k,))


def write_changes(brief: Brief) -> Draft | None:
    """Who changed what in NetBox."""
    found = of_step(brief, "changes")
    first = summary_of(found)
    if first is None:
        return None
    some = f", the newest {{{first.id}.listed}} listed" if number(first, "count") > number(first, "listed") else ""
    lead = f"NetBox recorded {{{first.id}.count}} changes {during(first)}{some}."
    rows = rows_of(found, "changed_at")
    return certain(first, lead, what_changed=tuple(map(change_row, rows)))


WRITERS: dict[str, Callable[[Brief], Draft | None]] = {
    "host_identity": write_host,
    "ids_alerts": write_alerts,
    "top_signatures": write_ranking,
    "top_hosts": write_ranking,
    "talkers": write_talkers,
    "beaconing": write_beacons,
    "first_seen": write_first_seen,
    "inventory": write_inventory,
    "owner": write_owners,
    "network_changes": write_changes,
}
