# SPDX-License-Identifier: Apache-2.0
"""How much time a percept lets pass for the motion, and whether there was a gap before it."""

LONGEST_STEP_S = 0.1  # s: a longer time between percepts is a gap, in which no planned motion was done
GAP_S = 0.5  # s: after a longer gap the joints are where they came to rest


class Pace:
    """The times between percepts. When gaps follow each other, they are normal for this body."""

    def __init__(self) -> None:
        self._usual_s = 0.0  # the last time between percepts that was not a gap, s
        self._slow = False  # the last time between percepts was a gap

    def step(self, gap: float) -> tuple[float, bool]:
        """The time in s by which motions advance, ``gap`` s after the last percept; whether joints begin anew."""
        slow, self._slow = self._slow, gap > LONGEST_STEP_S
        if not self._slow:
            self._usual_s = gap or self._usual_s
            return gap, False
        return (LONGEST_STEP_S, False) if slow else (self._usual_s, gap > GAP_S)
