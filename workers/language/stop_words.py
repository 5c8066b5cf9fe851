"""Words that say nothing of what a text is about, in named parts; who needs more of them adds a few of its own."""

from __future__ import annotations

import re

from workers.language.stems import stem

PRONOUNS = frozenset(
    "he her here hers him his i it itself me my our ours she their them then there these they those us we"
    " you your yours anything something somewhere someone anyone thing things".split()
)
VERBS = frozenset(
    "am be been being can could did do does doing done get gets given going had having know let like"
    " may might must need please shall should tell want will would happen happens happened".split()
)
COMMONEST = frozenset(
    "the and for with that this from has have was were are its not of in is on at to by over under".split()
)
JOINTS = frozenset(
    "a about above after against all an any as because before below between both but down during each every few if"
    " into more most no nor off once one only or other out own".split()
)
MORE_JOINTS = frozenset(
    "again also further just now same since so some such than through too until up very while within without exactly"
    " actually currently really yesterday today lately recently ago tonight way ways kind sort".split()
)
QUESTION_WORDS = frozenset("how hows what whats when where wheres whether which who whom why".split())
CUT_OFF = frozenset("ll re s t ve".split())
"""What an apostrophe leaves of "we'll", "it's", "don't"."""
NEGATED_VERBS = frozenset("ain aren couldn didn doesn don hadn hasn haven isn shouldn wasn weren won wouldn".split())
"""What an apostrophe leaves of "don't". Not among the words below: a name of code may be one."""
GERMAN = frozenset(
    "aber auch auf bei beim das dass dem der des durch ein eine einen einer eines für gibt hier ich ihr ist kann"
    " man mit muss nach nicht noch oder ohne sich sie sind soll sollte unser unsere unserem unseren und uns vom"
    " von wann warum was welche welchem welchen welcher welches wenn wer wie wir wird wo zum zur".split()
)
"""Those of German that English has no other use for."""
SPANISH = frozenset(
    "cada cómo con cuál cuáles cuándo cuánta cuántas cuánto cuántos del desde donde dónde ella ellos entre esta está"
    " están este esto hace hacemos hacen hasta hay las les los muy nos nosotros nuestra nuestro para pero por porque"
    " que qué quién quiénes según ser sobre también tenemos tiene tienen todas todos una unas uno unos".split()
)
"""As above, of Spanish."""
STOP_WORDS = COMMONEST | PRONOUNS | VERBS | JOINTS | MORE_JOINTS | QUESTION_WORDS | CUT_OFF | GERMAN | SPANISH
CODE_WORDS = frozenset(
    "code codebase repo repository file files function functions class classes method methods module modules logic"
    " project source line lines value values default defaults example place places part location".split()
)
ASKED_VERBS = frozenset(
    "configure configured configuration defined define definition implemented implement implementation handled handle"
    " handles handling used use uses using set sets setting located live lives find found show explain describe"
    " summarize work works working responsible eingestellt konfiguriert festgelegt gesetzt definiert".split()
)
CHANGE_VERBS = frozenset(
    "take takes make makes made call called calls wire wired change changed changes look looks see add added adding new"
    " happens done support supports supported"
    " decide decides determine determines specify specified declared declare".split()
)
MORE_VERBS = frozenset(
    "written stored kept come comes performed perform give gives run runs running list controlled control controls"
    " behind fix fixes fixed update updates updated remove removed improve improved allow allows avoid prevent"
    " ensure".split()
)
HOW_MUCH = re.compile(
    r"\bhow (?:many times|big|long|many|much|often|far|old|large|high|fast|soon|late|deep|wide|small)\b", re.IGNORECASE
)
"""Asks for an amount; no text says these words again."""
WORD = re.compile(r"[^\W_]{3,}")
WEAK_WORDS = CODE_WORDS | ASKED_VERBS | CHANGE_VERBS | MORE_VERBS
"""Words that say little in a question about code."""
GERMAN_TOO = frozenset("bis den die hat habe haben war".split())
"""Words of German that say nothing, where two others show that a text is German: English has a use for some."""


def content_words(text: str) -> set[str]:
    """Stems of the words that a text is about, of three letters or more, for overlap; names of code stay whole."""
    words = set(WORD.findall(text.lower()))
    return {stem(w) for w in words - (STOP_WORDS | GERMAN_TOO if len(words & GERMAN) > 1 else STOP_WORDS)}
