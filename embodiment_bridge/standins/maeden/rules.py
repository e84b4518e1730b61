# SPDX-License-Identifier: Apache-2.0
"""The differences between builds of the simulator."""

from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one build.

    dialect: T, J3 or J4. capacity: things that an agent can carry. idle: energy of a cycle without a command.
    swing: extra energy of using a hammer on anything but a rock. regrow: cycles between two harvests of the supply.
    meal: energy of food where eating does not end the run. hides_ids: ids of two digits look like A in the view.
    words: endings are also sent as words. hears: messages are delivered. dies_alone: others go on after a death.
    """

    dialect: str
    capacity: int = 100
    idle: int = 1
    swing: int = 0
    regrow: int = 50
    meal: int = 1000
    hides_ids: bool = False
    words: bool = False
    hears: bool = False
    dies_alone: bool = True


BUILDS: Final = {
    "text2013": Rules(
        "T", capacity=1, idle=0, swing=15, regrow=500, meal=500, hides_ids=True, words=True, hears=True
    ),
    "text201701": Rules("T", idle=0, swing=15, regrow=500, meal=500, hides_ids=True, words=True, hears=True),
    "text2017": Rules("T", regrow=250, words=True, hears=True),
    "json_j3": Rules("J3", words=True, dies_alone=False),
    "json2018": Rules("J4"),
}
USUAL: Final = {"T": "text2017", "J3": "json_j3", "J4": "json2018"}


def rules_of(name: str) -> Rules:
    """The rules of a build, or of the usual build of a dialect.

    Raises:
        ConfigError: no such build or dialect.
    """
    build = USUAL.get(name, name)
    if build not in BUILDS:
        raise ConfigError(unknown("build or dialect", name, {**BUILDS, **USUAL}))
    return BUILDS[build]
