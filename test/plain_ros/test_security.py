# SPDX-License-Identifier: Apache-2.0
"""With security switched on nothing runs unprotected: where the middleware has none of it, no node starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from embodiment_bridge.cli.doctor import middleware
from embodiment_bridge.cli.doctor.finding import Verdict

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
