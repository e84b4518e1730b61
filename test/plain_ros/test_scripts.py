# SPDX-License-Identifier: Apache-2.0
"""The scripts that `ros2 run` starts, also where the graph is secured."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import rclpy
from every_node import NODES, ROOT, words_of
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from waiting import PROCESS, spin_until

from embodiment_bridge.cli.doctor import middleware
from embodiment_bridge.cli.doctor.finding import Verdict
from embodiment_bridge.nodes.base.runtime import Runtime


def test_every_script_takes_ros_args_and_ends_cleanly(tmp_path) -> None:
    assert {path.name for path in (ROOT / "scripts").iterdir()} == {*NODES, "embodiment_bridge"}
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    with Runtime() as runtime:
        asker = runtime.add(rclpy.create_node("asker", context=runtime.context))
        running = {}
        try:
            for name in NODES:
                words = words_of(name, tmp_path, "__ns:=/scripts", f"__node:=my_{name}", autostart=False)
                # A word of the command line wins over the file's.
                words += ["-p", "autostart:=true"]
                command = [sys.executable, str(ROOT / "scripts" / name), *words]
                running[name] = subprocess.Popen(command, env=env, cwd=tmp_path, stderr=subprocess.PIPE)
            clients = [asker.create_client(GetState, f"/scripts/my_{name}/get_state") for name in NODES]
            end = time.monotonic() + PROCESS
            waiting = dict(zip(NODES, clients, strict=True))
            while waiting and time.monotonic() < end:
                for name, client in [*waiting.items()]:
                    if is_active(runtime, client):
                        del waiting[name]
            assert not waiting
        finally:
            for process in running.values():
                process.send_signal(signal.SIGINT)
            codes = {name: finish(process) for name, process in running.items()}
    said = "\n".join(f"{name}: {text}" for name, (_, text) in codes.items() if text)
    assert codes == dict.fromkeys(NODES, (0, "")), said


def is_active(runtime: Runtime, client) -> bool:
    if not client.service_is_ready():
        runtime.executor.spin_once(timeout_sec=0.05)
        return False
    answer = client.call_async(GetState.Request())
    spin_until(runtime, lambda: answer.done())
    return answer.done() and answer.result().current_state.id == State.PRIMARY_STATE_ACTIVE


def finish(process: subprocess.Popen) -> tuple[int, str]:
    """(exit code, where it was if it did not end as it should)."""
    try:
        _, said = process.communicate(timeout=PROCESS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # faulthandler tells where each thread is
        _, said = process.communicate()
    text = said.decode(errors="replace")
    return process.returncode, text if process.returncode or "Traceback" in text else ""


MAKE_A_NODE = """
import rclpy
from rclpy.context import Context
context = Context()
rclpy.init(context=context)
rclpy.create_node("unprotected", context=context)
print("a node was made")
"""
KEYS = "identity_ca.cert.pem cert.pem key.pem permissions_ca.cert.pem governance.p7s permissions.p7s"

FOLDERS = [Path(prefix) / "lib" for prefix in (*os.environ["AMENT_PREFIX_PATH"].split(":"), sys.prefix)]


@pytest.fixture
def has_security() -> bool:
    return middleware.has_plugin(FOLDERS)


@pytest.mark.parametrize(
    ("with_keys", "reason"),
    [
        (False, "enclaves' does not exist"),
        (True, "This Fast DDS version doesn't have the security libraries"),
    ],
)
def test_no_node_starts_unprotected(with_keys, reason, tmp_path, has_security) -> None:
    if with_keys:
        (tmp_path / "enclaves").mkdir()
        for name in KEYS.split():
            (tmp_path / "enclaves" / name).touch()
    told = {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        "ROS_SECURITY_KEYSTORE": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", MAKE_A_NODE],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "a node was made" not in done.stdout
    if not has_security:
        assert reason in done.stderr
        finding = middleware.check_security(told, FOLDERS)
        assert finding.verdict is Verdict.FAIL
        assert ("built without DDS-Security" if with_keys else "has no folder enclaves") in finding.text
