# SPDX-License-Identifier: Apache-2.0
"""Replies of broken or hostile servers; each is sent to its end or until the client disconnects."""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

OK: Final = json.dumps({"type": "delay", "duration": 0.1}).encode()
DRIP_S: Final = 0.05  # between two bytes
SLOW_S: Final = 60.0
MEGABYTE: Final = 1 << 20
BOMB_MEGABYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes to send after waiting ``wait`` s."""

    data: bytes
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Status (0: no status line), headers, body. Without a Content-Length the body ends with the connection."""

    body: Callable[[], Iterator[Part]]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def _whole(body: bytes) -> Callable[[], Iterator[Part]]:
    return lambda: iter((Part(body),))


def _dripping() -> Iterator[Part]:
    while True:
        yield Part(b" ", DRIP_S)


def _endless() -> Iterator[Part]:
    while True:
        yield Part(b" " * 65_536)


def _bomb() -> Iterator[Part]:
    yield Part(gzip.compress(b" " * MEGABYTE, 9) * BOMB_MEGABYTES)  # members of one gzip file


def _redirect(to: str) -> Fault:
    return Fault(_whole(b""), 302, {"Location": to, "Content-Length": "0"})


JSON: Final = {"Content-Type": "application/json"}

FAULTS: Final[Mapping[str, Fault]] = {
    "slow": Fault(lambda: iter((Part(OK, SLOW_S),)), headers=JSON),
    "drip": Fault(_dripping, headers=JSON),
    "endless": Fault(_endless, headers=JSON),
    "bomb": Fault(_bomb, headers={**JSON, "Content-Encoding": "gzip"}),
    "large": Fault(_endless, headers={**JSON, "Content-Length": str(1 << 40)}),
    "short": Fault(_whole(OK), headers={**JSON, "Content-Length": str(len(OK) + 1000)}),
    "type": Fault(_whole(b"<html>not found</html>"), headers={"Content-Type": "text/html"}),
    "untyped": Fault(_whole(OK)),
    "error": Fault(_whole(b"{}"), 500, JSON),
    "not_json": Fault(_whole(b"{"), headers=JSON),
    "deep": Fault(_whole(b"[" * 100_000), headers=JSON),
    "loopback": _redirect("http://127.0.0.1:1/"),
    "metadata": _redirect("http://169.254.169.254/latest/meta-data/"),
    "file": _redirect("file:///etc/passwd"),
    "circle": _redirect("/fault/circle"),
    "nowhere": Fault(_whole(b""), 302, {"Content-Length": "0"}),
    "hang_up": Fault(lambda: iter(()), 0),
    "garbage": Fault(_whole(b"\x00\xff" * 100 + b"\r\n\r\n"), 0),
}
