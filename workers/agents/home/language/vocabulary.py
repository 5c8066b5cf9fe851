"""The nouns, verbs and states of a home, in English; each list in one place. Names come from the home itself."""

from __future__ import annotations

from collections.abc import Mapping

NOUNS: Mapping[str, frozenset[str]] = {
    "light": frozenset({"light"}),
    "lights": frozenset({"light"}),
    "lighting": frozenset({"light"}),
    "lamp": frozenset({"light"}),
    "bulb": frozenset({"light"}),
    "fan": frozenset({"fan"}),
    "switch": frozenset({"switch"}),
    "socket": frozenset({"switch"}),
    "plug": frozenset({"switch"}),
    "thermostat": frozenset({"climate"}),
    "heating": frozenset({"climate.-cooling"}),
    "heater": frozenset({"climate.-cooling", "water_heater"}),
    "air conditioning": frozenset({"climate.-heating"}),
    "air conditioner": frozenset({"climate.-heating"}),
    "lock": frozenset({"lock"}),
    "cover": frozenset({"cover"}),
    "valve": frozenset({"valve"}),
    "speaker": frozenset({"media_player.-tv"}),
    "media player": frozenset({"media_player"}),
    "music": frozenset({"media_player"}),
    "vacuum": frozenset({"vacuum"}),
    "scene": frozenset({"scene"}),
    "script": frozenset({"script"}),
    "humidifier": frozenset({"humidifier"}),
    "sensor": frozenset({"sensor", "binary_sensor"}),
    "blind": frozenset({"cover.blind"}),
    "curtain": frozenset({"cover.curtain"}),
    "shade": frozenset({"cover.shade"}),
    "shutter": frozenset({"cover.shutter"}),
    "window covering": frozenset({"cover.blind", "cover.shutter", "cover.shade", "cover.curtain"}),
    "awning": frozenset({"cover.awning"}),
    "gate": frozenset({"cover.gate"}),
    "garage door": frozenset({"cover.garage", "binary_sensor.garage_door"}),
    "window": frozenset({"cover.window", "binary_sensor.window"}),
    "door": frozenset({"cover.door", "cover.garage", "binary_sensor.door", "binary_sensor.garage_door", "lock"}),
    "temperature": frozenset({"sensor.temperature", "climate"}),
    "temp": frozenset({"sensor.temperature", "climate"}),
    "warm": frozenset({"sensor.temperature", "climate"}),
    "many degrees": frozenset({"sensor.temperature", "climate"}),
    "cold": frozenset({"sensor.temperature", "climate"}),
    "hot": frozenset({"sensor.temperature", "climate"}),
    "target temperature": frozenset({"climate"}),
    "humid": frozenset({"sensor.humidity"}),
    "leak": frozenset({"binary_sensor.moisture"}),
    "water leak": frozenset({"binary_sensor.moisture"}),
    "movement": frozenset({"binary_sensor.motion"}),
    "watt": frozenset({"sensor.power"}),
    "co2": frozenset({"sensor.carbon_dioxide"}),
    "ac": frozenset({"climate.-heating"}),
    "aircon": frozenset({"climate.-heating"}),
    "heat": frozenset({"climate.-cooling"}),
    "radiator": frozenset({"climate.-cooling"}),
    "outlet": frozenset({"switch"}),
    "tv": frozenset({"media_player.-speaker"}),
    "people": frozenset({"person"}),
}
"""A noun -> domains, or domains with a device class, or with a ``-`` before it, which they have not.

Device classes of the home itself are nouns too."""
MEASURED = frozenset({"temperature", "temp", "warm", "cold", "hot", "many degrees"})
"""Nouns that a sensor answers where there is one, before a thermostat does."""

SWITCHED = frozenset({"light", "switch", "fan", "media_player", "input_boolean", "humidifier", "climate"})
"""What "everything" is, where something is on or off."""
ON_OFF = SWITCHED | {"water_heater", "remote", "siren", "automation"}
MASS = frozenset({"lighting", "heating", "heat", "music", "air conditioning", "temperature", "humidity"})
"""Nouns of no plural: all of it is meant."""
OPENED = frozenset({"cover", "valve", *(f"binary_sensor.{k}" for k in ("door", "garage_door", "window", "opening"))})

ACTION_DOMAINS: Mapping[str, frozenset[str]] = {
    "turn_on": ON_OFF | {"scene", "script"},
    "turn_off": ON_OFF,
    "open": frozenset({"cover", "valve"}),
    "close": frozenset({"cover", "valve"}),
    "lock": frozenset({"lock"}),
    "unlock": frozenset({"lock"}),
    "set_brightness": frozenset({"light"}),
    "set_color": frozenset({"light"}),
    "set_temperature": frozenset({"climate", "water_heater"}),
    "set_position": frozenset({"cover", "valve"}),
    "set_volume": frozenset({"media_player"}),
    "set_speed": frozenset({"fan"}),
    "play": frozenset({"media_player"}),
    "pause": frozenset({"media_player"}),
    "next": frozenset({"media_player"}),
    "previous": frozenset({"media_player"}),
    "start": frozenset({"vacuum"}),
    "dock": frozenset({"vacuum"}),
}
"""What may be done -> with which kinds of entities."""
RUN = frozenset({"scene", "script"})
"""What runs and has no state afterwards."""
PERCENT = {"light": "set_brightness", "cover": "set_position", "media_player": "set_volume", "fan": "set_speed"}
"""What a share in percent sets, by kind of entity."""

