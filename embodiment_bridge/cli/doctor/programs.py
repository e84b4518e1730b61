# SPDX-License-Identifier: Apache-2.0
"""Checks optional programs and serial ports."""

from collections.abc import Iterable, Mapping
from ctypes.util import find_library
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, ok, warn

OPTIONAL = {
    "rcssservermj": "the demo and start_peer:=true (pip install rcsssmj)",
    "chromium": "looking at the viewer without a browser of one's own (apt install chromium)",
}
VOICE = "espeak-ng"
VOICE_FOR = "speech that is heard (the extra [speech], or pip install espeakng-loader)"
MINIAUDIO = "miniaudio"
MINIAUDIO_FOR = "hearing sound (pip install miniaudio)"
SERIAL = Path("/sys/bus/usb-serial/devices")
BEST_LATENCY = 1  # ms


def check_program(name: str, path: str | None, needed_for: str) -> Finding:
    """The path of a program, or what is not possible without it."""
    return ok(name, path) if path else ok(name, f"absent: needed only for {needed_for}")


def find_voice() -> str | None:
    """The place of espeak-ng: that of PyPI's wheel, else the system's library. Neither is loaded."""
    wheel = find_spec("espeakng_loader")
    return find_library("espeak-ng") if wheel is None else wheel.origin


def find_distribution(name: str) -> str | None:
    """The version of a Python distribution; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def check_serial(timers: Mapping[str, int]) -> Finding:
    """Check latency timers of serial adapters (ms by device): the chip delays a short answer by this time."""
    if not timers:
        return ok("serial ports", "no adapter with a latency timer")
    slow = {name: timer for name, timer in timers.items() if timer > BEST_LATENCY}
    if not slow:
        return ok("serial ports", f"{', '.join(sorted(timers))}: latency timer {BEST_LATENCY} ms")
    return warn(
        "serial ports",
        ", ".join(
            f"{name}: latency timer {timer} ms, at most {1000 // timer} answers/s"
            for name, timer in slow.items()
        ),
        " && ".join(f"echo {BEST_LATENCY} | sudo tee {SERIAL / name / 'latency_timer'}" for name in slow),
    )


def latency_timers(devices: Iterable[Path]) -> dict[str, int]:
    """Latency timers of the devices that have one, ms by name. devices: folders under /sys/bus/usb-serial/devices."""
    timers = {device.name: _read_number(device / "latency_timer") for device in sorted(devices)}
    return {name: timer for name, timer in timers.items() if timer is not None}


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # an adapter without a timer, or unplugged meanwhile
        return None
