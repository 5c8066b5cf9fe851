"""Time zones as people name them: letters, places, IANA names, offsets."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# letters -> hours ahead of UTC
OFFSETS = {
    "utc": 0, "z": 0, "gmt": 0, "wet": 0, "west": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2, "bst": 1, "eet": 2,
    "eest": 3, "msk": 3, "trt": 3, "eat": 3, "wat": 1, "cat": 2, "sast": 2, "est": -5, "edt": -4, "cst": -6, "cdt": -5,
    "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10, "adt": -3, "nst": -3.5, "ndt": -2.5,
    "brt": -3, "brst": -2, "art": -3, "clt": -4, "clst": -3, "cot": -5, "pet": -5, "ist": 5.5, "pkt": 5, "npt": 5.75,
    "gst": 4, "ict": 7, "wib": 7, "sgt": 8, "hkt": 8, "pht": 8, "myt": 8, "awst": 8, "jst": 9, "kst": 9, "acst": 9.5,
    "acdt": 10.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip
# IANA name -> what people call it
AMERICA = {
    "America/New_York": "et, eastern, new york, boston", "America/Chicago": "ct, central, chicago",
    "America/Denver": "mt, mountain, denver",
    "America/Los_Angeles": "pt, pacific, los angeles, san francisco, seattle", "America/Toronto": "toronto",
    "America/Vancouver": "vancouver", "America/Mexico_City": "mexico city", "America/Bogota": "bogota",
    "America/Lima": "lima", "America/Santiago": "santiago", "America/Argentina/Buenos_Aires": "buenos aires",
    "America/Sao_Paulo": "sao paulo, são paulo",
}  # fmt: skip
EUROPE_AFRICA = {
    "Europe/London": "london, uk", "Europe/Dublin": "dublin", "Europe/Lisbon": "lisbon", "Europe/Madrid": "madrid",
    "Europe/Paris": "paris", "Europe/Brussels": "brussels", "Europe/Amsterdam": "amsterdam",
    "Europe/Berlin": "berlin, german, munich, hamburg", "Europe/Zurich": "zurich", "Europe/Vienna": "vienna",
    "Europe/Rome": "rome, milan", "Europe/Prague": "prague", "Europe/Warsaw": "warsaw", "Europe/Budapest": "budapest",
    "Europe/Copenhagen": "copenhagen", "Europe/Oslo": "oslo", "Europe/Stockholm": "stockholm",
    "Europe/Helsinki": "helsinki", "Europe/Athens": "athens", "Europe/Bucharest": "bucharest", "Europe/Kyiv": "kyiv",
    "Europe/Istanbul": "istanbul", "Europe/Moscow": "moscow", "Africa/Cairo": "cairo", "Africa/Lagos": "lagos",
    "Africa/Nairobi": "nairobi", "Africa/Johannesburg": "johannesburg",
}  # fmt: skip
ASIA_PACIFIC = {
    "Asia/Jerusalem": "tel aviv", "Asia/Dubai": "dubai", "Asia/Karachi": "karachi",
    "Asia/Kolkata": "mumbai, delhi, kolkata, bangalore, bengaluru, indian, india", "Asia/Dhaka": "dhaka",
    "Asia/Bangkok": "bangkok, hanoi", "Asia/Jakarta": "jakarta", "Asia/Singapore": "singapore",
    "Asia/Kuala_Lumpur": "kuala lumpur", "Asia/Manila": "manila", "Asia/Hong_Kong": "hong kong",
    "Asia/Shanghai": "shanghai, beijing", "Asia/Taipei": "taipei", "Asia/Seoul": "seoul",
    "Asia/Tokyo": "tokyo, japan", "Australia/Perth": "perth", "Australia/Brisbane": "brisbane",
    "Australia/Sydney": "sydney", "Australia/Melbourne": "melbourne", "Pacific/Auckland": "auckland",
}  # fmt: skip
PLACES = {
    place: zone for zone, places in (AMERICA | EUROPE_AFRICA | ASIA_PACIFIC).items() for place in places.split(", ")
}
LETTERS = "|".join(sorted(OFFSETS, key=len, reverse=True))
CITY = "|".join(sorted(PLACES, key=len, reverse=True))
IANA = r"[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?"
SHIFT = re.compile(r"(?:utc|gmt)?\s?([+−-])\s?(\d{1,2})(?::?(\d\d))?")
"""An offset as people write it: ``UTC+2``, ``-03:30``."""
OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)


def read_zone(name: str) -> tzinfo:
    """An IANA name or ``±HH:MM`` as a zone; UTC when unknown."""
    offset = OFFSET.fullmatch(name)
    if offset and int(offset[2]) < 24 and int(offset[3]) < 60:
        delta = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(delta if offset[1] == "+" else -delta)
    try:
        return ZoneInfo(name) if name not in {"", "Z", "UTC"} else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def zone_named(name: str) -> tzinfo | None:
    """A zone as people write it: ``CET``, ``Berlin time``, ``Asia/Tokyo``, ``UTC+2``; None when there is none."""
    low = re.sub(r"(?: local)?\s+time$", "", name.strip().lower())
    if shift := SHIFT.fullmatch(low):
        return read_zone(f"{shift[1].replace('−', '-')}{int(shift[2]) % 24:02}:{int(shift[3] or 0) % 60:02}")
    if low in OFFSETS:
        return timezone(timedelta(hours=OFFSETS[low])) if OFFSETS[low] else UTC
    found = read_zone(PLACES.get(low, name.strip() if "/" in name else ""))
    return found if found is not UTC or name == "Etc/UTC" else None
