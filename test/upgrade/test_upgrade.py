# SPDX-License-Identifier: Apache-2.0
"""Programs, documents, files and a protocol package that were written against 0.1 run unchanged."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.parameter import Parameter

from embodiment_bridge.cli import main
from embodiment_bridge.core.moved import MOVED, PACKAGE
from embodiment_bridge.launching.executables import agent_bridge, behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.plans.movement import Gait
from embodiment_bridge.plans.plan_file import read_plan_file
from embodiment_bridge.protocols import registry
from embodiment_bridge.standins.dummy import DummyHead

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENTRY = ("kind", "subject", "amount", "taken", "given", "slot")  # of a stage in 0.1
PATIENCE = 60.0  # s of wall time for anything; the machine may be busy
OLD_NAMES = "ignore:embodiment_bridge:DeprecationWarning"
pytestmark = pytest.mark.filterwarnings(OLD_NAMES)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The protocol package, installed; the environment in which another process finds it too."""
    info = tmp_path / "head_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: head-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nupgrade_head = head_package:ROOM\n")
    for place in (tmp_path, HERE):
        monkeypatch.syspath_prepend(place)
    path = os.pathsep.join([str(tmp_path), str(HERE), str(ROOT), os.environ.get("PYTHONPATH", "")])
    yield {**os.environ, "PYTHONPATH": path, "EMBODIMENT_BRIDGE_TEST_DATA": str(HERE / "data")}
    for name in [name for name in sys.modules if name.split(".")[0] == "head_package"]:
        del sys.modules[name]


def test_contract_tests_take_the_protocol_package(package: dict[str, str]) -> None:
    words = ["-m", "pytest", "test/contract", "-k", "upgrade_head", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *words, "-W", OLD_NAMES], cwd=ROOT, env=package, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout


def test_robot_of_the_protocol_package_moves(package: dict[str, str]) -> None:
    body = HERE / "data/upgrade_head/body.yaml"
    with DummyHead(pan=30.0, tilt=20.0) as head, Runtime() as runtime:
        values = {"protocol": "upgrade_head", "port": head.port, "body_file": str(body)}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        runtime.add(agent_bridge(context=runtime.context, parameter_overrides=overrides))
        looker = runtime.add(Watcher(context=runtime.context))
        client = ActionClient(looker, ExecuteSkill, "execute_skill")
        until(runtime, lambda: looker.link == "ready" and client.server_is_ready())
        goal = client.send_goal_async(ExecuteSkill.Goal(name="head_shake", source="test"))
        until(runtime, goal.done)
        result = goal.result().get_result_async()
        until(runtime, result.done)
        assert result.result().result.status == ExecuteSkill.Result.SUCCEEDED
        client.destroy()


def test_document_is_rehearsed_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--body", "mock", "--media", "http://example.org/a.mp3=5"]
    assert main(["bml", "dry-run", str(HERE / "document.json"), *words]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [json.loads(line) for line in (HERE / "document.expected.jsonl").read_text().splitlines()]


def test_brain_does_its_wishes() -> None:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    with Runtime() as runtime:
        nodes = [runtime.add(make(context=runtime.context)) for make in (mock_body, behavior_tree)]
        until(runtime, lambda: all(node.active for node in nodes))
        brain = subprocess.Popen(
            [sys.executable, str(HERE / "brain.py")], env=env, stdout=subprocess.PIPE, text=True
        )
        try:
            until(runtime, lambda: brain.poll() is not None)
        finally:
            brain.kill()
            said = brain.communicate()[0].splitlines()
    assert said[1:3] == ["say: done", "head_shake: done"]


def test_plan_file_says_the_same() -> None:
    """What 0.1 read in its file of that time; what files can say since then is left at what it was without it."""
    expected = json.loads((HERE / "plan.expected.json").read_text())
    old = read_plan_file(HERE / "plan.yaml")
    assert old.gait == Gait(**expected["gait"])
    assert old.relative_turn == expected["relative_turn"]
    assert old.repeated == frozenset()
    assert old.stages.keys() == expected["stages"].keys()
    for name, entries in old.stages.items():
        of_then = expected["stages"][name]
        assert [{key: asdict(entry)[key] for key in ENTRY} for entry in entries] == of_then


@pytest.mark.parametrize("old", sorted(MOVED))
def test_old_names_are_the_new_modules(old: str) -> None:
    code = (
        "import importlib, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "old, new = (importlib.import_module(name) for name in sys.argv[1:])\n"
        "assert old is new and new.__name__ == new.__spec__.name == sys.argv[2]"
    )
    words = [f"{PACKAGE}.{old}", f"{PACKAGE}.{MOVED[old]}"]
    subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, check=True)


def until(runtime: Runtime, condition) -> None:
    limit = time.monotonic() + PATIENCE
    runtime.spin(lambda: condition() or time.monotonic() > limit)
    assert condition()
