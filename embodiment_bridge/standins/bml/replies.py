# SPDX-License-Identifier: Apache-2.0
"""The replies of the stand-in.

A chain of songs with their notes as WAV, and the faulty replies of broken or hostile servers.
"""

import gzip
import io
import json
import math
import struct
import wave
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

# Replies of broken or hostile servers; each is sent to its end or until the client disconnects.

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


# Sounds without a sound library: notes of a scale, as WAV.

RATE: Final = 8000  # Hz
NOTE_S: Final = 0.25
LOUDNESS: Final = 8000  # of 32767
SCALE: Final = (0, 2, 4, 7, 9, 12)  # half tones of a pentatonic scale: any order of them sounds well
LOWEST: Final = {"voice": 220.0, "music": 330.0}  # Hz


def wav(kind: str, name: str, seconds: float) -> bytes:
    """A WAV file (8 kHz, 16 bit, mono) of ``seconds``; ``name`` chooses the melody."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(_samples(LOWEST[kind], zlib.crc32(name.encode()), round(seconds * RATE)))
    return out.getvalue()


def _samples(lowest: float, melody: int, count: int) -> bytes:
    per_note = round(NOTE_S * RATE)
    values = []
    for place in range(count):
        note, within = divmod(place, per_note)
        step = SCALE[(melody >> (note * 3 % 29)) % len(SCALE)]
        pitch = lowest * 2.0 ** (step / 12.0)
        fade = min(1.0, within / 80.0, (per_note - within) / 400.0)  # without a fade every note would click
        values.append(int(LOUDNESS * fade * math.sin(2.0 * math.pi * pitch * within / RATE)))
    return struct.pack(f"<{len(values)}h", *values)


Object = dict[str, Any]

SONGS: Final = ("Little Star", "River Waltz", "Night Train")
COLOURS: Final = ("EYE_RED", "EYE_YELLOW", "EYE_GREEN", "EYE_BLUE")
STEPS: Final = ("HEAD_SHAKE", "WAIST_SHAKE")


def link(base: str, number: int, *, last: bool) -> str:
    """Document ``number`` (from 0) of the chain as JSON; ``base`` is the URL of this server for the client."""
    song = SONGS[number % len(SONGS)]
    words = f"Song number {number + 1}: {song}."
    announce = _play(f"{base}/voice?id={number}.wav", content=words, name="announce")
    dance = {
        "type": "parallel",
        "name": "dance",
        "successPolicy": "SucceedOnOne",
        "behaviors": [
            _play(f"{base}/music?id={number}.wav", content=song, name="song"),
            _for_ever([_body(colour, 0.5) for colour in COLOURS]),
            _for_ever([_body(step, 2.0) for step in STEPS]),
        ],
    }
    follows = _body("RESET", 1.0)
    if not last:
        follows = {
            "type": "request",
            "name": "next",
            "url": f"{base}/request?type=next&round={number + 1}",
        }
    root = {"type": "sequence", "name": f"song {number + 1}", "behaviors": [announce, dance, follows]}
    return json.dumps(root, ensure_ascii=False)


def _play(url: str, **more: str) -> Object:
    return {"type": "player", "action": "play", "url": url, **more}


def _body(action: str, seconds: float) -> Object:
    return {"type": "body", "action": action, "duration": seconds}


def _for_ever(behaviors: list[Object]) -> Object:
    return {"type": "loop", "loop": -1, "behavior": {"type": "sequence", "behaviors": behaviors}}
