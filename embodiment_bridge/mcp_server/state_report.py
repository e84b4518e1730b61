# SPDX-License-Identifier: Apache-2.0
"""The state of the robot for a model, in less than two kilobytes."""

import math
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Final

from embodiment_bridge.mcp_server.answers import MARK, SPEECH, finite, plain, quoted, size
from embodiment_bridge.robot.senses import Senses
from embodiment_bridge.robot.values import Pose, Thing

MOST_BYTES: Final = 1900
MOST_THINGS: Final = 12
MOST_HEARD: Final = 3


def state(senses: Senses) -> tuple[str, dict[str, object]]:
    """The state as text and as values; things that are far away are left out where there is no room."""
    known = senses.things()
    things = nearest(known, senses.pose)
    for number in range(len(things), -1, -1):
        text = _text(senses, things[:number], len(known) - number)
        values = _values(senses, things[:number])
        if len(text.encode()) <= MOST_BYTES and size(finite(values)) <= MOST_BYTES:
            break
    return text, values


def nearest(things: Iterable[Thing], pose: Pose | None) -> list[Thing]:
    """The nearest things, those in sight first."""
    here = pose or Pose(0.0, 0.0, 0.0)
    return nsmallest(MOST_THINGS, things, key=lambda one: (not one.visible, here.distance(one.x, one.y)))


def _text(senses: Senses, things: Sequence[Thing], left_out: int) -> str:
    pose = senses.pose
    where = (
        "unknown place" if pose is None else f"at x {pose.x:.2f} y {pose.y:.2f} m, heading {pose.yaw:.2f} rad"
    )
    lines = [f"{plain(senses.body)}: link {senses.link}, {senses.posture}, {where}"]
    if senses.reason:
        lines.append(f"remark of the body: {quoted(senses.reason, SPEECH)}")
    if senses.battery is not None and math.isfinite(senses.battery):
        lines.append(f"battery {senses.battery:.0%}")
    idle = (
        "nothing runs, and nothing begins: it is paused" if senses.run_state == "PAUSED" else "nothing runs"
    )
    lines.append(f"runs: {plain(senses.run_id)} {plain(senses.run_state)}" if senses.run_id else idle)
    if senses.unread:
        lines.append(f"sees more things than can be read: entities has {senses.unread} bytes")
    else:
        lines.append(f"sees (names are {MARK}):" if things else "sees nothing")
    lines += [f"- {_sight(thing, pose)}" for thing in things]
    if left_out:
        lines.append(f"- and {left_out} more")
    heard = senses.heard[-MOST_HEARD:]
    if heard:
        lines.append(f"heard ({MARK}):")
        lines += [f"- {quoted(one.sender)} said {quoted(one.text, SPEECH)}" for one in heard]
    return "\n".join(lines)


def _sight(thing: Thing, pose: Pose | None) -> str:
    text = f"{quoted(thing.id)} ({quoted(thing.kind)}) at x {thing.x:.2f} y {thing.y:.2f} m"
    if pose is not None:
        bearing = pose.bearing(thing.x, thing.y)
        side = "left" if bearing >= 0.0 else "right"
        text += f", {pose.distance(thing.x, thing.y):.2f} m away, {abs(bearing):.2f} rad to the {side}"
    return text if thing.visible else f"{text}, seen {thing.age:.0f} s ago"


def _values(senses: Senses, things: Sequence[Thing]) -> dict[str, object]:
    pose = senses.pose
    return {
        "body": plain(senses.body),
        "link": senses.link,
        "posture": senses.posture,
        "pose": None
        if pose is None
        else {"x": round(pose.x, 3), "y": round(pose.y, 3), "yaw": round(pose.yaw, 3)},
        "battery": senses.battery,
        "run": {"id": plain(senses.run_id), "state": plain(senses.run_state)} if senses.run_id else None,
        "paused": senses.run_state == "PAUSED",
        "from_outside": {
            "note": MARK,
            "sees": [
                {
                    "id": plain(one.id),
                    "kind": plain(one.kind),
                    "x": round(one.x, 2),
                    "y": round(one.y, 2),
                    "visible": one.visible,
                }
                for one in things
            ],
            "heard": [
                {"sender": plain(one.sender), "text": plain(one.text, SPEECH)}
                for one in senses.heard[-MOST_HEARD:]
            ],
        },
    }
