# SPDX-License-Identifier: Apache-2.0
"""One cycle of the stand-in in each dialect: commands read, packets written, for all agents. No I/O."""

import json
from collections.abc import Mapping
from typing import Any, Final

from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.grid.pose import Place
from embodiment_bridge.protocols.maeden.command_writer import DIRECTIONS
from embodiment_bridge.protocols.maeden.events import Message, Percept
from embodiment_bridge.protocols.maeden.packets import COUNT, write_json, write_lines
from embodiment_bridge.standins.maeden.actions import NoAnswerError, perform
from embodiment_bridge.standins.maeden.world import Agent, Said, World

AHEAD: Final = range(-1, 6)
SIDES: Final = range(-2, 3)
DIRECTION_WORDS: Final = {word[0]: word for word in DIRECTIONS}


def seen_by(world: World, agent: Agent, status: str = "CONTINUE") -> Percept:
    """The percept of an agent. The view has rows from behind to ahead, cells from left to right."""
    view = tuple(tuple(_cell(world, agent.pose.cell(ahead, side)) for side in SIDES) for ahead in AHEAD)
    others = (str(other.id) for other in world.standing_at(agent.pose.place) if other is not agent)
    return Percept(
        offset=0,
        dialect=world.rules.dialect,
        status=status,
        smell=world.smell(agent),
        inventory=tuple(agent.carried),
        view=view,
        ground=(*world.at(agent.pose.place), *others),
        messages=tuple(_heard(agent, said) for said in agent.said),
        energy=agent.energy,
        ok=agent.ok,
        world_time=world.time,
        raw="",
    )


def _cell(world: World, place: Place) -> tuple[str, ...]:
    return (*world.at(place), *(_shown(world, other) for other in world.standing_at(place)))


def _shown(world: World, agent: Agent) -> str:
    return "A" if world.rules.hides_ids and agent.id > 9 else str(agent.id)


def _heard(agent: Agent, said: Said) -> Message:
    """A message with its direction from the hearer's present pose, after its action of this cycle."""
    direction = DIRECTION_WORDS[agent.bearing(said.place)]
    raw = f"({said.speaker} {direction} {said.volume} {said.sentence})"
    return Message(str(said.speaker), direction, said.volume, "", (), None, raw)


def packet_lines(world: World, agent: Agent, status: str = "CONTINUE") -> list[str]:
    """The lines of a packet in the dialect of the world; in one without food, T sends a count line alone."""
    is_text = world.rules.dialect == "T"
    if not world.has_food:
        return [str(COUNT)] if is_text else []
    percept = seen_by(world, agent, status)
    if is_text:
        return write_lines(percept)
    return [write_json(percept, reversed_rows=world.rules.dialect == "J3")]


class UnreadableError(ValueError):
    """A line that the simulator cannot read as a command."""


def words_of(line: str) -> str:
    """The command of a JSON line, as words.

    Raises:
        UnreadableError: the line is not a command.
    """
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise UnreadableError(line) from None
    if not isinstance(value, dict) or not isinstance(value.get("command"), str):
        raise UnreadableError(line)
    arguments = value.get("arguments") or []
    if not isinstance(arguments, list):
        raise UnreadableError(line)
    words = " ".join([value["command"], *map(str, arguments)])
    if not is_unicode(words):
        raise UnreadableError(line)
    return words


Lines = dict[int, list[str]]  # what is sent to each agent, by id


class Simulation:
    """A world and its dialect. ``closed``: agents whose connection ends after what was sent last."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.closed: set[int] = set()
        self._text = world.rules.dialect == "T"
        # Commands of the last cycle: an unreadable line repeats the last command.
        self._last_words: dict[int, str] = {}
        self._ending = False

    def join(self, role: str = "base") -> tuple[Agent, list[str]]:
        """A new agent; its id line and first packet."""
        agent = self.world.join(role)
        return agent, [str(agent.id), *packet_lines(self.world, agent)]

    def cycle(self, lines: Mapping[int, str]) -> Lines:
        """Carry out the command of each agent; returns the lines for those that acted."""
        world = self.world
        if self._ending:
            return self._end()
        acted = self._act(lines)
        if world.has_food:
            sent = {agent.id: self._told(agent) for agent in acted}
        else:  # there is nothing that a packet could say of its smell
            sent = (
                {id_: packet_lines(world, agent) for id_, agent in world.agents.items()} if self._text else {}
            )
        for agent in world.agents.values():
            agent.said.clear()
        self._bury()
        if any(agent.ate for agent in acted):
            sent = self._someone_ate(sent)
        world.time += 1
        return sent

    def _act(self, lines: Mapping[int, str]) -> list[Agent]:
        acted: list[Agent] = []
        words: dict[int, str] = {}
        stumbled = False
        for agent in sorted(self.world.agents.values(), key=lambda agent: agent.id):
            if stumbled:
                continue
            command = self._understand(agent, lines)
            if command is None:
                agent.energy -= self.world.rules.idle
                continue
            try:
                perform(self.world, agent, command)
            except NoAnswerError:
                stumbled = True
                continue
            words[agent.id] = command
            acted.append(agent)
        self._last_words = words
        return acted

    def _understand(self, agent: Agent, lines: Mapping[int, str]) -> str | None:
        if agent.id not in lines:
            return None
        if self._text:
            return lines[agent.id]
        try:
            return words_of(lines[agent.id])
        except UnreadableError:
            return self._last_words.get(agent.id)

    def _told(self, agent: Agent) -> list[str]:
        if agent.dead:
            return self._dying(agent)
        status = "SUCCESS" if agent.ate else "CONTINUE"
        word = ["success"] if agent.ate and self.world.rules.words else []
        return [*word, *packet_lines(self.world, agent, status)]

    def _dying(self, agent: Agent) -> list[str]:
        causes = agent.dead + bool(agent.carried)
        for thing in agent.carried:
            self.world.put(agent.pose.place, thing)
        agent.carried = []
        words = ["die"] * causes if self.world.rules.words else []
        return words if self._text else [*words, *packet_lines(self.world, agent, "DIE")]

    def _bury(self) -> None:
        dead = [agent.id for agent in self.world.agents.values() if agent.dead]
        for id_ in dead:
            self.closed.add(id_)
            del self.world.agents[id_]
        if dead and not self.world.rules.dies_alone:
            self._close_all()

    def _someone_ate(self, sent: Lines) -> Lines:
        """End the run: T announces it in the next cycle, the JSON dialects only disconnect."""
        if self._text:
            self._ending = True
        else:
            self._close_all()
        return sent

    def _end(self) -> Lines:
        sent = {id_: ["End"] for id_ in self.world.agents}
        self._close_all()
        return sent

    def _close_all(self) -> None:
        self.closed |= set(self.world.agents)
        self.world.over = True
