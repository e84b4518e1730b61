# SPDX-License-Identifier: Apache-2.0
"""Writes the packets of a virtual bus to a file: one JSON object each, with time, direction, bytes and meaning."""

import json
from pathlib import Path
from types import TracebackType
from typing import IO

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.wire.codec import Codec
from embodiment_bridge.wire.json_text import event_to_json


class Transcript:
    """Writes packets of one or more buses to ``path``; ``of(name)`` is the hook for ``VirtualBus.on_packet``.

    Raises:
        ConfigError: the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        try:
            self._file: IO[str] = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from error

    def __enter__(self) -> "Transcript":
        """The transcript itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def of(self, bus: str) -> "BusTranscript":
        """The hook of one bus."""
        return BusTranscript(bus, self._file)


class BusTranscript:
    """Writes the packets of one bus: ``{"t": s, "bus": name, "dir": "rx" or "tx", "hex": ..., "packet": {...}}``."""

    def __init__(self, bus: str, file: IO[str]) -> None:
        self._bus, self._file = bus, file
        self._codec = Codec()  # for both directions: an answer is recognised by the order of packets

    def __call__(self, time: float, direction: str, raw: bytes) -> None:
        """Write one packet."""
        events = [event_to_json(event) for event in self._codec.feed(raw)]
        for event in events:
            event.pop("offset", None)
        row = {"t": round(time, 6), "bus": self._bus, "dir": direction, "hex": raw.hex(" "), "packet": events}
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
