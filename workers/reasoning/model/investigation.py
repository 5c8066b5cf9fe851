"""The loop in which a language model investigates: it calls tools, sees what came back, and writes the answer itself.

One conversation from the first call to the last claim. Tools, limits and evidence are the engine's (`Workbench`).
A claim that fails comes back with its reason and is mended once, by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from workers.contracts import SECTIONS, Ambiguity, Claim, Draft, Option, Step, Verdict
from workers.errors import ModelFailed
from workers.ports import Brief, CheckedClaim, Finding, ToolSpec, Workbench
from workers.reasoning.model import own_tools
from workers.reasoning.model.model_call import Reply, ToolUse, first_object
from workers.reasoning.model.own_tools import ANSWER, ASK_BACK, OWN_NAMES, READ_MORE, TODO
from workers.reasoning.model.replies.all_clear import against_all_clear
from workers.reasoning.model.replies.allowed_words import (
    MARKUP,
    Known,
    Unusable,
    invented,
    known_to,
    plain,
    steers,
    tells,
)
from workers.reasoning.model.replies.answer import (
    CITED,
    AnswerReply,
    Mended,
    MendReply,
    draft_from,
    mended,
    reply_from_prose,
)
from workers.reasoning.model.structured_call import checked, short
from workers.reasoning.model.transcript import Transcript
from workers.reasoning.model.untrusted_data import args_of, as_data, output_lines, visible
from workers.reasoning.model.verification import NOT_SAID

LAST_TURNS = 3
"""Turns after the last one with tools, for the answer and its mending."""
WRAP_UP = 0.75
"""So much of a budget may be used before the answer is asked for."""
FEWEST_OPTIONS, MOST_OPTIONS = 2, 5
ENOUGH = (
    "No more calls of sources are possible ({why}). Call `answer` now, with what you know; name what is open under "
    "`missing`."
)
MOST_PROSE = 2
"""Messages without a call until the answer is forced; one that cites evidence forces it at once."""
NO_CALL = "Nobody reads this text. Go on with calls, or call `answer`."
TOO_LONG = "Your last message did not fit. Say less in it."
UNJUDGED = "No verifier judged the meaning of the marked sentences; their numbers, names and links were checked."
FAILED = "These claims do not hold. Call `mend` with each of them corrected, or with an empty text to leave it out:"
Ask = Callable[[Transcript, str], Reply]
"""Sends the conversation, with the tool that has to be called or an empty name; returns what the model says next.
Raises: ModelFailed."""
Verify = Callable[[Sequence[CheckedClaim]], Mapping[str, tuple[str, str]]]
"""Claims -> by id what a verifier says of each: entailed, partly or not, and the line that decides."""


@dataclass
class Investigation:
    """One investigation.

    ``used``: how much of the request's budget is used, 0 to 1. ``told``: what the model was told, which no claim may
    repeat. ``over``: why no source is called any more; ``refused``: one was called all the same. Of the claims of
    ``draft``, by their ids: ``struck``, those that code will strike again; ``failed``, why they may not be shown;
    ``unsure``, what their evidence says only in part; ``unjudged``, those whose meaning the verifier did not judge.
    """

    brief: Brief
    bench: Workbench
    transcript: Transcript
    ask: Ask
    verify: Verify
    used: Callable[[], float]
    tools: Mapping[str, ToolSpec]
    types: Mapping[str, str]
    max_turns: int
    most_chars: int
    told: str
    made: dict[str, str] = field(default_factory=dict)
    draft: Draft | None = None
    question_type: str = ""
    struck: frozenset[str] = frozenset()
    failed: dict[str, str] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    unjudged: frozenset[str] = frozenset()
    over: str = ""
    refused: bool = False
    number: int = 0

    def run(self) -> Finding:
        """Take turns until there is an answer or a question back; an answer that nobody mends stands as it is.

        Raises:
            ModelFailed: there is none.
        """
        prose, without_call = "", 0
        for turn in range(self.max_turns + LAST_TURNS):
            self.transcript.shorten(self.most_chars)
            written = without_call >= MOST_PROSE or bool(CITED.search(prose))
            last_chance = self.draft is None and (written or self.refused or turn > self.max_turns)
            try:
                reply = self.next_reply(ANSWER if last_chance else "")
            except ModelFailed:
                if self.draft is None and not self.take_prose(prose):
                    raise
                break
            self.transcript.add_reply(reply)
            if not reply.tool_uses:
                if finding := self.read_text(reply.text):
                    return finding
                prose, without_call = reply.text or prose, without_call + 1
                if last_chance or self.draft is not None:
                    break
                self.transcript.add_results((), NO_CALL)
                continue
            finding = self.take_turn(reply.tool_uses, self.enough(turn + 1))
            if finding is not None:
                return finding
        if self.draft is not None or self.take_prose(prose):
            return self.finding()
        raise ModelFailed("it came to no answer")

    def next_reply(self, forced: str) -> Reply:
        """What the model says next; a message that was too long is asked for once more. ``forced``: see `Ask`."""
        try:
            return self.ask(self.transcript, forced)
        except ModelFailed as error:
            if not error.mendable:
                raise
        last = self.transcript.messages[-1]["content"]
        last.append({"type": "text", "text": TOO_LONG})
        return self.ask(self.transcript, forced)

    def enough(self, turns: int) -> str:
        """Why no more sources may be called; empty while they may."""
        if turns >= self.max_turns:
            return f"{self.max_turns} turns were taken"
        if self.bench.calls_left <= 0:
            return "all calls are made"
        return "the budget for this question is nearly used" if self.used() >= WRAP_UP else ""

    # --- one turn ---------------------------------------------------------------------------------------------

    def take_turn(self, uses: Sequence[ToolUse], enough: str) -> Finding | None:
        """Answer every call of a turn; the investigation ends with an answer that holds, or with a question back."""
        sources = [use for use in uses if use.name not in OWN_NAMES]
        told = self.call_sources(sources)
        results = []
        finding: Finding | None = None
        for use in uses:
            if use.name in OWN_NAMES:
                text, wrong, ended = self.use_own(use, alone=not sources)
                finding = finding or ended
            else:
                text, wrong = told[use.id]
            results.append((use.id, text, wrong))
        self.over = enough
        notes = (ENOUGH.format(why=enough),) if enough and self.draft is None else ()
        self.transcript.add_results(results, *notes)
        return finding

    def call_sources(self, uses: Sequence[ToolUse]) -> dict[str, tuple[str, bool]]:
        """What each call came to, as the model is told it: its first page, or that it was made before."""
        told: dict[str, tuple[str, bool]] = {}
        steps: list[tuple[ToolUse, Step]] = []
        for use in uses:
            args = args_of(use.args)
            key = json.dumps([use.name, args], sort_keys=True)
            if key in self.made:
                told[use.id] = f"The same call as before: see result {self.made[key]}.", False
            elif use.name not in self.tools:
                told[use.id] = f"There is no tool {use.name}; there are {', '.join(self.tools)}.", True
            elif self.over or len(steps) >= self.bench.calls_left:
                self.refused = self.refused or bool(self.over)
                told[use.id] = ENOUGH.format(why=self.over or "all calls are made"), True
            else:
                self.number += 1
                purpose = self.tools[use.name].purpose
                steps.append((use, Step(id=f"call_{self.number}", tool=use.name, args=args, purpose=purpose)))
                self.made[key] = f"of {use.name} in this turn"
        outputs = self.bench.call([step for _, step in steps]) if steps else ()
        for (use, step), output in zip(steps, outputs, strict=True):
            told[use.id] = self.transcript.keep(use.id, output_lines(output)), output.status == "error"
            self.made[json.dumps([step.tool, step.args], sort_keys=True)] = self.transcript.places[use.id]
        return told

    def use_own(self, use: ToolUse, *, alone: bool) -> tuple[str, bool, Finding | None]:
        """What a call of an own tool came to: words for the model, whether they are an error, and the end."""
        try:
            if use.name == TODO:
                return self.show_todo(checked(own_tools.TodoReply, use.args)), False, None
            if use.name == READ_MORE:
                return self.read_more(use.id, checked(own_tools.ReadMoreReply, use.args)), False, None
            if not alone:
                return "Call it by itself, when the results of your other calls are read.", True, None
            if use.name == ASK_BACK:
                return "Asked.", False, Finding(ambiguity=self.ambiguity(checked(own_tools.AskBackReply, use.args)))
            reply = checked(AnswerReply, use.args) if use.name == ANSWER else checked(MendReply, use.args)
            return self.take_answer(reply)
        except Unusable as error:
            return short(str(error)), True, None

    def show_todo(self, reply: own_tools.TodoReply) -> str:
        """Show the list; an item that names what nobody named is not shown."""
        known = self.known()
        items = [(plain(item.text, known), item.status) for item in reply.items[: own_tools.MOST_ITEMS]]
        self.bench.show([(text, status) for text, status in items if text and not tells(text, self.told)])
        return "Shown."

    def known(self) -> Known:
        """What may be named: by people, by names that exist, by what was found."""
        return known_to(self.brief.question, self.brief.landscape).plus(self.transcript.results.values())

    def read_more(self, use_id: str, reply: own_tools.ReadMoreReply) -> str:
        """A page of a result. Raises: Unusable: there is none of that name."""
        try:
            page = self.transcript.read(reply.result, reply.offset)
        except KeyError:
            named = ", ".join(self.transcript.results) or "none yet"
            raise Unusable(f"there is no result {reply.result}; there are: {named}") from None
        self.transcript.places[use_id] = reply.result
        return page

    def ambiguity(self, reply: own_tools.AskBackReply) -> Ambiguity:
        """A question back as it may be asked. Raises: Unusable: it names what does not exist."""
        known = self.known()
        told = " ".join(visible(reply.question).split())
        options = tuple(dict.fromkeys(" ".join(visible(o).split()) for o in reply.options if o.strip()))[:MOST_OPTIONS]
        if len(options) < FEWEST_OPTIONS:
            raise Unusable("a question back needs two options or more")
        for text in (told, *options):
            if odd := (*invented(text, known), *MARKUP.findall(text)):
                raise Unusable(f"it names {odd[0]}, which nobody named")
            if steers(text) or tells(text, self.told):
                raise Unusable("a question back only asks: it says nothing of how things stand, and gives no orders")
        return Ambiguity(question=told, options=tuple(Option(value=o, label=o) for o in options))

    # --- the answer -------------------------------------------------------------------------------------------

    def read_text(self, text: str) -> Finding | None:
        """The answer in words of a model that writes it as an object instead of calling the tool."""
        found = first_object(text)
        try:
            reply = AnswerReply.model_validate_json(found)
            self.take_answer(reply)
        except (ValidationError, Unusable):
            return None
        return self.finding() if self.draft is not None else None

    def take_answer(self, reply: AnswerReply | MendReply) -> tuple[str, bool, Finding | None]:
        """Check a draft, or one with claims mended; what fails is told once. Raises: Unusable."""
        evidence, again = self.bench.evidence, self.draft is not None
        if isinstance(reply, MendReply):
            if self.draft is None:
                raise Unusable("there is no answer to mend; call `answer`")
            wrong, asked = tuple({**self.failed, **self.unsure}), self.brief.question.text
            better = mended(self.draft, reply, wrong, evidence, asked, self.told)
            self.hold(better.draft, better)
        else:
            draft = draft_from(reply, evidence, self.brief.question.text, self.told)
            self.question_type = reply.question_type if reply.question_type in self.types else ""
            self.hold(draft, None)
        if again or not (self.failed or self.unsure):
            return "Taken.", False, self.finding()
        return self.complaint(), True, None

    def take_prose(self, text: str) -> bool:
        """Take the sentences of prose that cite their evidence for the answer; whether there are any."""
        try:
            reply = reply_from_prose(text, self.bench.evidence)
            self.hold(draft_from(reply, self.bench.evidence, self.brief.question.text, self.told), None)
        except Unusable:
            return False
        return True

    def hold(self, draft: Draft, better: Mended | None) -> None:
        """Note what of a draft fails, for code or for the verifier; of a mended one only what is new is verified."""
        failed, unsure, unjudged, self.draft = self.failed, self.unsure, self.unjudged, draft
        evidence = self.bench.evidence
        claims = self.bench.check(draft, self.question_type)
        self.struck = frozenset(c.id for c in claims if c.failure)
        claims = tuple(replace(c, failure=c.failure or against_all_clear(c.text, evidence)) for c in claims)
        self.failed, self.unsure = {c.id: c.failure for c in claims if c.failure}, {}
        kept = {now: was for now, was in better.origin.items() if now not in better.changed} if better else {}
        wanted = [c for c in claims if verifiable(c) and c.id not in kept]
        verdicts = self.verify(wanted) if wanted else {}
        self.unjudged = frozenset(c.id for c in wanted if c.id not in verdicts)
        for claim in wanted:
            verdict, line = verdicts.get(claim.id, ("", ""))
            if verdict == "not":
                self.failed[claim.id] = f"{NOT_SAID}: {line}"
            elif verdict == "partly":
                self.unsure[claim.id] = f"the evidence says this only in part: {line}"
        for now, was in kept.items():
            if was in failed:
                self.failed.setdefault(now, failed[was])
            elif was in unsure:
                self.unsure[now] = unsure[was]
        self.unjudged |= {now for now, was in kept.items() if was in unjudged}

    def complaint(self) -> str:
        """What fails, and why, for the model."""
        lines = [{"id": i, "reason": short(why)} for i, why in {**self.failed, **self.unsure}.items()]
        return f"{FAILED}\n<data>{as_data(lines)}</data>"

    def finding(self) -> Finding:
        """The draft as the verifier leaves it, with what it refuted; what code refuted it will refute again."""
        if self.draft is None:
            raise ModelFailed("it came to no answer")
        verdicts = (Verdict(id=i, verdict="struck", reason=NOT_SAID) for i in self.failed if i not in self.struck)
        draft = judged(self.draft, self.unsure, self.unjudged)
        return Finding(draft, self.question_type, tuple(verdicts))


def verifiable(claim: CheckedClaim) -> bool:
    """Whether evidence can bear a claim out: it cites some, and code let it pass."""
    return bool(claim.evidence) and not claim.failure


def judged(draft: Draft, unsure: Container[str], unjudged: Collection[str]) -> Draft:
    """A draft whose claims say how far a verifier bore them out: those in part are hypotheses, and steps advice."""

    def mark(claim: Claim, name: str) -> Claim:
        if name in unsure:
            step = name.startswith("next_steps.")
            return claim.model_copy(update={"note": "advice"} if step else {"status": "hypothesis"})
        return claim.model_copy(update={"note": "unjudged"}) if name in unjudged else claim

    fields: dict[str, Any] = {s: tuple(mark(c, f"{s}.{i}") for i, c in enumerate(getattr(draft, s))) for s in SECTIONS}
    lines = (draft.banner, UNJUDGED if unjudged else None)
    banner = " ".join(line for line in lines if line) or None
    return draft.model_copy(update={**fields, "headline": mark(draft.headline, "headline"), "banner": banner})
