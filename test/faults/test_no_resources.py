# SPDX-License-Identifier: Apache-2.0
"""No descriptor is left to open anything, or the disk is full: what cannot be had is said, and had later."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.port import open_port
from embodiment_bridge.dynamixel.config.calibration import Stored, save_calibration
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Nothing can be opened meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.fault(
    "no descriptors",
    body="dynamixel",
    reaction="the port cannot be opened, with that reason; tried again as after a cable pull",
)
def test_no_descriptor_is_left_for_a_port() -> None:
    with no_descriptors(), pytest.raises(LinkError, match="Too many open files"):
        open_port("/dev/null", 1_000_000)


@pytest.mark.fault("disk full", body="dynamixel", reaction="said; the calibration file stays as it was")
def test_a_calibration_that_finds_no_room_leaves_the_file_as_it_was(tmp_path, monkeypatch) -> None:
    path = tmp_path / "robot.yaml"
    save_calibration(path, {"j1": Stored(1, "xm430_w350", shift=0.5)})
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: full_disk())
    with pytest.raises(ConfigError, match="No space left"):
        save_calibration(path, {"j1": Stored(1, "xm430_w350", shift=0.7)})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["robot.yaml"]


class Configured(BridgeNode):
    """A node that needs something of the machine to be configured."""

    def __init__(self, need, **node_kwargs) -> None:
        super().__init__("needy", (), **node_kwargs)
        self.need = need

    def configure(self) -> None:
        self.need()


def full_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/robot.urdf")


def no_descriptor() -> None:
    with no_descriptors():
        Path(os.devnull).read_text()


def no_memory() -> None:
    raise MemoryError


@pytest.mark.fault(
    "disk full", body="mujoco", reaction="not configured, with the reason; configured once there is room"
)
@pytest.mark.fault(
    "no descriptors",
    body=("mock", "mujoco"),
    reaction="not configured, with the reason; configured once there are some",
)
@pytest.mark.fault(
    "no memory",
    body=("mock", "mujoco"),
    reaction="not configured, with the reason",
)
@pytest.mark.parametrize(
    ("need", "why"),
    [
        (full_disk, "No space left on device"),
        (no_descriptor, "Too many open files"),
        (no_memory, "MemoryError"),
    ],
)
def test_a_node_that_cannot_be_configured_says_why_and_can_be_later(need, why, capfd) -> None:
    with Runtime() as runtime:
        off = [Parameter("autostart", value=False)]
        node = runtime.add(Configured(need, context=runtime.context, parameter_overrides=off))
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        node.need = lambda: None
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert not node.refused
    assert why in capfd.readouterr().err
