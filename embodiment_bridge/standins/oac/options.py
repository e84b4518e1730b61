# SPDX-License-Identifier: Apache-2.0
"""What `embodiment_bridge peer oac` can be told."""

from typing import Final

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS
from embodiment_bridge.standins.oac.scripts import SCRIPTS

OAC_OPTIONS: Final = (
    Parameter("oac", "fido", "Id of the OAC that is there from the beginning; empty: each is loaded."),
    Parameter("proxy", "PROXY", "Whose messages that OAC takes."),
    Parameter("script", "demo", "Which plans it makes.", choices=tuple(SCRIPTS)),
    Parameter("again", False, "Begin anew after the last plan."),
    Parameter("dialect", "seed", "Of what it takes and sends.", choices=DIALECTS),
    Parameter(
        "validating", True, "Drop messages that the schema does not allow, as an OAC that has found it."
    ),
    Parameter("acks", False, "The Router is in ack mode."),
    Parameter("single_actions", False, "Send each action of a plan by itself."),
    Parameter("heartbeat", 15.0, "Time between notices that the Router is there, s.", 0.1, 3600.0),
    Parameter("verbose", False, "Say on standard error what happens."),
)
