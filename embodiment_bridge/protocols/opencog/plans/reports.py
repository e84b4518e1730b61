# SPDX-License-Identifier: Apache-2.0
"""Reports of a proxy on the plans that it executes."""

from embodiment_bridge.protocols.opencog.xml.events import AvatarSignal
from embodiment_bridge.protocols.opencog.xml.parts import ActionSignal, Param

LONGEST_REASON = 200  # characters


def action_report(
    agent_id: str,
    timestamp: str,
    plan_id: str,
    name: str,
    status: str,
    sequence: int | None = None,
    reason: str = "",
) -> AvatarSignal:
    """The report on an action of a plan, or without ``sequence`` on all that are still open.

    Args:
        agent_id: of the body.
        timestamp: time of the report.
        plan_id: as in the plan.
        name: of the action, as in the plan; for a whole plan any text that is not empty.
        status: ``done`` or ``error``.
        sequence: from 1.
        reason: of an error, for people; an OAC ignores it.
    """
    why = (Param("string", "reason", reason[:LONGEST_REASON]),) if reason else ()
    report = ActionSignal(name or plan_id, plan_id, sequence, status, why)
    return AvatarSignal(agent_id, timestamp, actions=(report,))
