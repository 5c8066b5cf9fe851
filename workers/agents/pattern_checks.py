"""Whether the known plans of agents can work: their tools, types of question, slots and the order of steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from workers.contracts import PatternEntry, PatternStep
from workers.engine.execute import ENGINE_SLOTS
from workers.ports import AgentModule
from workers.settings.load import Settings

OWN = frozenset(slot.partition(".")[0] for slot in ENGINE_SLOTS)


def check_patterns(settings: Settings, modules: Mapping[str, AgentModule]) -> Iterator[str]:
    """What is wrong with the patterns of all agents, a sentence each, with file and key."""
    for name, pattern in settings.tree.patterns.items():
        where = settings.where(f"patterns.{name}")
        if pattern.agent not in modules:
            yield f"{where}: {name}.agent: no agent named {pattern.agent!r} in agents.yaml"
            continue
        module = modules[pattern.agent]
        for i, kind in enumerate(pattern.question_types):
            if kind not in module.QUESTION_TYPES:
                place = f"{settings.where(f'patterns.{name}.question_types.{i}')}: {name}.question_types.{i}"
                yield f"{place}: agent {pattern.agent!r} has no {kind!r}; it has {', '.join(module.QUESTION_TYPES)}"
        for slot in pattern.requires:
            if slot not in module.PLAN_SLOTS:
                yield f"{where}: {name}.requires: nothing fills the slot {{{slot}}}"
        yield from check_steps(settings, name, pattern, module.PLAN_SLOTS)


def check_steps(settings: Settings, name: str, pattern: PatternEntry, slots: Collection[str]) -> Iterator[str]:
    """Steps have tools of the agent, names of their own, slots that are filled, and wait for earlier ones."""
    tools, seen = settings.tree.agents[pattern.agent].tools, set[str]()
    for i, step in enumerate(pattern.steps):
        place = f"{settings.where(f'patterns.{name}.steps.{i}')}: {name}.steps.{i}"
        if step.tool not in tools:
            yield f"{place}.tool: agent {pattern.agent!r} may not use {step.tool!r}"
        if step.id in seen:
            yield f"{place}.id: {step.id!r} stands twice"
        yield from (f"{place}.args: nothing fills the slot {{{slot}}}" for slot in unfilled(step, pattern, slots))
        yield from (f"{place}.after: no earlier step {before!r}" for before in step.after if before not in seen)
        seen.add(step.id)


def unfilled(step: PatternStep, pattern: PatternEntry, slots: Collection[str]) -> Iterator[str]:
    """Slots that nothing fills: neither known when the plan is made, nor a fact of a step this one waits for."""
    waits = {step.id: set(step.after) for step in pattern.steps}
    before, found = set[str](), list(step.after)
    while found:
        name = found.pop()
        before.add(name)
        found.extend(waits.get(name, set()) - before)
    for value in step.args.values():
        for names in re.findall(r"\{([^{}]+)\}", str(value)):
            for name in filter(None, names.split("|")):
                source, dot, _ = name.partition(".")
                known = name in ENGINE_SLOTS if source in OWN else source in before
                if not (known if dot else name in slots):
                    yield name
