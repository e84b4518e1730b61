# SPDX-License-Identifier: Apache-2.0
"""Chooses what plays on this machine. These calls may wait: run them on a thread."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Thread
from typing import Final

from embodiment_bridge.core.errors import BridgeError, ConfigError, unknown
from embodiment_bridge.media.outputs.device_output import DeviceOutput
from embodiment_bridge.media.outputs.null_output import NullOutput
from embodiment_bridge.media.outputs.output import Output

OUTPUTS: Final = ("auto", "device", "null")
Warn = Callable[[str], None]


def open_output(
    choice: str,
    environment: Mapping[str, str],
    now: Callable[[], float],
    warn: Warn,
    backend: str = "auto",
) -> Output:
    """Open an output. ``auto`` takes the sound device if there is one, else null; ``warn`` then gets the reason.

    ``backend``: see ``DeviceOutput``.

    Raises:
        BridgeError: ``device`` was chosen and cannot be opened, or the choice is unknown.
    """
    if choice not in OUTPUTS:
        raise ConfigError(unknown("output of sound", choice, OUTPUTS))
    if choice == "null":
        return NullOutput(now)
    try:
        output = DeviceOutput(environment, backend)
    except BridgeError as error:
        if choice == "device":
            raise
        warn(f"sound is timed but not audible: {error}")
        return NullOutput(now)
    if choice == "auto" and not output.has_device:
        output.close()
        warn("sound is timed but not audible: this machine has no sound device")
        return NullOutput(now)
    return output


def in_background(make: Callable[[], Output]) -> "Future[Output]":
    """Call ``make`` on a thread of its own."""
    future: Future[Output] = Future()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(make())
        except Exception as error:  # noqa: BLE001 - the caller gets it with the result
            future.set_exception(error)

    Thread(target=work, name="media-opening", daemon=True).start()
    return future
