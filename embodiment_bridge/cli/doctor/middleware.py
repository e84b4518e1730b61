# SPDX-License-Identifier: Apache-2.0
"""Checks ROS's middleware.

Environment variables, DDS security, the shared memory of Fast DDS, and whether two nodes receive each other's messages.
"""

import fcntl
import mmap
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.input_file import is_dir, is_file
from embodiment_bridge.launching.environment import is_on_loopback

PATIENCE = 2.0  # s of one try; discovery on one machine takes 0.1 to 0.4
TRIES = 3
TURN = 0.02  # s


def check_round_trip(seconds: float | None, error: str) -> Finding:
    """seconds: until a node answered another, with all tries; None: it did not. error: why there were no nodes."""
    if error:
        return fail("round trip", f"two nodes could not be made: {error}", "see the lines above")
    if seconds is None:
        return fail(
            "round trip",
            f"two nodes of one process did not hear each other within {PATIENCE:g} s, in {TRIES} tries",
            f"if this computer is busy ({_load()}), try again later; export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; "
            "look that no firewall stops UDP on the interface lo",
        )
    if seconds > PATIENCE:
        return warn(
            "round trip",
            f"two nodes needed {seconds:.1f} s and more than one try to find each other",
            f"this computer may be busy ({_load()}); robots need time left on it",
        )
    return ok("round trip", f"two nodes found and answered each other within {seconds:.2f} s")


def round_trip(clock: Callable[[], float] = time.monotonic) -> float | None:
    """Return the time (s) until a message came back from a node in another ROS context; None if none did."""
    begun = clock()
    for _ in range(TRIES):
        if _answered(clock):
            return clock() - begun
    return None


def _answered(clock: Callable[[], float]) -> bool:
    import rclpy
    from std_msgs.msg import String

    from embodiment_bridge.nodes.base.runtime import Runtime

    begun = clock()
    heard: list[String] = []
    there, back = (f"embodiment_bridge_doctor_{os.getpid()}/{name}" for name in ("there", "back"))
    with Runtime() as near, Runtime() as far:
        asker = near.add(rclpy.create_node("doctor_asks", context=near.context))
        answerer = far.add(rclpy.create_node("doctor_answers", context=far.context))
        question = asker.create_publisher(String, there, 1)
        answer = answerer.create_publisher(String, back, 1)
        answerer.create_subscription(String, there, answer.publish, 1)
        asker.create_subscription(String, back, heard.append, 1)
        while not heard and clock() - begun < PATIENCE:
            question.publish(String(data="anybody there?"))
            for runtime in (far, near):
                runtime.executor.spin_once(timeout_sec=TURN)
    return bool(heard)


def _load() -> str:
    return f"its load is {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


FOLDER = Path("/dev/shm")
NAMES = ("fastrtps_*", "fastdds_*")  # of Fast DDS 2 and 3
LOCKS = ("_el", "_sl")  # suffixes of the files that a running user keeps locked
ENOUGH = 32 << 20  # bytes; a process takes 0.6 MB


def check_shared_memory(leftovers: int, free: int | None) -> Finding:
    """leftovers: number of unused segments; free: bytes, None without shared memory."""
    what = "shared memory"
    if free is None:
        return warn(what, f"{FOLDER} cannot be used: DDS goes over UDP", f"mount a tmpfs on {FOLDER}")
    text = f"{free >> 20} MB free in {FOLDER}"
    if free < ENOUGH:
        return warn(
            what,
            f"{text}, nodes may not start",
            "`fastdds shm clean`; in a container give more, e.g. --shm-size 256m",
        )
    if leftovers:
        return warn(
            what, f"{text}, {leftovers} segments were left by processes that died", "`fastdds shm clean`"
        )
    return ok(what, text)


def count_leftovers(folder: Path) -> int:
    """Count the segments with a lock file that no process holds."""
    locks = [path for name in NAMES for suffix in LOCKS for path in folder.glob(name + suffix)]
    return sum(not _is_held(path) for path in locks)


