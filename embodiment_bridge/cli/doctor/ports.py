# SPDX-License-Identifier: Apache-2.0
"""Checks which process listens on a TCP port of a simulator on this machine."""

from embodiment_bridge.cli.doctor.finding import Finding, ok, warn
from embodiment_bridge.core.listening import Listener

SIMULATORS = {  # agents and monitors of each, and what the commands of those that listen there contain
    60000: ("rcssservermj",),
    60001: ("rcssservermj",),
    3100: ("rcssserver3d", "peer simspark"),
    3200: ("rcssserver3d", "peer simspark"),
}


def check_port(port: int, listener: Listener | None) -> Finding:
    """Check that a port of a simulator is free or used by that simulator."""
    what = f"port {port}"
    if listener is None:
        return ok(what, "free")
    if not listener.pid:
        return warn(what, f"taken by {listener}", "if it is not a simulator, choose another: port:=NUMBER")
    simulator = next((name for name in SIMULATORS.get(port, ()) if name in listener.command), "")
    if simulator:
        return ok(what, f"{simulator} listens there, {listener}")
    return warn(what, f"taken by {listener}", "choose another with port:=NUMBER, or end that process")
