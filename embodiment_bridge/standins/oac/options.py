# SPDX-License-Identifier: Apache-2.0
"""Options of `embodiment_bridge peer oac`."""

from typing import Final

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS
from embodiment_bridge.standins.oac.scripts import SCRIPTS

OAC_OPTIONS: Final = (
    Parameter("oac", "fido", "Id of the OAC that runs from the beginning; empty: each is loaded."),
    Parameter("proxy", "PROXY", "Id of the element whose messages that OAC processes."),
    Parameter("script", "demo", "Which plans it makes.", choices=tuple(SCRIPTS)),
    Parameter("again", False, "Start again after the last plan."),
    Parameter("dialect", "seed", "Dialect of its messages.", choices=DIALECTS),
    Parameter(
        "validating", True, "Drop messages that the schema does not allow, as an OAC with a schema does."
    ),
    Parameter("acks", False, "The Router is in ack mode."),
    Parameter("single_actions", False, "Send each action of a plan by itself."),
    Parameter("heartbeat", 15.0, "Time between availability notices of the Router, s.", 0.1, 3600.0),
    Parameter("verbose", False, "Log on standard error what happens."),
)