def _is_held(path: Path) -> bool:
    """Return whether another process has locked a file; also true for a file that cannot be opened."""
    try:
        with path.open("rb") as file:  # closing the file releases the lock
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


PACKAGE = "embodiment_bridge"
MARKER = Path("share/ament_index/resource_index/packages")
GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"  # set in a Python that the ROS wheels have restarted
RANGES = ("LOCALHOST", "SUBNET", "OFF", "SYSTEM_DEFAULT")
LAST_DOMAIN = 232
LAST_SAFE_DOMAIN = 101  # domains from here to 214 use ephemeral ports of Linux
FIRST_SAFE_HIGH_DOMAIN = 215
DEFAULT_RMW = "rmw_fastrtps_cpp"


def check_prefixes(env: Mapping[str, str], prefix: Path, code: Path) -> Finding:
    """Check that ROS finds the files of this package.

    prefix: of Python; code: the folder of the package's modules.
    """
    what = "AMENT_PREFIX_PATH"
    told = [Path(p) for p in env.get(what, "").split(":") if p]
    absent = [str(p) for p in told if not is_dir(p)]
    found = next((p for p in (told or [prefix]) if is_file(p / MARKER / PACKAGE)), None)
    if found is None:
        where = env.get(what) or f"not set, and {prefix}"
        advice = (
            "run `make venv`"
            if not told
            else "unset AMENT_PREFIX_PATH, or source install/setup.bash of the workspace"
        )
        return fail(what, f"{where} has no package {PACKAGE}", advice)
    if absent:
        return warn(what, f"{', '.join(absent)} not there", "open a new shell and source one setup file only")
    if not code.is_relative_to(found):
        return warn(
            what,
            f"code is from {code}, but launch files and bodies from {found}",
            "unset PYTHONPATH, or build again after each change (`make venv`)",
        )
    return ok(what, f"{PACKAGE} is in {found}")


def check_domain(env: Mapping[str, str]) -> Finding:
    """Check that other programs cannot take the ports of the ROS domain."""
    what = "ROS_DOMAIN_ID"
    text = env.get(what, "")
    if not text:
        return ok(what, "not set: domain 0")
    if not (text.isascii() and text.isdigit()) or int(text) > LAST_DOMAIN:
        return fail(
            what,
            f"{text!r} is not a number from 0 to {LAST_DOMAIN}",
            f"export {what}=0 (up to {LAST_SAFE_DOMAIN})",
        )
    if LAST_SAFE_DOMAIN < int(text) < FIRST_SAFE_HIGH_DOMAIN:
        return warn(
            what,
            f"{text}: its ports may be taken by any program",
            f"export {what}=0 (up to {LAST_SAFE_DOMAIN}, or {FIRST_SAFE_HIGH_DOMAIN} to {LAST_DOMAIN})",
        )
    return ok(what, text)


def check_discovery(env: Mapping[str, str]) -> Finding:
    """Check on which machines nodes discover each other."""
    what = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    advice = f"export {what}=LOCALHOST"
    if "ROS_LOCALHOST_ONLY" in env:
        return warn(
            "discovery",
            f"ROS_LOCALHOST_ONLY={env['ROS_LOCALHOST_ONLY']} is out of date and wins over {what}",
            f"unset ROS_LOCALHOST_ONLY; {advice}",
        )
    told = env.get(what)
    if told is None:
        return ok(
            "discovery", f"{what} is not set: our own commands are on loopback only, `ros2` is on SUBNET"
        )
    if is_on_loopback(env):
        return ok("discovery", "our own profile: this machine only, on loopback")
    if told not in RANGES:
        return fail("discovery", f"{what}={told} is not one of {', '.join(RANGES)}", advice)
    if told == "OFF":
        return warn("discovery", "OFF: programs do not see each other's nodes", advice)
    if told == "LOCALHOST":
        return ok("discovery", "LOCALHOST: this machine only")
    return warn(
        "discovery",
        f"{told}: nodes of other machines are seen too, and see these",
        f"if not wanted, {advice}",
    )


