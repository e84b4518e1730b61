# SPDX-License-Identifier: Apache-2.0
"""A program that knows nothing of this package: ends with 0 once it hears joints and has seen the body by name."""

import sys
import time

import rclpy
from sensor_msgs.msg import JointState

end = time.monotonic() + float(sys.argv[1])
rclpy.init()
node = rclpy.create_node("plain_program")
heard = []
node.create_subscription(JointState, "joint_states", heard.append, 10)
while time.monotonic() < end and not (heard and len(node.get_node_names()) > 1):
    rclpy.spin_once(node, timeout_sec=0.1)
sys.stdout.write(f"{len(heard[:1])} {sorted(node.get_node_names())}\n")
rclpy.shutdown()
