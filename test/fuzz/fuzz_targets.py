# SPDX-License-Identifier: Apache-2.0
"""All that reads what others have written: what is read, and good examples of it."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bml import check, read
from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.cli.robots.parameter_file import read_parameters
from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.link.transports.replay import Replay
from embodiment_bridge.mcp_server.arguments import Arguments
from embodiment_bridge.nodes.mujoco.parameters import PARAMETERS
from embodiment_bridge.physics.model_file import compile_spec, read_model
from embodiment_bridge.plans.plan_file import parse_plan_file
from embodiment_bridge.protocols import registry
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
DATA = ROOT / "test/data"
MAX_SEED = 8_000  # bytes
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
CALL = b"""{"name": "do_skill", "arguments": {"skill": "walk", "seconds": 2.5, "wait": true,
"parameters": {"distance": 1, "to": "x"}}}"""
MOTION = b"""swing:
  kind: motion
  channels: [head]
  nominal_s: 1.0
  min_s: 0.5
  track: {joints: [head_pan], points: [[0.0, 0.0], [0.4, 0.2], [1.0, 0.1]]}
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
    """The MCAP file of a recording; its metadata is that of a good one."""
    in_file("bag/metadata.yaml", (good_bag() / "metadata.yaml").read_bytes())
    in_file(f"bag/{mcap(good_bag()).name}", data)
    with BagReader(Path(FOLDER.name) / "bag") as reader:
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


def mcp_call(data: bytes) -> None:
    try:
        call = json.loads(text(data))
    except (ValueError, RecursionError):
        return
    given = call.get("arguments") if isinstance(call, dict) else None
    if not isinstance(given, dict):
        return
    for ask in (
        lambda a: a.text("skill", 100), lambda a: a.number("seconds", 0.0, 60.0), lambda a: a.flag("wait"),
        lambda a: a.mapping("parameters"), lambda a: a.parameters("parameters"),
    ):  # fmt: skip
        with suppress(BridgeError):
            ask(Arguments("do_skill", given, ("skill", "seconds", "wait", "parameters")))


READERS: dict[str, Callable[[bytes], object]] = {
    **{f"codec_{name}": partial(codec, name) for name in sorted(registry.OURS)},
    "bml": bml,
    "yaml": lambda data: safe_yaml.load(text(data)),
    "body": lambda data: parse_body(text(data), "body.yaml"),
    "parameters": lambda data: read_parameters(str(in_file("p.yaml", data)), PARAMETERS, "mujoco_body"),
    "urdf": lambda data: read_urdf(text(data)),
    "plan": lambda data: parse_plan_file(text(data), "plan.yaml"),
    "bag": bag,
    "tape": tape,
    "motion": motion,
    "launch": launch,
    "mjcf": model,
    "mcp": mcp_call,
}


@cache
def good_bag() -> Path:
    from bag_files import write_texts

    return write_texts(Path(FOLDER.name) / "good", {0.1 * i: f"text {i}" for i in range(10)})


def mcap(folder: Path) -> Path:
    return next(folder.glob("*.mcap"))


def files(name: str) -> Iterator[Path]:
    if name.startswith("codec_"):
        yield from (DATA / name.removeprefix("codec_") / "samples").glob("*.bin")
    places = {
        "bml": (DATA / "bml", "*.json"),
        "yaml": (ROOT / "config/bodies", "*.yaml"),
        "body": (ROOT / "config/bodies", "*.yaml"),
        "parameters": (ROOT / "config", "parameters.yaml"),
        "urdf": (ROOT / "urdf", "*.urdf"),
        "plan": (ROOT / "config/plans", "*.yaml"),
    }
    if name in places:
        folder, pattern = places[name]
        yield from folder.glob(pattern)
    yield from (Path(__file__).parent / "corpus" / name).glob("*")


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    """Good inputs of a reader, and what was found before; the ends of long ones are left out."""
    own = {"mjcf": SMALL_MJCF, "launch": SMALL_LAUNCH, "mcp": CALL, "motion": MOTION, "tape": TAPE}
    found = [path.read_bytes()[:MAX_SEED] for path in sorted(files(name))]
    if name == "bag":
        found.append(mcap(good_bag()).read_bytes())
    return (own[name], *found) if name in own else tuple(found)


def survive(name: str, data: bytes) -> bool:
    """Read it; whether it was good. Anything but an error of this package is a finding."""
    try:
        READERS[name](data)
    except BridgeError:
        return False
    return True
