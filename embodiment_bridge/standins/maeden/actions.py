# SPDX-License-Identifier: Apache-2.0
"""The effects of commands in the world of the stand-in, and their energy."""

from collections.abc import Callable, Mapping
from typing import Final

from embodiment_bridge.standins.maeden.world import Agent, Said, World

TOOLS: Final = {
    ("K", "#"): 2,
    ("T", "@"): 15,
    ("G", "R"): 2,
}  # tool and obstacle that it removes, with the energy
CARRIED: Final = frozenset("KTG+$")
DEADLY_IN_QUICKSAND: Final = frozenset("lrgduw")
HIT: Final = 100
KILLED: Final = -1


class NoAnswerError(Exception):
    """A command that breaks the cycle of the simulator: later agents are not processed, and nothing is answered."""


def perform(world: World, agent: Agent, line: str) -> None:
    """Carry out one command of one agent, as words.

    Raises:
        NoAnswerError: the command breaks the cycle.
    """
    if not line:
        raise NoAnswerError
    letter, words = line[0].lower(), line.split()
    thing = words[1][0].upper() if len(words) > 1 and not line[0].isspace() else ""
    agent.ok = True
    if letter in DEADLY_IN_QUICKSAND and "Q" in world.at(agent.pose.place):
        agent.dead += 1
    if letter in _SENTENCES:
        _communicate(world, agent, words)
    elif letter in _ACTIONS:
        _ACTIONS[letter](world, agent, thing)
    if agent.energy <= 0:
        agent.dead += 1


def _step(action: str) -> Callable[[World, Agent, str], None]:
    def step(world: World, agent: Agent, _: str) -> None:
        agent.energy -= 5
        after = agent.pose.moved(action)
        if not world.inside(after.place):
            raise NoAnswerError
        agent.ok = world.can_enter(agent, after.place)
        if agent.ok:
            world.move(agent, after)

    return step


def _turn(action: str) -> Callable[[World, Agent, str], None]:
    def turn(_world: World, agent: Agent, _: str) -> None:
        agent.energy -= 3
        agent.pose = agent.pose.moved(action)

    return turn


def _grab(world: World, agent: Agent, thing: str) -> None:
    agent.energy -= 2
    here = [item for item in world.at(agent.pose.place) if item in CARRIED]
    wanted = thing or (here[0] if here else "")
    agent.ok = wanted in here and len(agent.carried) < world.rules.capacity
    if not agent.ok:
        return
    supply = wanted == "+" and agent.pose.place in world.supplies and here.count("+") == 1
    if supply:
        agent.ok = world.time - world.supplies[agent.pose.place] > world.rules.regrow
        if not agent.ok:
            return
        world.supplies[agent.pose.place] = world.time
    else:
        world.remove(agent.pose.place, wanted)
    agent.carried.insert(0, wanted)


def _drop(world: World, agent: Agent, thing: str) -> None:
    agent.energy -= 1
    wanted = thing or (agent.carried[0] if agent.carried else "")
    agent.ok = wanted in agent.carried
    if agent.ok:
        agent.carried.remove(wanted)
        world.put(agent.pose.place, wanted)


def _use(world: World, agent: Agent, thing: str) -> None:
    tool = thing or (agent.carried[0] if agent.carried else "")
    if tool not in agent.carried:
        agent.ok = False
        agent.energy -= 1
    elif tool == "+":
        _eat(world, agent)
    else:
        _use_tool(world, agent, tool)


def _eat(world: World, agent: Agent) -> None:
    if world.eating_ends:
        agent.ate = True
    else:
        agent.carried.remove("+")
        agent.energy += world.rules.meal


def _use_tool(world: World, agent: Agent, tool: str) -> None:
    ahead = agent.pose.cell(1, 0)
    things = world.at(ahead)
    for target in things:
        if (tool, target) in TOOLS:
            agent.energy -= TOOLS[tool, target]
            world.remove(ahead, target)
            if tool == "K":
                agent.carried.remove(tool)
            return
    agent.ok = False
    agent.energy -= world.rules.swing if tool == "T" else 0
    agent.energy -= 0 if things or any(world.standing_at(ahead)) else 1


def _wait(world: World, agent: Agent, _: str) -> None:
    agent.energy -= 1


def _attack(world: World, agent: Agent, _: str) -> None:
    agent.energy -= 15
    victim = next(world.standing_at(agent.pose.cell(1, 0)), None)
    if victim is not None:
        victim.energy -= HIT
    elif world.at(agent.pose.cell(1, 0)):
        agent.energy -= 5


def _kill(world: World, agent: Agent, _: str) -> None:
    agent.energy = KILLED


def _communicate(world: World, agent: Agent, words: list[str]) -> None:
    agent.energy -= 4 if words[0].lower() == "shout" else 2
    sentence = _sentence(words)
    if sentence is None or not world.rules.hears:
        return
    for other in world.agents.values():
        if other is not agent:
            other.said.append(Said(agent.id, agent.pose.place, words[0], sentence))


def _sentence(words: list[str]) -> str | None:
    """The sentence as others hear it; None if it is ignored."""
    try:
        match words[1].lower():
            case "command":
                name, subject, payment = words[2:5]
                return f"({words[1]} {name} {subject}) {int(payment)}"
            case "question":
                kind, subject = words[2:4]
                answer = f" {words[4]}" if len(words) > 4 else ""
                return f"({words[1]} {kind} {subject}{answer})"
    except (IndexError, ValueError):
        raise NoAnswerError from None
    return None


_SENTENCES: Final = frozenset("ts")
_ACTIONS: Mapping[str, Callable[[World, Agent, str], None]] = {
    "f": _step("forward"),
    "b": _step("backward"),
    "l": _turn("left"),
    "r": _turn("right"),
    "g": _grab,
    "d": _drop,
    "u": _use,
    "w": _wait,
    "a": _attack,
    "k": _kill,
}
