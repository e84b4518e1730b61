# SPDX-License-Identifier: Apache-2.0
"""Joints that follow no targets, in words."""

from collections.abc import Collection, Mapping, Sequence

from embodiment_bridge.body.description import Joint

NAMED = 5  # joints; of more the number is told


def limp_among(joints: Sequence[Joint], limp: Mapping[int, str], moved: Collection[int]) -> tuple[str, bool]:
    """Which of the ``moved`` joints of a body follow no targets, and what to do; whether these are all of them.

    The text is empty if all of them follow. limp: why, by number of the joint.
    """
    numbers = [number for number in moved if number in limp]
    if not numbers:
        return "", False
    named = ", ".join(f"{joints[number].name} ({limp[number]})" for number in numbers[:NAMED])
    more = f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
    return f"cannot be moved: {named}{more}; set_torque drives limp joints", len(numbers) == len(moved)
