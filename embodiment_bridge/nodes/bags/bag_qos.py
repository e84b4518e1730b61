# SPDX-License-Identifier: Apache-2.0
"""Quality of service between the graph and a recording."""

from collections.abc import Sequence

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

from embodiment_bridge.bags.reader import Topic

RECORDING_DEPTH = 2000  # there is no back pressure: messages beyond this are lost in a slow moment
PLAYING_DEPTH = 100
FOREVER = QosTime(2147483647, 4294967295)


def to_record(offered: Sequence[QoSProfile]) -> QoSProfile:
    """Return the QoS of a subscription that matches all publishers of a topic, as strict as they all allow."""
    reliable = all(one.reliability == ReliabilityPolicy.RELIABLE for one in offered)
    latched = all(one.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=RECORDING_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def to_store(profile: QoSProfile) -> Qos:
    """Return the QoS of a publisher in the form of a bag.

    The middleware does not tell the depth, so it is 1 if latched.
    """
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    return Qos(
        QosHistory.KEEP_LAST,
        max(profile.depth, 1 if latched else 10),
        QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        FOREVER,
        FOREVER,
        QosLiveliness.AUTOMATIC,
        FOREVER,
        False,
    )


def to_play(topic: Topic) -> QoSProfile:
    """Return the QoS for playing a topic: reliability and durability of its first recorded publisher."""
    offered = topic.offered
    best_effort = offered is not None and offered.reliability == QosReliability.BEST_EFFORT
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=topic.latched or PLAYING_DEPTH,
        reliability=ReliabilityPolicy.BEST_EFFORT if best_effort else ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if topic.latched else DurabilityPolicy.VOLATILE,
    )
