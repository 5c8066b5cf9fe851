"""Spanish words of time as English ones, see `workers.language.german_times`."""

from __future__ import annotations

import re

DAYS = {
    "lunes": "monday", "martes": "tuesday", "miércoles": "wednesday", "jueves": "thursday", "viernes": "friday",
    "sábado": "saturday", "domingo": "sunday", "hoy": "today", "mañana": "tomorrow", "ayer": "yesterday",
    "pasado mañana": "overmorrow", "enero": "january", "febrero": "february", "marzo": "march", "abril": "april",
    "mayo": "may", "junio": "june", "julio": "july", "agosto": "august", "septiembre": "september",
    "octubre": "october", "noviembre": "november", "diciembre": "december", "semana": "week", "semanas": "weeks",
    "fin de semana": "weekend", "fin de": "end of", "finales de": "end of",
    "mes": "month", "día": "day", "días": "days", "mediodía": "noon", "tarde": "afternoon",
    "noche": "night", "esta noche": "tonight", "por la mañana": "in the morning", "de la mañana": "am", "de la tarde":
    "pm",
    "de la noche": "pm", "por las mañanas": "mornings", "por las tardes": "afternoons",
}  # fmt: skip
NUMBERS = {
    "un": "a", "una": "a", "uno": "one", "dos": "two", "tres": "three", "cuatro": "four", "cinco": "five",
    "seis": "six", "siete": "seven", "ocho": "eight", "nueve": "nine", "diez": "ten", "once": "eleven",
    "doce": "twelve", "quince": "fifteen", "veinte": "twenty", "treinta": "thirty", "cuarenta": "forty",
    "media hora": "half an hour", "hora y media": "1.5 hours", "una hora y media": "1.5 hours",
    "cuarto de hora": "15 minutes", "tres cuartos de hora": "45 minutes",
}  # fmt: skip
RELATIONS = {
    "próximo": "next", "próxima": "next", "que viene": "", "semana que viene": "next week", "este": "this",
    "mes que viene": "next month", "esta": "this", "a la": "at", "a las": "at", "a partir de las": "from",
    "a partir de la": "from", "a partir del": "from", "a partir de": "from", "antes de las": "before",
    "antes de la": "before", "antes del": "before", "antes de": "before", "después de las": "after",
    "después de la": "after", "después de comer": "after lunch", "después del almuerzo": "after lunch",
    "antes de comer": "before lunch", "hasta": "until", "hasta las": "until", "desde": "from", "desde las": "from",
    "entre": "between", "y": "and", "o": "or", "el": "on", "los": "on", "al": "to", "para el": "on", "no": "not",
    "salvo": "except", "excepto": "except", "hora": "hour", "horas": "hours", "minuto": "minute",
    "minutos": "minutes", "más tarde": "later", "antes": "earlier", "cada": "every", "todos los": "every",
    "todas las": "every", "dentro de": "in", "para": "for", "con": "with", "ahora": "now", "ahora mismo": "right now",
    "su hora": "his time", "mi hora": "my time", "semanal": "weekly", "semanalmente": "weekly", "diario": "daily",
    "mensual": "monthly", "de": "of", "a": "to",
}  # fmt: skip
ACCENTS = str.maketrans("áéíóú", "aeiou")
SPANISH = {k.translate(ACCENTS): v for k, v in (DAYS | NUMBERS | RELATIONS).items()}
TELLING = re.compile(
    r"\b(?:el|los|las|una?|qué|que|con|cuándo|cuando|quién|quien|está|tengo|tiene|puedo|para|esta|este|por|del|mi|hay|"
    r"lunes|martes|miércoles|jueves|viernes|semana|mañana|reunión|reunion|hora|minutos|cita)\b",
    re.IGNORECASE,
)
PIECES = re.compile(
    "|".join(re.escape(p).replace("\\ ", r"\s+") for p in sorted(SPANISH, key=len, reverse=True) if " " in p)
    .join((r"\b(?:", r")\b|\w+|\W"))
    .replace("a", "[aá]").replace("e", "[eé]").replace("i", "[ií]").replace("o", "[oó]").replace("u", "[uú]"),
    re.IGNORECASE,
)  # fmt: skip
"""Phrases, words, and what stands between; letters with and without their accents."""


def is_spanish(text: str) -> bool:
    """Whether two words, or a mark that only Spanish has, say so."""
    return bool(re.search("[¿¡ñ]", text)) or len(TELLING.findall(text)) > 1


def translate(piece: str) -> str:
    """A word or phrase; as it is when it is none of time."""
    return SPANISH.get(" ".join(piece.translate(ACCENTS).split()), piece)
