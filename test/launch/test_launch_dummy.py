# SPDX-License-Identifier: Apache-2.0
"""The tutorial's head with its stand-in, under ROS's own launch."""

import launched
import pytest


@pytest.mark.launch_test
@pytest.mark.filterwarnings("default")  # launch has some of its own
def generate_test_description():
    return launched.describe(body="dummy", start_peer="true", port=launched.free_port())


class TestWhileItRuns(launched.WhileItRuns):
    pass


class TestAfterTheEnd(launched.AfterTheEnd):
    processes = 3
