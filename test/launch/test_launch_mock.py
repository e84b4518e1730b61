# SPDX-License-Identifier: Apache-2.0
"""The body that needs nothing, under ROS's own launch."""

import launched
import pytest


@pytest.mark.launch_test
@pytest.mark.filterwarnings("default")  # launch has some of its own
def generate_test_description():
    return launched.describe(body="mock")


class TestWhileItRuns(launched.WhileItRuns):
    pass


class TestAfterTheEnd(launched.AfterTheEnd):
    processes = 2
