# SPDX-License-Identifier: Apache-2.0
"""A robot stands, shakes its head, waves, walks three steps and turns."""

from embodiment_bridge.cli.demos.show import Show, own_document
from embodiment_bridge.cli.demos.stage import Stage


def perform(stage: Stage) -> int:
    """Perform the document of the command line, or the first steps."""
    return stage.perform(stage.document or own_document("first_steps"))


SHOW = Show("a robot moves head and arms, walks and turns", ("rcsssmj", "mock", "simspark"), perform)
