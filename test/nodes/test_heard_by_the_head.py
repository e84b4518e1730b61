# SPDX-License-Identifier: Apache-2.0
"""The direction of a voice is that of the frame in which it came: the microphone is in the head."""

from types import SimpleNamespace

import pytest
from embodiment_bridge.msg import HeardMessage
from std_msgs.msg import Header

from embodiment_bridge.nodes.body.body_interface import BodyInterface


@pytest.mark.parametrize(
    ("frame", "by_head"),
    [
        ("microphone_link", True),
        ("player1/microphone_link", True),
        ("base_link", False),
        ("p1/base_link", False),
    ],
)
def test_motion_is_told_whether_the_head_has_heard(frame: str, by_head: bool) -> None:
    heard, nothing = [], SimpleNamespace(publish=lambda _: None, update=lambda *_: None)
    runner = SimpleNamespace(hear=lambda azimuth, by_head: heard.append((azimuth, by_head)))
    interface = SimpleNamespace(_of_state=(), _runner=runner, _outputs={"heard": nothing}, _markers=nothing)
    message = HeardMessage(header=Header(frame_id=frame), has_direction=True, azimuth=0.5)
    BodyInterface.publish(interface, "heard", message)
    assert heard == [(0.5, by_head)]
