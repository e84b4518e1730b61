# SPDX-License-Identifier: Apache-2.0
import json
import math
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

import pytest

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import frame
from embodiment_bridge.wire.json_text import decode_stream, event_to_json


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    numbers: tuple[float, ...]
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Outer:
    name: str
    offset: int
    inner: Inner | None
    extra: object = None


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            Malformed(3, "why", "what"),
            {"event": "Malformed", "offset": 3, "reason": "why", "excerpt": "what"},
        ),
        (Unknown(0, b"(a)"), {"event": "Unknown", "offset": 0, "raw": "(a)"}),
        (Unknown(0, b"\xff"), {"event": "Unknown", "offset": 0, "raw": {"base64": "/w=="}}),
        (Truncated(9, 2), {"event": "Truncated", "offset": 9, "received": 2}),
        (Inner(()), {"event": "Inner", "numbers": [], "colour": "red"}),
        (
            Outer("x", 1, Inner((1.5, math.nan, math.inf, -math.inf))),
            {
                "event": "Outer",
                "offset": 1,
                "name": "x",
                "inner": {"numbers": [1.5, "nan", "inf", "-inf"], "colour": "red"},
                "extra": None,
            },
        ),
        (
            Outer("x", 1, None, MappingProxyType({"a": (True, b"b"), 2: bytearray(b"c")})),
            {
                "event": "Outer",
                "offset": 1,
                "name": "x",
                "inner": None,
                "extra": {"a": [True, "b"], "2": "c"},
            },
        ),
    ],
)
def test_event_to_json(event, expected):
    written = event_to_json(event)
    assert written == expected
    assert list(written)[:2] == list(expected)[:2]
    assert json.loads(json.dumps(written, allow_nan=False)) == expected


def test_a_stream_is_decoded_to_its_end():
    stream = (
        frame(b"(time (now nan))(See (B (pol 1 2 3)))(MIC hear (5 /w==))") + frame(b"bad") + b"\0\0\0\x05(sy"
    )
    percept, bad, last = decode_stream(Codec(), [stream[:10], stream[10:]])
    assert percept == {
        "event": "Percept",
        "offset": 0,
        "time_s": "nan",
        "game_state": None,
        "orientations": [],
        "positions": [],
        "gyros": [],
        "accelerometers": [],
        "joints": None,
        "touches": [],
        "microphones": [{"name": "hear", "heard": [{"azimuth_deg": 5.0, "message": {"base64": "/w=="}}]}],
        "vision": {
            "points": [{"name": "B", "distance_m": 1.0, "azimuth_deg": 2.0, "elevation_deg": 3.0}],
            "agents": [],
            "letters": False,
        },
    }
    assert bad == {
        "event": "Malformed",
        "offset": 60,
        "reason": "text outside of any list at byte 0",
        "excerpt": "bad",
    }
    assert last == {"event": "Truncated", "offset": 67, "received": 7}


def test_file_may_come_after_an_option(tmp_path, capsys) -> None:
    (tmp_path / "nothing.bin").write_bytes(b"")
    for words in (["--dialect", "seed", "FILE"], ["FILE", "--dialect", "seed"]):
        named = [str(tmp_path / "nothing.bin") if word == "FILE" else word for word in words]
        assert main(["decode", "rcsssmj", *named]) == 0
    with pytest.raises(SystemExit):
        main(["decode", "rcsssmj", str(tmp_path / "nothing.bin"), "--dialect", "seed", "another"])
    assert "another" in capsys.readouterr().err
