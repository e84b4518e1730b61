# SPDX-License-Identifier: Apache-2.0
"""A program that knows nothing of this package: waits until it hears
joints and sees the node of that name, SECONDS at most, and writes whether it heard any, and all names.

    plain_program.py SECONDS NAME
"""

import sys
import time

import rclpy
from sensor_msgs.msg import JointState

end = time.monotonic() + float(sys.argv[1])
rclpy.init()
node = rclpy.create_node("plain_program")
heard = []
node.create_subscription(JointState, "joint_states", heard.append, 10)
while time.monotonic() < end and not (heard and sys.argv[2] in node.get_node_names()):
    rclpy.spin_once(node, timeout_sec=0.1)
sys.stdout.write(f"{len(heard[:1])} {sorted(node.get_node_names())}\n")
rclpy.shutdown()
