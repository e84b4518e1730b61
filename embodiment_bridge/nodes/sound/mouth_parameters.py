# SPDX-License-Identifier: Apache-2.0
"""Parameters of the light that follows the mouth."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.motion.skills.lights import LIGHTS

AUTO, NONE = "auto", "none"
PARAMETERS = (
    Parameter(
        "mouth_light",
        AUTO,
        "The light that is as bright as the mouth is open; auto: the face that a body has, else its eyes.",
        choices=(AUTO, *LIGHTS, NONE),
    ),
    Parameter("mouth_closed", 0.2, "How bright it is while the mouth is closed, of 1.", 0.0, 1.0),
)
