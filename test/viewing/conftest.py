# SPDX-License-Identifier: Apache-2.0
import pytest
from viewed import Viewed

from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def stage():
    with Runtime() as runtime, Viewed(runtime) as stage:
        stage.until(lambda: stage.viewer.url)
        stage.call(lambda: None)  # the activation that made the page has ended: the robot has its view
        yield stage
