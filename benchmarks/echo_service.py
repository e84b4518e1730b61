# SPDX-License-Identifier: Apache-2.0
"""A bare node that answers a service at once: what the middleware alone takes. Ends with its standard input."""

import json
import select
import sys

import rclpy
from std_srvs.srv import Trigger

from embodiment_bridge.nodes.base.runtime import Runtime

with Runtime() as runtime:
    node = runtime.add(rclpy.create_node("echo", context=runtime.context))
    node.create_service(Trigger, "echo", lambda _, response: response)
    print(json.dumps("ready"), flush=True)
    runtime.spin(lambda: bool(select.select([sys.stdin], [], [], 0.0)[0]))
