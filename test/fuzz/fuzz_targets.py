# SPDX-License-Identifier: Apache-2.0
"""All that reads what others have written: what is read, and good examples of it."""

import gzip
import hashlib
import io
import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tools_without_robot import call_tool

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bml import check, read
from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.policy import read_network
from embodiment_bridge.cli.commands import bml_replay
from embodiment_bridge.cli.robots.robot import read_parameters
from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import BridgeError, CommandError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.dynamixel.config.calibration import load_calibration
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.link.transports.monitor_log import MonitorLog
from embodiment_bridge.link.transports.tape import Replay
from embodiment_bridge.nodes.mujoco.mujoco_body import PARAMETERS
from embodiment_bridge.physics.model_file import compile_spec, read_model
from embodiment_bridge.plans.plan_file import parse_plan_file
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.opencog.world.report import parse_things
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.wire.json_text import read_commands

ROOT = Path(__file__).parents[2]
DATA = ROOT / "test/data"
MAX_STREAM = 8_000  # bytes of a recorded stream, whose end is left out; a cut document would never be good
MAX_DOCUMENT = 25_000  # bytes; longer files are not taken as seeds
FOLDER = TemporaryDirectory(prefix="embodiment_bridge_fuzz_")
SMALL_MJCF = b"""<mujoco model="arm"><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="base" pos="0 0 1"><joint name="turn" type="hinge" axis="0 0 1" range="-1 1" limited="true"/>
<geom type="box" size="0.1 0.1 0.2" mass="1"/><site name="imu"/></body></worldbody>
<actuator><position joint="turn" kp="10"/></actuator><sensor><gyro site="imu"/></sensor></mujoco>"""
SMALL_LAUNCH = b"""<launch>
<arg name="body" default="mock" description="a"><choice value="mock"/><choice value="t1"/></arg>
<let name="n" value="$(env HOME /)"/><group if="$(equals $(var body) mock)"><push_ros_namespace namespace="a"/>
<node pkg="embodiment_bridge" exec="mock_body" name="mock"><param name="rate" value="50.0"/><remap from="x" to="y"/>
</node></group><executable cmd="true --x $(var n)" name="e" unless="$(equals $(var body) t1)"/></launch>"""
TAPE = b"0.5 0 100\n0.7 100 200\n0.9 300 100\n"
CALLS = tuple(
    json.dumps({"name": name, "arguments": arguments}).encode()
    for name, arguments in (
        ("robot_state", {}),
        ("list_skills", {}),
        ("do_skill", {"name": "walk", "parameters": {"distance": 1.0}}),
        ("do_skill", {"name": "head_shake"}),
        ("go_to", {"x": 1.0, "y": -0.5, "yaw": 0.5}),
        ("go_to", {"thing": "ball"}),
        ("say", {"text": "Hello, B\u00e4r \U0001f600"}),
        ("check_behavior", {"document": {"type": "body", "action": "STAND", "duration": 1}}),
        (
            "run_behavior",
            {
                "document": {"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE"}]},
                "background": True,
            },
        ),
        ("wait", {"for": "run", "timeout": 2.5}),
        ("wait", {"for": "seen ball", "timeout": 0}),
        ("wait", {"for": "heard", "timeout": 300}),
        ("stop", {}),
        ("hold", {"on": True}),
    )
)
CALIBRATION = b"""joints:
  pan: {id: 1, model: xm430_w350, shift: 0.01, ticks: 2048, clean: true}
  tilt: {id: 2, model: xl330_m288, shift: -0.2, ticks: -5, clean: false, lost: true}
"""
MOTION = b"""swing:
  kind: motion
  channels: [head]
  nominal_s: 1.0
  min_s: 0.5
  track: {joints: [head_pan], points: [[0.0, 0.0], [0.4, 0.2], [1.0, 0.1]]}
"""
THINGS = b"""things:
  cup: {kind: object, position: [0.3, 0.1, 0.0], yaw: 0.0, size: [0.1, 0.1, 0.12], properties: {color: blue-100%}}
  door: {position: [1.0, 0.0, 0.5]}
"""
SMALL_BODY = """body: small
channels: [head]
joints:
  head_pan: {channel: head, range: [-1.0, 1.0], velocity: 2.0, effort: 1, kp: 10, kd: 1}
skills:
"""


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def in_file(name: str, data: bytes) -> Path:
    path = Path(FOLDER.name) / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def codec(name: str, data: bytes) -> None:
    made = registry.codec(name)
    for begin in range(0, len(data), 700):
        for event in made.feed(data[begin : begin + 700]):
            str(event)
    made.close()


