"""Network triage: what alerted, what a host is, who speaks to whom. See `workers.ports.AgentModule`."""

from workers.agents.network.agent import claim, make_plan, read_intent, write_answer
from workers.agents.network.sections import NetboxSection, SuricataSection
from workers.ports import Need

QUESTION_TYPES = {
    "host_identity": "what an address, device or prefix is, and whether it was in alerts",
    "ids_alerts": "which alerts the intrusion detection raised",
    "top_signatures": "which signatures, categories or severities alert most",
    "top_hosts": "which hosts are in most alerts",
    "talkers": "who speaks to whom, and how much",
    "beaconing": "which connections come at regular intervals",
    "first_seen": "what was seen for the first time",
    "inventory": "which devices, prefixes, addresses, VLANs or sites are recorded",
    "owner": "who owns a device or a site, or is called about it",
    "order": "a change of the network or its record, which nothing here makes",
    "network_changes": "what was changed in the record of the network",
    "other": "none of these",
}
NEEDS = {
    "network": Need(
        met=lambda settings: bool(settings.section(SuricataSection).eve or settings.section(NetboxSection).url),
        lacks="I know nothing of a network: name a sensor's log in `suricata.eve`, or a NetBox in `netbox.url` of "
        "oracle.yaml; see docs/network.md.",
    )
}
PLAN_SLOTS = frozenset(
    "address ends source target device site role tenant rack status mac domain signature severity worst vlan"
    " action hours least most per count_least count_most"
    " targets limit event reason days sensor object words group_by since until".split()
)
PROMPTS = ("network",)

__all__ = [
    "NEEDS",
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "claim",
    "make_plan",
    "read_intent",
    "write_answer",
]
