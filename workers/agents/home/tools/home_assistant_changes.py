"""The tools that change a home. They propose; a person confirms, and then they run, once.

A routine that the configuration approved runs when it is ordered by its name, unless it touches what is guarded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from workers.agents.home.evidence import page_of, state_evidence
from workers.agents.home.language.vocabulary import RUN
from workers.agents.home.sections import HomeRoutine
from workers.agents.home.source.actions import ACTIONS, Change, plan_change
from workers.agents.home.source.apply import apply_changes
from workers.agents.home.source.find_entities import find_entities
from workers.agents.home.source.home import HomeAssistant, open_home
from workers.agents.home.source.model import State
from workers.agents.home.source.rest_client import AnswerLost
from workers.agents.home.source.routines import NOT_KNOWN, guarded_in, not_allowed_in
from workers.agents.home.source.selection import Selection, in_time, say_selection, select
from workers.agents.home.source.state_words import say_state
from workers.contracts import EntityInfo, Evidence, Fact, Proposal, ToolOutput
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.language.nearest_names import ranked_names
from workers.ports import ToolContext
from workers.toolkit.tool import Resources, Tool, ToolArgs

MOST_CHARS = 12_000
MOST_CHANGES = 100
MOST_SHOWN = 12


class ChangeOptions(BaseModel):
    """Options in ``config/tools.yaml``. ``wait_ms``: how long a change is waited for, before it is said that it
    is not seen yet; it has to fit into the agent's limit of one call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wait_ms: int = Field(550, ge=0, le=60_000)


class ChangeArgs(Selection, ToolArgs):
    """What is to be done with what: with which of the entities, and whether something has to hold before."""

    entities: str = Field("", max_length=MOST_CHARS, description="ids such as light.desk, or names, between commas")
    action: str = Field("", max_length=40, description=f"one of {', '.join(ACTIONS)}")
    value: str = Field("", max_length=40, description="of a set_ action: percent, degrees, a color's name, by +2")
    if_entities: str = Field("", max_length=MOST_CHARS, description="only if any of these is as the if_ arguments say")
    if_state: str = Field("", max_length=40, description="on, off, open, closed, locked …")
    if_none: bool = Field(False, description="only if none is")
    if_above: float | None = None
    if_below: float | None = None
    if_inclusive: bool = False
    if_longer_s: float = 0
    if_shorter_s: float = 0
    changes: list[dict[str, Any]] = Field(
        default_factory=list, max_length=MOST_CHANGES, description="leave empty; a proposal holds its changes here"
    )


class RoutineArgs(ToolArgs):
    """Which routine, and the guarded things in it that whoever confirmed it saw."""

    name: str = Field("", max_length=200, description="name of a routine of the configuration, or one of its phrases")
    guarded: list[str] = Field(default_factory=list, max_length=MOST_CHANGES, description="leave empty")


