# SPDX-License-Identifier: Apache-2.0
import pytest
from driver_stage import DrivenServos

from embodiment_bridge.dynamixel.bus import supervisor


@pytest.fixture(autouse=True)
def ros_home(tmp_path_factory, monkeypatch):
    """What the driver and a checklist keep of a robot is kept for this test alone."""
    monkeypatch.setenv("ROS_HOME", str(tmp_path_factory.mktemp("ros")))


@pytest.fixture
def stages(tmp_path):
    """Makes stages, which are not started, and closes them."""
    made: list[DrivenServos] = []

    def make(*args, **options) -> DrivenServos:
        made.append(DrivenServos(tmp_path, *args, **options))
        return made[-1]

    yield make
    for stage in made:
        stage.close()


@pytest.fixture
def patient(monkeypatch) -> None:
    """A busy machine is no silent bus."""
    monkeypatch.setattr(supervisor, "ALL_SILENT_S", 10.0)


@pytest.fixture
def running(stages, patient):
    """Makes stages that are started, unless it is told otherwise."""

    def make(*args, start=True, **options) -> DrivenServos:
        stage = stages(*args, **options)
        return stage.start() if start else stage

    return make
