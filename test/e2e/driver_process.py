# SPDX-License-Identifier: Apache-2.0
"""The joint driver in a process of its own, on 20 virtual servos of this one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from servo_stage import BODY, ROOT, URDF, virtual_bus
from waiting import PROCESS, until

from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

NODE = """\
import os
import sys
from embodiment_bridge.dynamixel.bus import bus
from embodiment_bridge.launching.executables import joint_driver
from embodiment_bridge.nodes.base.runtime import run

bus.PATIENCE_S = float(os.environ.get("CONFIRM_WITHIN", bus.PATIENCE_S))
sys.exit(run(joint_driver))
"""


UP = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"


class DriverProcess:
    """``prefix``: words before the interpreter's, such as ``nohup``; ``up``: by the launch file, in namespace /.

    patient: the driver waits longer than on a robot until its servos, which are one thread here, confirm that they are
    limp; not with ``up``.
    """

    def __init__(
        self, folder: Path, namespace: str, *prefix: str, up: bool = False, patient: bool = True
    ) -> None:
        self.bus = virtual_bus()
        self.port = VirtualPort(self.bus, link=str(folder / "servos"))
        values = {
            "robot_description_file": URDF,
            "body_file": BODY,
            "port_name": folder / "servos",
            "calibration_file": folder / "calibration.yaml",
            "answer_margin": 0.05,
        }
        words = [NODE, "--ros-args", "-r", f"__ns:={namespace}"]
        words += [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
        if up:
            launch = ROOT / "launch/body/dynamixel.launch.xml"
            words = [UP, "up", str(launch), f"urdf:={URDF}", f"body_file:={BODY}", f"port:={folder}/servos"]
        # What `up` starts shall be the sources that are tested, too.
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._log = (folder / "log.txt").open("w+b")
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-c", *words],
            cwd=ROOT,
            env={
                **os.environ,
                "ROS_HOME": str(folder),
                "PYTHONPATH": os.pathsep.join(paths),
                **({"CONFIRM_WITHIN": "60"} if patient else {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def torque(self) -> int:
        """How many servos are driven."""
        return sum(registers["torque_enable"] for registers in self.bus.snapshot().values())

    def log(self) -> str:
        """What it has written."""
        self._log.flush()
        return Path(self._log.name).read_text(errors="replace")

    def until(self, condition: Callable[[], bool]) -> None:
        until(condition, self.log, patience=PROCESS)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.port.close()
        self._log.close()
