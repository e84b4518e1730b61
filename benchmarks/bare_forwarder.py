# SPDX-License-Identifier: Apache-2.0
"""The minimum for sending an EntityArray to a TCP peer: a bare rclpy node that sends the first x as a line.

python bare_forwarder.py PORT
"""

import socket
import sys

import rclpy
from embodiment_bridge.msg import EntityArray

from embodiment_bridge.launching.environment import prepare


def main() -> None:
    """Forward until the process is ended."""
    prepare()
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    rclpy.init()
    node = rclpy.create_node("bare_forwarder")
    node.create_subscription(
        EntityArray,
        "entities",
        lambda message: link.sendall(f"{message.entities[0].pose.position.x:.3f}\n".encode()),
        5,
    )
    from embodiment_bridge.nodes.base.executor import make_executor

    executor = make_executor(rclpy.get_default_context())
    executor.add_node(node)
    while rclpy.ok():
        executor.spin_once(timeout_sec=0.5)


if __name__ == "__main__":
    main()