class HomeChanging:
    """The tools' functions, over one home."""

    def __init__(self, home: HomeAssistant, wait_s: float) -> None:
        self.home, self.wait_s = home, wait_s

    def propose(self, args: ChangeArgs, context: ToolContext) -> ToolOutput:
        """What would change, as a proposal with each entity's service, data, and state before and after.

        Returns: ``data = {changes: [{entity, service, data, attribute, before, after, words}], left_out}``.

        Raises: ToolArgumentError: as `plan_change`, or nothing is named; ToolDenied: it may not be changed.
        """
        if not args.entities.strip():
            raise ToolArgumentError("entities is empty; name what is to be changed")
        if args.action not in ACTIONS:
            raise ToolArgumentError(f"there is no action {args.action!r}", tuple(ACTIONS))
        entities = find_entities(self.home.home.entities, args.entities)
        now = self.home.states()
        entities, left_out = self.allowed(entities)
        self.check(entities, now)
        needed, holds = self.condition(args, now, context)
        if not holds:
            return ToolOutput(summary="nothing is proposed: it is not so", evidence=needed)
        if args.asks:
            picked = select([(e, now[e.id]) for e in entities if e.id in now], args, context.now)
            left_out += [f"{e.name} is not known" for e in picked.unknown]
            left_out += [] if picked.matching else [f"nothing of that is {say_selection(args)}"]
            entities = [e for e, _ in picked.matching]
        changes: list[Change] = []
        already: list[EntityInfo] = []
        for entity in entities:
            if entity.id not in now:
                left_out.append(f"{entity.name} has no state")
                continue
            try:
                change = plan_change(args.action, args.value, entity, now[entity.id])
            except ToolArgumentError as error:
                if len(entities) == 1:
                    raise
                left_out.append(str(error))
                continue
            if change is None:
                already.append(entity)
            else:
                changes.append(change)
        if not changes:
            said = ", ".join(
                f"{e.name} is {say_state(now[e.id], e.device_class)} already" for e in already[:MOST_SHOWN]
            )
            return ToolOutput(
                status="ok" if already else "empty",
                summary=f"nothing would change: {said}",
                reason="; ".join(left_out)[:400],
                evidence=tuple(
                    state_evidence(e, now[e.id], self.home.access.url, context.now) for e in already[:MOST_SHOWN]
                ),
            )
        if len(changes) > MOST_CHANGES:
            raise ToolArgumentError(f"that would change {len(changes)} things at once, at most {MOST_CHANGES} may be")
        output = self.proposed(
            args, [e for e in entities if e.id in {c.entity for c in changes}], changes, left_out, now
        )
        return output.model_copy(update={"evidence": (*output.evidence, *needed)})

    def allowed(self, entities: list[EntityInfo]) -> tuple[list[EntityInfo], list[str]]:
        """Those that may be changed, and why others are left out; all of them when none may be."""
        kept = [e for e in entities if e.domain in self.home.access.change_domains]
        return kept or entities, [f"{e.name} may not be changed here" for e in entities if kept and e not in kept]

    def condition(
        self, args: ChangeArgs, now: Mapping[str, State], context: ToolContext
    ) -> tuple[tuple[Evidence, ...], bool]:
        """The states that have to be so before something is proposed, and whether one of them is."""
        if not args.if_entities.strip():
            return (), True
        known = find_entities(self.home.home.entities, args.if_entities)
        wanted = Selection(
            state=args.if_state,
            above=args.if_above,
            below=args.if_below,
            inclusive=args.if_inclusive,
            longer_s=args.if_longer_s,
            shorter_s=args.if_shorter_s,
        )
        seen = [(e, now[e.id]) for e in known if e.id in now]
        picked = select(seen, wanted, context.now)
        matching = picked.matching
        so = not (matching or picked.unknown) if args.if_none else bool(matching)
        asked = Fact(value=say_selection(wanted))
        needed = []
        for entity, state in (matching or seen)[:MOST_SHOWN]:
            told = state_evidence(entity, state, self.home.access.url, context.now)
            holds = Fact(value=so)
            needed.append(told.model_copy(update={"facts": {**told.facts, "needed": asked, "holds": holds}}))
        return tuple(needed), so

    def proposed(
        self,
        args: ChangeArgs,
        entities: Sequence[EntityInfo],
        changes: Sequence[Change],
        left_out: Sequence[str],
        now: Mapping[str, State],
    ) -> ToolOutput:
        """The proposal, with one piece of evidence for each thing that would change, and what a scene touches."""
        touched = [line for e in entities if e.domain in RUN for line in self.touched(e, now)]
        title = title_of(args, entities, changes)
        words = {c.entity: c.words for c in changes}
        lines = [f"{e.name} ({e.id}): {words[e.id]}" for e in entities]
        lines += [f"touches {line}" for line in touched]
        rows = [asdict(c) for c in changes]
        kept = {"entities": ", ".join(c.entity for c in changes), "action": args.action, "value": args.value}
        evidence = tuple(
            Evidence(
                kind="event",
                title=e.name,
                locator=e.id,
                url=page_of(self.home.access.url, e.id),
                excerpt=f"{e.name}: {words[e.id]}",
                facts={
                    "name": Fact(value=e.name, entity=e.id),
                    "move": Fact(value=words[e.id], entity=e.name),
                    **(
                        {"touches": Fact(value=", ".join(self.touched(e, now)), entity=e.name)}
                        if e.domain in RUN
                        else {}
                    ),
                },
            )
            for e in entities[:MOST_SHOWN]
        )
        return ToolOutput(
            summary=f"proposed, not done: {title}",
            data={"changes": rows, "left_out": list(left_out)},
            reason="; ".join(left_out)[:400],
            evidence=evidence,
            proposals=(
                Proposal(
                    tool="home_assistant_change",
                    args={**kept, "changes": rows},
                    title=title,
                    preview="\n".join(lines),
                ),
            ),
        )

    def touched(self, scene: EntityInfo, now: Mapping[str, State]) -> list[str]:
        """What a scene or script touches, by name, each with its state now."""
        members = now[scene.id].attributes.get("entity_id") if scene.id in now else None
        ids = members if isinstance(members, list | tuple) else sorted(self.home.home.touches.get(scene.id) or ())
        known = self.home.home.entities
        return [
            f"{known[i].name} (now {say_state(now[i], known[i].device_class)})" if i in known and i in now else str(i)
            for i in map(str, ids)
        ]

    def check(self, entities: Sequence[EntityInfo], now: Mapping[str, State]) -> None:
        """Raises: ToolDenied: the configuration does not let some of them be changed, or what a scene changes."""
        allowed = self.home.access.change_domains
        if refused := [e for e in entities if e.domain not in allowed]:
            kinds = ", ".join(sorted({e.domain for e in refused}))
            names = ", ".join(e.name for e in refused[:3])
            raise ToolDenied(f"{names}: {kinds} may not be changed here (home_assistant.change_domains)")
        for entity in entities:
            if entity.domain in RUN and entity.id in now and (inside := not_allowed_in(now[entity.id], allowed)):
                what = "what it touches is not known" if NOT_KNOWN in inside else f"it touches {', '.join(inside[:3])}"
                raise ToolDenied(f"{entity.name}: {what}; name it under home_assistant.routines")

    def run(self, args: ChangeArgs, context: ToolContext) -> ToolOutput:
        """Make the changes that were confirmed, and say how everything is afterwards; ``timeout`` when it is not as it
        should be in time.

        Raises: ToolDenied: something changed meanwhile, or may not be changed any more. ToolUnavailable.
        """
        changes = [Change(**row) for row in args.changes]
        known = self.home.home.entities
        if not changes:
            raise ToolArgumentError("this holds no changes")
        if gone := [c.entity for c in changes if c.entity not in known]:
            raise ToolDenied(f"{', '.join(gone[:3])} is not there any more; nothing was changed")
        self.check([known[c.entity] for c in changes], self.home.states())
        try:
            result = apply_changes(self.home, changes, self.wait_s)
        except AnswerLost as error:
            return ToolOutput(status="timeout", reason=str(error))
        entities = [known[c.entity] for c in changes]
        seen = [(e, result.states[e.id]) for e in entities if e.id in result.states]
        late = [f"{e.name} still says {say_state(s, e.device_class)}" for e, s in seen if e.id in result.late]
        said = [
            f"{e.name} was run" if e.domain in RUN else f"{e.name} is {say_state(s, e.device_class)}"
            for e, s in seen
            if e.id not in result.late
        ]
        more = [f"and {len(said) - MOST_SHOWN} more"] if len(said) > MOST_SHOWN else []
        summary = ", ".join([*said[:MOST_SHOWN], *more])
        evidence = tuple(state_evidence(e, s, self.home.access.url, context.now) for e, s in seen[:MOST_SHOWN])
        data = {"late": list(result.late), "states": {e.id: s.value for e, s in seen}}
        if not late:
            return ToolOutput(summary=summary, data=data, evidence=evidence)
        sent = f"the order was sent, but after {self.wait_s:g} s {', '.join(late[:MOST_SHOWN])}"
        reason = f"{summary}; {sent}" if summary else sent
        return ToolOutput(status="timeout", reason=reason, data=data, evidence=evidence)

    def routine(self, name: str) -> tuple[str, HomeRoutine]:
        """A routine by its name or a phrase. Raises: ToolArgumentError: there is none of that name."""
        wanted = name.strip().lower()
        known = self.home.access.routines
        for own, routine in known.items():
            if wanted in {own.lower(), *(phrase.lower() for phrase in routine.phrases)}:
                return own, routine
        near = ranked_names(name, known, 5)
        raise ToolArgumentError(f"no routine of the configuration is called {name!r}", near)

    def propose_routine(self, args: RoutineArgs, context: ToolContext) -> ToolOutput:
        """A routine, with what it touches. Raises: ToolArgumentError."""
        del context
        name, routine = self.routine(args.name)
        guarded = guarded_in(self.home.home, routine.entity)
        touched = sorted(self.home.home.touches.get(routine.entity) or ())
        known = self.home.home.entities
        lines = [f"{routine.entity} is run"]
        lines += [
            f"touches {known[t].name if t in known else t}{' (guarded)' if t in guarded else ''}" for t in touched
        ]
        lines += ["what it touches is not known"] if NOT_KNOWN in guarded else []
        title = f"Run the routine {name}"
        proposal = Proposal(
            tool="home_assistant_routine",
            args={"name": name, "guarded": list(guarded)},
            title=title,
            preview="\n".join(lines),
        )
        return ToolOutput(summary=f"proposed, not done: {title}", data={"touches": touched}, proposals=(proposal,))

    def run_routine(self, args: RoutineArgs, context: ToolContext) -> ToolOutput:
        """Run it, and say what changed. Raises: ToolArgumentError, ToolDenied, ToolUnavailable."""
        name, routine = self.routine(args.name)
        self.home.renew()
        guarded = guarded_in(self.home.home, routine.entity)
        if tuple(args.guarded) != guarded:
            what = "something that is not known" if NOT_KNOWN in guarded else ", ".join(guarded) or "less than before"
            raise ToolDenied(f"{name} touches {what}, which was not confirmed; nothing was run")
        known, before = self.home.home.entities, self.home.states()
        service = f"{routine.entity.partition('.')[0]}.turn_on"
        try:
            ended = self.home.rest.call_service(service, [routine.entity], {}, self.wait_s)
        except AnswerLost as error:
            return ToolOutput(status="timeout", reason=f"{name}: {error}")
        try:
            after = self.home.states()
        except ToolUnavailable as error:
            return ToolOutput(status="timeout", reason=f"{name} was run, and how things are now is not known ({error})")
        moved = [
            e
            for e in known.values()
            if e.id in before and e.id in after and e.id != routine.entity and before[e.id].value != after[e.id].value
        ]
        said = ", ".join(
            f"{e.name} {say_state(before[e.id], e.device_class)} → {say_state(after[e.id], e.device_class)}"
            for e in moved[:MOST_SHOWN]
        )
        evidence = tuple(state_evidence(e, after[e.id], self.home.access.url, context.now) for e in moved[:MOST_SHOWN])
        ran = f"{name} was run" if ended else f"{name} was started and has not ended after {self.wait_s:g} s"
        summary = f"{ran}: {said}" if said else f"{ran}; no state changed by now"
        return ToolOutput(summary=summary, data={"changed": [e.id for e in moved]}, evidence=evidence)