SWITCHING = frozenset("turn switch put power flip bring shut have get".split())
"""Verbs that need "on" or "off"."""
SETTING = frozenset(
    "set make change adjust dim brighten increase decrease put turn bring get drop bump crank lower raise roll"
    " pull".split()
)
DIRECTIONS = {"up": "open", "down": "close"}
"""What is done with covers, where no verb says it."""
VERBS: Mapping[str, str] = {
    "deactivate": "turn_off",
    "disable": "turn_off",
    "activate": "turn_on",
    "enable": "turn_on",
    "kill": "turn_off",
    "run": "turn_on",
    "open": "open",
    "raise": "open",
    "lift": "open",
    "close": "close",
    "shut": "close",
    "lower": "close",
    "lock": "lock",
    "unlock": "unlock",
    "play": "play",
    "resume": "play",
    "pause": "pause",
    "skip": "next",
    "start": "start",
    "dock": "dock",
    "send": "dock",
}
"""Verbs that say by themselves what is to be done."""
BINARY_STATES: Mapping[str, tuple[str, str]] = {
    "battery": ("low", "normal"),
    "battery_charging": ("charging", "not charging"),
    "carbon_monoxide": ("detected", "clear"),
    "cold": ("cold", "normal"),
    "connectivity": ("connected", "disconnected"),
    "door": ("open", "closed"),
    "garage_door": ("open", "closed"),
    "gas": ("detected", "clear"),
    "heat": ("hot", "normal"),
    "light": ("light", "dark"),
    "lock": ("unlocked", "locked"),
    "moisture": ("wet", "dry"),
    "motion": ("detected", "clear"),
    "occupancy": ("detected", "clear"),
    "opening": ("open", "closed"),
    "plug": ("plugged in", "unplugged"),
    "power": ("powered", "not powered"),
    "presence": ("home", "away"),
    "problem": ("problem", "ok"),
    "running": ("running", "not running"),
    "safety": ("unsafe", "safe"),
    "smoke": ("detected", "clear"),
    "sound": ("detected", "clear"),
    "tamper": ("tampered", "clear"),
    "update": ("update available", "up to date"),
    "vibration": ("detected", "clear"),
    "window": ("open", "closed"),
}
"""Device class of a binary sensor -> what its ``on`` and ``off`` mean, as Home Assistant shows them."""

SIGNS = frozenset("moisture motion smoke gas carbon_monoxide occupancy vibration tamper problem sound safety".split())
"""Device classes whose name is what they find."""
STATE_KINDS: Mapping[str, frozenset[str]] = {
    "on": ON_OFF,
    "off": ON_OFF,
    "open": OPENED,
    "closed": OPENED,
    "locked": frozenset({"lock"}),
    "unlocked": frozenset({"lock"}),
    "playing": frozenset({"media_player"}),
    "paused": frozenset({"media_player"}),
    **{
        word: frozenset(f"binary_sensor.{k}" for k, words in BINARY_STATES.items() if word in words)
        for words in BINARY_STATES.values()
        for word in words
        if word not in {"open", "closed", "locked", "unlocked", "light", "problem", "home"} and " " not in word
    },
}
"""States that are asked for -> kinds of entities that may have them."""
STATE_KINDS = {**STATE_KINDS, "unavailable": frozenset({"*"}), "docked": frozenset({"vacuum"})}
STATE_WORDS: Mapping[str, str] = {
    **{word: word for word in STATE_KINDS},
    "shut": "closed",
    "running": "on",
    "opened": "open",
    "lit": "on",
    "burning": "on",
    "burn": "on",
    "offline": "unavailable",
    "triggered": "detected",
    "occupied": "detected",
    "vibrating": "detected",
    "leaking": "wet",
    "flooded": "wet",
}
UNREAD = frozenset(
    "above below over under than more less fewer between before after during until without except other others only"
    " not no never unless if once while most least few than both".split()
)
"""Words that set a condition; one that was not read is never passed over."""
OPPOSITES = {
    "on": "off",
    "off": "on",
    "open": "closed",
    "closed": "open",
    "locked": "unlocked",
    "unlocked": "locked",
    "wet": "dry",
    "dry": "wet",
}
FILLERS = frozenset(
    "please pls now right just still currently everything anything everywhere anywhere all every each both any some"
    " whole draws entire"
    " house home flat apartment building room rooms floor lot ones thank thanks thx hey hi since ago last time long"
    " leave left rn level brightness volume position speed color colour device devices thing things show list"
    " moment already count number battery charge turned switched dimmed uses use using draws"
    " drawing consumes back came come went gone current currently too many much degrees kind state status".split()
)
"""Words that are no part of a name unless a name has them."""
WHOLE = frozenset("everything anything all every each any both".split())


def base(word: str) -> str:
    """A word in lower case without the ending of the plural; a stem would make one of "leave" and "Leaving"."""
    word = word.lower()
    if len(word) > 5 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


DOMAINS = frozenset({"sensor", "binary_sensor", "person", "weather"}.union(*ACTION_DOMAINS.values(), *NOUNS.values()))
"""Kinds of entities, as Home Assistant calls them."""
NOUN_BASES: Mapping[tuple[str, ...], str] = {tuple(map(base, noun.split())): noun for noun in reversed(tuple(NOUNS))}


def kinds_of(noun: str) -> frozenset[str]:
    """What a noun stands for: domains, or domains with a device class, where ``*`` is any domain."""
    if noun in NOUNS:
        return NOUNS[noun]
    return frozenset({noun if "." in noun or noun in DOMAINS else f"*.{noun}"})
