# SPDX-License-Identifier: Apache-2.0
"""A protocol of another package, which says so by an entry point."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from waiting import spin_until

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.protocols import registry
from embodiment_bridge.standins.dummy import DummyHead

ROOT = Path(__file__).parents[2]
SPEC = "outside_package:SPEC"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put the tutorial's protocol, under another name, where Python finds installed packages, with entry points."""

    def install(**specs):
        package = tmp_path / "outside_package"
        shutil.copytree(ROOT / "embodiment_bridge/protocols/dummy", package)
        for path in package.glob("*.py"):
            text = path.read_text(encoding="utf-8").replace(
                "embodiment_bridge.protocols.dummy", "outside_package"
            )
            path.write_text(text.replace('name="dummy"', 'name="outside_head"'), encoding="utf-8")
        info = tmp_path / "outside_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: outside-package\nVersion: 1.0\n", encoding="utf-8"
        )
        lines = [f"[{registry.GROUP}]", *(f"{name} = {place}" for name, place in specs.items())]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    for name in [name for name in sys.modules if name.partition(".")[0] == "outside_package"]:
        del sys.modules[name]


@pytest.fixture
def body(tmp_path):
    """The folder with samples and body of the package."""
    folder = tmp_path / "data/outside_head"
    shutil.copytree(ROOT / "test/data/dummy", folder)
    shutil.copy(ROOT / "config/bodies/dummy.yaml", folder / "body.yaml")
    return folder / "body.yaml"


def test_contract_tests_take_it(install, body, tmp_path):
    install(outside_head=SPEC)
    places = (str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", ""))
    env = {"PYTHONPATH": os.pathsep.join(places), "EMBODIMENT_BRIDGE_TEST_DATA": str(tmp_path / "data")}
    words = ["-m", "pytest", "test/contract", "-k", "outside_head", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout


def test_its_robot_moves(install, body):
    install(outside_head=SPEC)
    with DummyHead(pan=30.0, tilt=20.0) as head, Runtime() as runtime:
        values = {"protocol": "outside_head", "port": head.port, "body_file": str(body)}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        runtime.add(agent_bridge(context=runtime.context, parameter_overrides=overrides))
        looker = runtime.add(Watcher(context=runtime.context))
        client = ActionClient(looker, ExecuteSkill, "execute_skill")
        spin_until(runtime, lambda: looker.link == "ready" and client.server_is_ready())
        client.send_goal_async(ExecuteSkill.Goal(name="head_shake", source="test"))
        spin_until(runtime, lambda: abs(head.pan.position - 30.0) > 5.0)
        client.destroy()


def test_it_is_found_and_decodes(install, tmp_path, capsys):
    install(outside_head=SPEC)
    assert "outside_head" in registry.choices()
    assert registry.spec("outside_head").name == "outside_head"
    stream = tmp_path / "stream.bin"
    stream.write_bytes(b"hello head\n")
    assert main(["decode", "outside_head", str(stream)]) == 0
    assert json.loads(capsys.readouterr().out) == {"event": "Hello", "offset": 0, "name": "head"}


def test_it_encodes(install, tmp_path, capfdbinary):
    install(outside_head=SPEC)
    lines = tmp_path / "commands.jsonl"
    lines.write_text('{"command": "SetJoints", "pan_deg": 1, "tilt_deg": 2}\n', encoding="utf-8")
    assert main(["encode", "outside_head", str(lines)]) == 0
    assert capfdbinary.readouterr().out == b"set pan 1.000 tilt 2.000\n"


def test_ours_wins_over_one_of_the_same_name(install):
    install(dummy=SPEC)
    assert registry.spec("dummy").name == "dummy"


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("outside_package:Parameter", "'broken': outside_package:Parameter is no ProtocolSpec"),
        (
            "outside_package:NOTHING",
            "outside_package:NOTHING: module 'outside_package' has no attribute 'NOTHING'",
        ),
        ("no_such_package:SPEC", "no_such_package:SPEC: No module named 'no_such_package'"),
    ],
)
def test_broken_entry_point_is_named_and_disturbs_no_other(install, place, reason):
    install(broken=place)
    with pytest.raises(ConfigError, match=reason):
        registry.spec("broken")
    assert registry.spec("dummy").name == "dummy"


def test_unknown_protocol_names_the_choices():
    with pytest.raises(
        ConfigError, match=r"unknown protocol 'dumy'; did you mean 'dummy'\? \(known: .*rcsssmj"
    ):
        registry.spec("dumy")


def test_unknown_option_of_a_codec_is_named(capsys):
    assert main(["decode", "dummy", "/dev/null", "--dialect", "old"]) == 2
    assert "unknown option of protocol 'dummy' 'dialect'" in capsys.readouterr().err
