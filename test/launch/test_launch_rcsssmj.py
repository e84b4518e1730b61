# SPDX-License-Identifier: Apache-2.0
"""A T1 in the real simulator, under ROS's own launch."""

import launched
import pytest

from embodiment_bridge.launching.environment import find_program


@pytest.mark.launch_test
@pytest.mark.filterwarnings("default")  # launch has some of its own
@pytest.mark.skipif(find_program("rcssservermj") is None, reason="rcssservermj is not installed")
def generate_test_description():
    return launched.describe(
        body="rcsssmj", start_peer="true", port=launched.free_port(), monitor_port=launched.free_port()
    )


class TestWhileItRuns(launched.WhileItRuns):
    pass


class TestAfterTheEnd(launched.AfterTheEnd):
    processes = 3