def bml(data: bytes) -> None:
    for strict in (False, True):
        result = read(text(data), strict=strict)
        if result.document is not None:
            check(result.document, {})


def motion(data: bytes) -> None:
    """A skill as `record-motion` writes it, in a body file."""
    parse_body(SMALL_BODY + "".join(f"  {line}\n" for line in text(data).splitlines()), "small.yaml")


def launch(data: bytes) -> None:
    read_launch(in_file("a.launch.xml", data), {}, find_share=lambda _: ROOT, environment={})


def model(data: bytes) -> None:
    path = in_file("model.xml", data)
    compile_spec(read_model(path).spec, path)


def bag(data: bytes) -> None:
    """The MCAP file of a recording, without its metadata, which ``bag_index`` has."""
    with BagReader(in_file("bag.mcap", data)) as reader:
        for message in reader.messages(set(reader.topics)):
            bytes(message.data)


def tape(data: bytes) -> None:
    """The index of a recorded stream."""
    in_file("tape.bin", b"x" * 500)
    in_file("tape.idx", data)
    made = Replay(Path(FOLDER.name) / "tape.bin", speed=0.0)
    with suppress(BridgeError):
        for _ in range(1000):
            made.read(0.0)


def bag_index(data: bytes) -> None:
    """The metadata of a recording; its messages are good."""
    in_file(f"indexed/{mcap(good_bag()).name}", mcap(good_bag()).read_bytes())
    in_file("indexed/metadata.yaml", data)
    with BagReader(Path(FOLDER.name) / "indexed") as reader:
        for message in reader.messages(set(reader.topics)):
            bytes(message.data)


def network(data: bytes) -> None:
    """The network of a policy; the manifest has its hash."""
    read_network(in_file("walk.npz", data), hashlib.sha256(data).hexdigest())


def monitor_log(data: bytes) -> None:
    """A log of a soccer server, and what a replay asks of it."""
    log = MonitorLog(in_file("game.log", data))
    for seconds in (0.0, log.duration / 2, log.duration):
        for number in log.before(seconds):
            log.message(number)


def run_log(data: bytes) -> None:
    """The log of a run, done again."""
    path = in_file("run.jsonl", data)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        bml_replay.run(Namespace(file=str(path)))


def commands(name: str, data: bytes) -> None:
    """Commands as JSON lines, and their bytes."""
    made = registry.codec(name)
    for _, command in read_commands(text(data).splitlines(), resolve(registry.spec(name).commands)):
        made.encode(command)


def mcp_call(data: bytes) -> None:
    """A tool call of a host; ``call_tool`` answers each with a result."""
    try:
        call = json.loads(text(data))
    except (ValueError, RecursionError):
        return
    if not isinstance(call, dict):
        return
    name, arguments = call.get("name"), call.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return  # refused by the library
    result = call_tool(name, arguments)
    if result is not None and result.is_error:
        raise CommandError(result.content[0].text)
    str(result)