def check_middleware(env: Mapping[str, str], libraries: Sequence[Path]) -> Finding:
    """Check that the chosen ROS middleware is installed. libraries: folders of shared libraries."""
    name = env.get("RMW_IMPLEMENTATION", "") or DEFAULT_RMW
    if any(is_file(folder / f"lib{name}.so") for folder in libraries):
        return ok("middleware", name)
    if name == DEFAULT_RMW:
        return fail("middleware", f"{name} is not installed", "run `make venv`")
    return fail("middleware", f"RMW_IMPLEMENTATION={name} is not installed", "unset RMW_IMPLEMENTATION")


def check_libraries(env: Mapping[str, str], prefix: Path) -> Finding:
    """Check that the libraries of another environment are not found first. prefix: of this Python."""
    told = [Path(p) for p in env.get("LD_LIBRARY_PATH", "").split(":") if p]
    ours = {prefix, *(Path(p) for p in env.get("AMENT_PREFIX_PATH", "").split(":") if p)}
    # Only folders with ROS in them matter; a package of a workspace may have lib/ under its own prefix.
    foreign = [str(p) for p in told if is_dir(p.parent / MARKER) and p.parent not in ours]
    advice = f"unset LD_LIBRARY_PATH {GUARD}"
    if foreign:
        return fail(
            "libraries", f"LD_LIBRARY_PATH names those of another environment: {', '.join(foreign)}", advice
        )
    if env.get(GUARD) and is_dir(prefix / MARKER) and prefix / "lib" not in told:
        return fail("libraries", f"{GUARD} was inherited, so {prefix / 'lib'} is not searched", advice)
    return ok("libraries", "LD_LIBRARY_PATH names no other environment")


SECURITY = "security"
ENABLE, KEYSTORE, STRATEGY = "ROS_SECURITY_ENABLE", "ROS_SECURITY_KEYSTORE", "ROS_SECURITY_STRATEGY"
PLUGIN = b"builtin.PKI-DH"  # name of the authentication plug-in, in a library that was built with it
FAST_DDS = ("libfastrtps.so", "libfastdds.so")


def check_security(env: Mapping[str, str], libraries: Sequence[Path]) -> Finding:
    """Check the variables, and whether the middleware supports security. libraries: folders of shared libraries."""
    if env.get(ENABLE) != "true":
        if env.get(ENABLE):
            return warn(
                SECURITY, f"{ENABLE}={env[ENABLE]} means off; only `true` is on", f"export {ENABLE}=true"
            )
        return ok(SECURITY, "off: every program that can reach this domain may command the robot")
    store = Path(env.get(KEYSTORE, ""))
    if not env.get(KEYSTORE) or not is_dir(store / "enclaves"):
        return fail(
            SECURITY, f"{KEYSTORE}={env.get(KEYSTORE, '')} has no folder enclaves", "docs/ros.md, SROS 2"
        )
    if env.get("RMW_IMPLEMENTATION", "") in ("", DEFAULT_RMW) and not has_plugin(libraries):
        return fail(
            SECURITY,
            "this Fast DDS was built without DDS-Security, so no node starts",
            f"unset {ENABLE}, or use a ROS 2 installation (the wheels on PyPI have none)",
        )
    if env.get(STRATEGY) != "Enforce":
        return warn(SECURITY, "a node without keys runs without security", f"export {STRATEGY}=Enforce")
    return ok(SECURITY, f"on, keys of {store}")


def has_plugin(folders: Iterable[Path]) -> bool:
    """Return whether the middleware in one of the folders supports security; also true if it is not found."""
    files = [folder / name for folder in folders for name in FAST_DDS if is_file(folder / name)]
    if not files:
        return True  # cannot be decided
    with files[0].open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(PLUGIN) >= 0
