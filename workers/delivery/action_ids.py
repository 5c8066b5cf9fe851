"""What buttons, menus, shortcuts and windows are called: renderers write these names, listeners read them."""

from __future__ import annotations

# --- on an answer: the value of each is the request id, of `FEEDBACK` "good:ID" or "bad:ID" ---------------------
PROOF = "answer:proof"
EVERYTHING = "answer:everything"
RERUN = "answer:rerun"
SHARE = "answer:share"
SAVE = "answer:save"
ALSO = "answer:also"
"""Ask what else was asked in the same message."""
FEEDBACK = "answer:feedback"

# --- menus by which an answer is narrowed: the block names the request, the value is the place of the option --------
NARROW_BLOCK = "narrow"
NARROW = "answer:narrow"
"""Each menu is called so, with its place behind a colon."""

# --- on a change that waits for its asker: the value is ``REQUEST_ID:PLACE`` -------------------------------------
CONFIRM = "proposal:confirm"
DECLINE = "proposal:decline"

# --- on a clarifying question: the block names request and turn, the value is what was meant --------------------
CLARIFY_BLOCK = "clarify"
CLARIFY_MENU = "clarify:menu"

# --- what is remembered of a person, on the Home tab: the value is its id -----------------------------------------
FORGET = "memory:forget"

# --- on the message that says how an incident stands -------------------------------------------------------------
INCIDENT_UPDATE = "incident:update"
INCIDENT_CATCHUP = "incident:catchup"
INCIDENT_EDIT = "incident:edit"
INCIDENT_PAUSE = "incident:pause"
"""Its value is ``pause`` or ``resume``."""

# --- windows (callback ids) and what is in them -----------------------------------------------------------------
ASK_VIEW = "ask"
ASK_WORDS = "question"
ASK_WHERE = "where"
"""The inputs of that window: the question, and the channel that is answered in."""
FEEDBACK_VIEW = "feedback"
PROOF_VIEW = "proof"
SETTINGS_VIEW = "settings"
TIMELINE_VIEW = "timeline"
TIMELINE_PICK = "timeline:pick"
"""The menu of entries in that window."""
PROOF_PAGE = "proof:page"
"""A button in the window; its value is "ID:PAGE"."""

# --- shortcuts (callback ids) -----------------------------------------------------------------------------------
ASK_ABOUT = "ask_about"
ASK_ANYTHING = "ask_anything"

# --- on the Home tab --------------------------------------------------------------------------------------------
HOME_ASK = "home:ask"
HOME_REFRESH = "home:refresh"
HOME_SETTINGS = "home:settings"
HOME_PROOF = "home:proof"
