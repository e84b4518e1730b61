# SPDX-License-Identifier: Apache-2.0
"""Peers as programs of their own that are killed, stopped and replaced by impostors, each with the node of its body."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from rclpy.parameter import Parameter
from real_server import Server, free_ports
from sensor_msgs.msg import JointState
from waiting import PROCESS, spin_for, spin_until, until

from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher

ROOT = Path(__file__).parents[2]
UP = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
BODIES: dict[str, dict[str, Any]] = {
    "rcsssmj": {"body_file": "t1.yaml"},
    "simspark": {"body_file": "nao.yaml"},
    "maeden": {"body_file": "maeden.yaml", "dialect": "json"},
    "dummy": {"body_file": "dummy.yaml"},
}


class Victim:
    """A body and its peer. ``deeds``: what can be done to the peer, by name."""

    def __init__(self, runtime: Runtime, folder: Path, name: str, random: Random) -> None:
        self.name, self._runtime, self._random = name, runtime, random
        self._folder = folder / name
        self._folder.mkdir()
        self.port, self.monitor_port = free_ports()
        self.deeds: dict[str, Callable[[], None]] = {
            "killed": self._killed,
            "stopped": self._stopped,
            "stranger": self._stranger,
            "impostor": self._impostor,
        }
        self._server = Server(self._folder, "--sync", "--no-realtime") if name == "rcsssmj" else None
        self.process: subprocess.Popen[bytes] | None = None
        self.start()
        values = {"protocol": name, "port": self.port, **BODIES[name]}
        values["body_file"] = str(ROOT / "config/bodies" / values["body_file"])
        if name == "rcsssmj":
            values["monitor_port"] = self.monitor_port
        common = {"context": runtime.context, "namespace": f"/{name}"}
        overrides = [Parameter(key, value=value) for key, value in values.items()]
        self.body = runtime.add(agent_bridge(parameter_overrides=overrides, **common))
        self.watcher = runtime.add(Watcher(**common))
        self._ages: deque[str] = deque(maxlen=20)
        self.watcher.create_subscription(JointState, "joint_states", self._note_age, profile("sensor"))

    def _note_age(self, message: JointState) -> None:
        now, stamp = self.watcher.get_clock().now().nanoseconds, message.header.stamp
        age = 1e-9 * now - stamp.sec - 1e-9 * stamp.nanosec
        self._ages.append(f"{age:.3f}")

    def start(self) -> None:
        """Start the peer; return when it listens, or is about to."""
        if self._server is not None:
            if self.process is not None:
                self._server.port, self._server.monitor_port = self.port, self.monitor_port
            self._server.start()
            self.port, self.monitor_port = self._server.port, self._server.monitor_port
            self.process = self._server.process
            return
        words = [sys.executable, "-c", UP, "peer", self.name, "--port", str(self.port)]
        words += ["--monitor-port", str(self.monitor_port)] if self.name == "simspark" else []
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        }
        with (self._folder / "log").open("wb") as log:
            self.process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=log, stderr=log)
        until(lambda: self._listens() or self.process.poll() is not None, patience=PROCESS)
        assert self.process.poll() is None, (self._folder / "log").read_text()

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_server(("127.0.0.1", self.port)):
            return False
        return True

    def ready(self) -> bool:
        return self.watcher.link == "ready"

    def until(self, condition: Callable[[], bool]) -> float:
        """Wait; how long it took, s."""
        begun = time.monotonic()
        spin_until(
            self._runtime,
            condition,
            lambda: f"{self.name}: {self.watcher.link}: {self.watcher.reason}",
            patience=PROCESS,
        )
        return time.monotonic() - begun

    def comes_back(self) -> float:
        """Wait for percepts of a link that is ready; how long it took, s."""
        before = self.watcher.percepts
        senses = self.name != "maeden"  # which has no joints
        return self.until(lambda: self.ready() and (self.watcher.percepts > before or not senses))

    def nothing_comes(self) -> None:
        """No percept comes in half a second, beginning half a second from now."""
        spin_for(self._runtime, 0.5)
        self._ages.clear()
        spin_for(self._runtime, 0.5)
        assert not self._ages, f"{self.name}: percepts came that were so old, s: {', '.join(self._ages)}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _killed(self) -> None:
        self.kill()
        self.until(lambda: not self.ready())
        self.nothing_comes()
        self.start()

    def _stopped(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        try:
            self.nothing_comes()
        finally:
            self.process.send_signal(signal.SIGCONT)

    def _stranger(self) -> None:
        """Somebody else talks nonsense to the peer and hangs up; a peer that ends of it is started again."""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1.0) as stranger:
            stranger.sendall(self._random.randbytes(self._random.randint(0, 3000)))
        time.sleep(0.2)
        if self.process.poll() is not None:
            self.start()

    def _impostor(self) -> None:
        """The peer is gone, and who listens in its place talks nonsense."""
        self.kill()
        with suppress(OSError), socket.create_server(("127.0.0.1", self.port)) as impostor:
            impostor.settimeout(5.0)
            with suppress(OSError), impostor.accept()[0] as client:
                client.sendall(self._random.randbytes(self._random.randint(1, 100_000)))
                time.sleep(0.2)
        self.start()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
