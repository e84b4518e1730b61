# SPDX-License-Identifier: Apache-2.0
"""Packets as messages. ``stamp`` is a builtin_interfaces/Time; lengths in m, angles in rad."""

from math import nan
from typing import Final

from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header

from embodiment_bridge.msg import EpisodeEvent, GridCell, GridMessage, GridPercept, HeardMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.events import Message, Percept
from embodiment_bridge.protocols.maeden.sentences import text_of
from embodiment_bridge.protocols.maeden.world import AgentWorld

STATUS: Final = {
    "CONTINUE": GridPercept.CONTINUE,
    "DIE": GridPercept.DIE,
    "SUCCESS": GridPercept.SUCCESS,
    "END": GridPercept.END,
}
EVENTS: Final = {
    "CONTINUE": EpisodeEvent.CONTINUE,
    "DIE": EpisodeEvent.DIE,
    "SUCCESS": EpisodeEvent.SUCCESS,
    "END": EpisodeEvent.END,
    "CLOSED": EpisodeEvent.CLOSED,
}


def percept_message(world: AgentWorld, percept: Percept, stamp: Stamp, frame: str) -> GridPercept:
    """Every field of a packet, and where the agent is by dead reckoning."""
    message = GridPercept(header=Header(stamp=stamp, frame_id=frame))
    message.status = STATUS[percept.status]
    message.agent = world.agent
    message.smell = percept.smell
    message.inventory = list(percept.inventory)
    message.ground = list(percept.ground)
    message.view = [GridCell(things=list(cell)) for row in percept.view for cell in row]
    message.messages = [_sentence(said) for said in percept.messages]
    message.energy = percept.energy
    message.ok = percept.ok
    message.world_time = percept.world_time
    message.command = world.command
    message.energy_spent = world.spent
    message.pose_sure = world.track.sure
    message.column, message.row = world.pose.place
    message.heading = world.pose.heading.name
    message.raw = percept.raw
    return message


def _sentence(said: Message) -> GridMessage:
    return GridMessage(
        sender=said.sender,
        direction=said.direction,
        volume=said.volume,
        category=said.category,
        words=list(said.words),
        has_payment=said.payment is not None,
        payment=said.payment or 0,
        raw=said.raw,
    )


def heard_message(said: Message, stamp: Stamp, frame: str) -> HeardMessage:
    """One sentence as any body hears it; who spoke in the own cell has no direction."""
    message = HeardMessage(header=Header(stamp=stamp, frame_id=frame), sender=said.sender, text=text_of(said))
    azimuth = convert.azimuth(said.direction)
    message.has_direction, message.azimuth = azimuth is not None, azimuth or 0.0
    return message


def battery_message(energy: int, stamp: Stamp) -> BatteryState:
    """Energy as a charge: units of the simulator stand for Ah, 2000 are full; food may give more than that."""
    message = BatteryState(header=Header(stamp=stamp), present=energy > 0)
    message.voltage = message.current = message.temperature = nan
    message.charge = float(energy)
    message.capacity = message.design_capacity = float(convert.FULL_ENERGY)
    message.percentage = convert.charge(energy)
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    dead = BatteryState.POWER_SUPPLY_HEALTH_DEAD
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD if energy > 0 else dead
    return message


def episode_event(name: str, reason: str, world: AgentWorld, stamp: Stamp) -> EpisodeEvent:
    """The state of the episode; ``name`` is a key of ``EVENTS``."""
    message = EpisodeEvent(header=Header(stamp=stamp), event=EVENTS[name], name=name, reason=reason)
    message.agent = world.agent
    message.world_time = world.percept.world_time if world.percept is not None else 0
    return message
