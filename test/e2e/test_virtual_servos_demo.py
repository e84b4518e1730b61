# SPDX-License-Identifier: Apache-2.0
"""The demo on virtual servos, as people start it: the bus is a program of its own, and gone afterwards."""

import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
DOCUMENT = '{"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE", "duration": 1}]}'


def test_demo_on_virtual_servos(tmp_path) -> None:
    document = tmp_path / "short.json"
    document.write_text(DOCUMENT)
    words = [COMMAND, "demo", "--body", "virtual_servos", "--bml", str(document)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, err = process.communicate(timeout=240.0)
    assert process.returncode == 0, err
    assert "outcome            SUCCEEDED" in out
    assert "20, all driven, no error" in out
    assert not Path(f"/tmp/ttyDXL{process.pid}").is_symlink()
