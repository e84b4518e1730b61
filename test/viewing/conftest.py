# SPDX-License-Identifier: Apache-2.0
import pytest
from viewed import Viewed

from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def stage():
    with Runtime() as runtime, Viewed(runtime) as stage:
        yield stage