READERS: dict[str, Callable[[bytes], object]] = {
    **{f"codec_{name}": partial(codec, name) for name in sorted(registry.OURS)},
    **{f"commands_{name}": partial(commands, name) for name in sorted(registry.OURS)},
    "bml": bml,
    "yaml": lambda data: safe_yaml.load(text(data)),
    "body": lambda data: parse_body(text(data), "body.yaml"),
    "parameters": lambda data: read_parameters(str(in_file("p.yaml", data)), PARAMETERS, "mujoco_body"),
    "urdf": lambda data: read_urdf(text(data)),
    "servos": lambda data: read_servo_setup(read_urdf(text(data))),
    "plan": lambda data: parse_plan_file(text(data), "plan.yaml"),
    "bag": bag,
    "bag_index": bag_index,
    "calibration": lambda data: load_calibration(in_file("calibration.yaml", data)),
    "tape": tape,
    "motion": motion,
    "launch": launch,
    "mjcf": model,
    "mcp": mcp_call,
    "network": network,
    "monitor_log": monitor_log,
    "run_log": run_log,
    "things": lambda data: parse_things(text(data), "things.yaml"),
}


@cache
def good_bag() -> Path:
    from bag_files import write_texts

    return write_texts(Path(FOLDER.name) / "good", {0.1 * i: f"text {i}" for i in range(10)})


def mcap(folder: Path) -> Path:
    return next(folder.glob("*.mcap"))


@cache
def good_network() -> bytes:
    file = io.BytesIO()
    layers = np.array(["affine", "linear", "elu", "normalize", "linear"])
    arrays = {"0.scale": np.ones(3), "0.shift": np.zeros(3), "3.epsilon": np.array(1e-5)}
    for number, shape in ((1, (4, 3)), (4, (2, 4))):
        arrays |= {f"{number}.weight": np.ones(shape, np.float32), f"{number}.bias": np.zeros(shape[0])}
    np.savez_compressed(file, layers=layers, **arrays)
    return file.getvalue()


def files(name: str) -> Iterator[Path]:
    kind, _, protocol = name.partition("_")
    if kind in ("codec", "commands"):
        yield from (DATA / protocol / "samples").glob("*.bin" if kind == "codec" else "*.jsonl")
    places = {
        "bml": (DATA / "bml", "*.json"),
        "yaml": (ROOT / "config/bodies", "*.yaml"),
        "body": (ROOT / "config/bodies", "*.yaml"),
        "parameters": (ROOT / "config", "parameters.yaml"),
        "urdf": (ROOT / "urdf", "*.urdf"),
        "servos": (ROOT / "urdf", "*_*[mx].urdf"),
        "plan": (ROOT / "config/plans", "*.yaml"),
        "launch": (ROOT / "launch/body", "*.launch.xml"),
        "monitor_log": (DATA / "simspark_monitor/samples", "s*.bin"),
        "run_log": (DATA / "run_log", "*.jsonl"),
    }
    if name in places:
        folder, pattern = places[name]
        yield from folder.glob(pattern)
    yield from (Path(__file__).parent / "corpus" / name).glob("*")


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    """Good inputs of a reader, and what was found before."""
    own = {
        "mjcf": (SMALL_MJCF,),
        "launch": (SMALL_LAUNCH,),
        "mcp": CALLS,
        "motion": (MOTION,),
        "tape": (TAPE,),
        "calibration": (CALIBRATION,),
        "things": (THINGS,),
    }
    if name == "bag":
        own[name] = (mcap(good_bag()).read_bytes(),)
    if name == "bag_index":
        own[name] = ((good_bag() / "metadata.yaml").read_bytes(),)
    if name == "network":
        own[name] = (good_network(),)
    found = [path.read_bytes() for path in sorted(files(name))]
    if name.startswith("codec_") or name == "monitor_log":
        found = [data[:MAX_STREAM] for data in found]
    if name == "monitor_log":
        lines = b"((FieldLength 20))((time 0.5))\n[1]((time 1.2)(play_mode 3))(RSG 0 1)\n((gt 1 2) 3.25)\n"
        own[name] = (lines, gzip.compress(lines))
    return (*own.get(name, ()), *(data for data in found if len(data) <= MAX_DOCUMENT))


def survive(name: str, data: bytes) -> bool:
    """Read it; whether it was good. Anything but an error of this package is a finding."""
    try:
        READERS[name](data)
    except BridgeError:
        return False
    return True
