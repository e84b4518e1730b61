# SPDX-License-Identifier: Apache-2.0
"""The section ``kick`` of a gait: the one step that swings through a ball."""

from dataclasses import dataclass, fields
from itertools import pairwise
from math import exp

from embodiment_bridge.body.config_section import Section

LONGEST_M = 20.0  # that a table may promise
MOST_FURTHER = 50.0  # share per m


@dataclass(frozen=True, slots=True)
class BallKick:
    """The effect of a kick on the ball, in m and rad.

    ahead, aside: of the ball's centre before the hips, and to the side of the foot that kicks.
    ways, outward: how far the ball rolls (m), and how far from the heading to the side of the foot (rad), at evenly
    spaced strengths from the softest kick to the hardest, measured; one value each for a kick of one strength.
    further: share by which it rolls further for each m that it lies further ahead, at the same strengths; 0 where that
    makes no difference.
    """

    ahead: float
    aside: float
    ways: tuple[float, ...]
    outward: tuple[float, ...]
    further: tuple[float, ...]

    def strength(self, way: float, beyond: float = 0.0) -> float:
        """The strength (0 softest .. 1 hardest) after which the ball rolls ``way`` m, as far as the body can.

        beyond: m that the ball lies further ahead than it should.
        """
        ways = [far * exp(more * beyond) for far, more in zip(self.ways, self.further, strict=True)]
        steps = len(ways) - 1
        for number, (soft, hard) in enumerate(pairwise(ways)):
            if way < hard:
                # Far from where the ball should lie a harder kick may be the shorter one: then the softer.
                return (number + ((way - soft) / (hard - soft) if way > soft else 0.0)) / steps
        return 1.0

    def drift(self, strength: float) -> float:
        """Return how far from the heading, to the side of the foot, the ball rolls after a kick, rad."""
        at = min(max(strength, 0.0), 1.0) * (len(self.outward) - 1)
        number = int(at)
        near, far = self.outward[number], self.outward[min(number + 1, len(self.outward) - 1)]
        return near + (at - number) * (far - near)


@dataclass(frozen=True, slots=True)
class KickParameters(BallKick):
    """A step of the gait that kicks, in m, rad and shares.

    rate: of the gait's frequency, at which this step is made. back, reach: how far the foot swings behind and before
    its usual path; back_soft, reach_soft: the same for the softest kick. back_at, reach_at: when, as a share of the
    step (0..1). lift: of the foot, more than in a step. sway: roll of both hips to the standing foot, more than in a
    step. lean: of the torso, + forward, at the middle of the step. toe: pitch of the swinging foot, + toes up.
    """

    rate: float
    back: float
    reach: float
    back_soft: float
    reach_soft: float
    back_at: float
    reach_at: float
    lift: float
    sway: float
    lean: float
    toe: float


NOT_NUMBERS = ("ways", "outward", "further")  # tables, and what has a default


def read_kick(section: Section) -> KickParameters:
    """The kick of a gait.

    Raises:
        ConfigError: a key is missing, unknown or out of range, or ``ways`` does not grow, or
            ``outward`` has another number of values.
    """
    ranges = {"rate": (0.1, 2.0), "back_at": (0.01, 0.9), "reach_at": (0.02, 0.99)}
    numbers = {
        one.name: section.number(one.name, *ranges.get(one.name, (-1.0, 1.0)))
        for one in fields(KickParameters)
        if one.name not in NOT_NUMBERS
    }
    if numbers["reach_at"] <= numbers["back_at"]:
        raise section.wrong("reach_at", f"later than back_at, {numbers['back_at']:g}")
    ways, outward = read_ways(section, 2)
    further = (0.0,) * len(ways)
    if section.has("further"):
        further = section.numbers("further", len(ways), -MOST_FURTHER, MOST_FURTHER)
    section.close()
    return KickParameters(**numbers, ways=ways, outward=outward, further=further)


def read_ways(section: Section, least: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The tables ``ways`` and ``outward``, of at least ``least`` strengths.

    Raises:
        ConfigError: ``ways`` does not grow, or ``outward`` has another number of values.
    """
    listed = section.value("ways")
    count = len(listed) if isinstance(listed, list) else 0
    ways = section.numbers("ways", max(count, least), 0.0, LONGEST_M)
    if any(far <= near for near, far in pairwise(ways)):
        raise section.wrong("ways", "a list of numbers that grow")
    return ways, section.numbers("outward", len(ways), -1.0, 1.0)
