# SPDX-License-Identifier: Apache-2.0
"""A soccer_monitor node in a process of its own.

    python benchmarks/monitor_node.py PORT

A line on standard input ends it; its last line is ``{}``.
"""

import sys
import threading

from embodiment_bridge.launching.environment import prepare


def main(port: int) -> None:
    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.launching.executables import soccer_monitor
    from embodiment_bridge.nodes.base.runtime import Runtime

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), ended.set()), daemon=True).start()
    values = {"protocol": "simspark_monitor", "port": port}
    with Runtime() as runtime:
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        runtime.add(soccer_monitor(context=runtime.context, parameter_overrides=overrides))

        def done() -> bool:
            runtime.settle()
            return ended.is_set()

        runtime.spin(done)
    print("{}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