def title_of(args: ChangeArgs, entities: Sequence[EntityInfo], changes: Sequence[Change]) -> str:
    """``Turn off 3 lights in the Lab``, ``Set the brightness of Desk lamp to 30 %``."""
    action = ACTIONS[args.action]
    domains, areas = {e.domain for e in entities}, {e.area for e in entities}
    if len(entities) == 1:
        what = entities[0].name
    else:
        kind = next(iter(domains)).replace("_", " ") if len(domains) == 1 else "thing"
        plural = f"{kind}es" if kind.endswith(("s", "ch")) else f"{kind}s"
        floors = {e.floor for e in entities}
        place = next(iter(areas)) if len(areas) == 1 else next(iter(floors)) if len(floors) == 1 else ""
        inside = f" in the {place}" if place and len(areas) == 1 else f", {place}" if place else ""
        what = f"{len(entities)} {plural}{inside}"
    to = f" to {changes[0].words.rpartition('→')[2].strip()}" if action.key else ""
    verb = "run" if domains <= RUN else action.verb
    return f"{verb[0].upper()}{verb[1:]} {what}{to}"


def build_home_assistant_change(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    changing = HomeChanging(resources.shared(open_home), ChangeOptions.model_validate(options).wait_ms / 1000)
    return Tool(
        name="home_assistant_change",
        purpose="propose a change of the home",
        description="Propose to switch, open, lock or set things of the home. A person confirms it first.",
        access="write",
        args=ChangeArgs,
        run=changing.run,
        propose=in_time(changing.propose),
        prepare=changing.home.prepare,
        personal=True,
        source="Home Assistant",
        key="home_assistant.url",
    )


def build_home_assistant_routine(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    changing = HomeChanging(resources.shared(open_home), ChangeOptions.model_validate(options).wait_ms / 1000)
    return Tool(
        name="home_assistant_routine",
        purpose="propose to run a routine of the home",
        description="Propose to run a scene or script that the configuration names as a routine.",
        access="write",
        args=RoutineArgs,
        run=changing.run_routine,
        propose=in_time(changing.propose_routine),
        prepare=changing.home.prepare,
        personal=True,
        source="Home Assistant",
        key="home_assistant.url",
    )
