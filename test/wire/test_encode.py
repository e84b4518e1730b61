# SPDX-License-Identifier: Apache-2.0
import json
import math
from dataclasses import dataclass

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.commands import COMMANDS, Beam, Frame, Init, Motor, Say, Syn
from embodiment_bridge.wire.json_text import command_from_json, event_to_json, read_commands


@dataclass(frozen=True)
class Place:
    x: float


@dataclass(frozen=True)
class Everything:
    flag: bool
    blob: bytes = b""
    note: str | None = None
    pair: tuple[int, ...] = ()
    place: Place | None = None


KINDS = (*COMMANDS, Everything)
KNOWN = ", ".join(sorted(kind.__name__ for kind in KINDS))


@pytest.mark.parametrize(
    ("value", "command"),
    [
        ({"command": "Syn"}, Syn()),
        ({"command": "Init", "model": "T1", "team": "A", "number": 1}, Init("T1", "A", 1)),
        ({"command": "Beam", "x": 1, "y": "nan", "theta_deg": -0.5}, Beam(1.0, math.nan, -0.5)),
        ({"command": "Say", "volume": 1, "message": {"base64": "/w=="}}, Say(1.0, b"\xff")),
        (
            {
                "command": "Frame",
                "actions": [
                    {
                        "command": "Motor",
                        "name": "he1",
                        "q_deg": 1,
                        "dq_deg_s": 0,
                        "kp": 2,
                        "kd": 0.5,
                        "tau_nm": 0,
                    },
                    {"command": "Syn"},
                ],
            },
            Frame((Motor("he1", 1.0, 0.0, 2.0, 0.5, 0.0), Syn())),
        ),
        ({"command": "Everything", "flag": True}, Everything(True)),
        (
            {"command": "Everything", "flag": False, "blob": "ä", "note": None, "pair": [1, 2]},
            Everything(False, "ä".encode(), None, (1, 2)),
        ),
        ({"command": "Everything", "flag": False, "note": "x"}, Everything(False, note="x")),
        ({"command": "Everything", "flag": False, "place": {"x": 2}}, Everything(False, place=Place(2.0))),
    ],
)
def test_command_from_json(value, command):
    assert repr(command_from_json(value, KINDS)) == repr(command)


def test_a_message_may_be_text_or_bytes():
    command = command_from_json({"command": "Say", "volume": 1, "message": "hi"}, KINDS)
    assert command.message in ("hi", b"hi")


@pytest.mark.parametrize("command", [Init("T1", "A", 1), Motor("he1", 1.0, 0.0, -math.inf, 0.0, 0.0), Syn()])
def test_what_is_written_as_an_event_is_read_as_a_command(command):
    written = event_to_json(command)
    written["command"] = written.pop("event")
    assert command_from_json(json.loads(json.dumps(written)), KINDS) == command


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], r"^\[\] is no object with a command$"),
        ({"name": "he1"}, rf"^no field 'command' \(known: {KNOWN}\)$"),
        ({"command": "motor"}, "^unknown command 'motor'; did you mean 'Motor'"),
        ({"command": ["Syn"]}, "^unknown command"),
        ({"command": "Syn", "x": 1}, "^unknown field of Syn 'x'"),
        ({"command": "Beam", "x": 1, "Y": 1}, "^unknown field of Beam 'Y'"),
        ({"command": "Beam", "x": 1}, r"^Beam.y is missing \(fields: x, y, theta_deg\)$"),
        ({"command": "Beam", "x": "1"}, "^Beam.x: '1' is no number$"),
        ({"command": "Beam", "x": True}, "^Beam.x: True is no number$"),
        ({"command": "Beam", "x": 10**400}, r"^Beam.x: 1000.*\.\.\..* is too large$"),
        ({"command": "Init", "model": 1}, "^Init.model: 1 is no string$"),
        (
            {"command": "Init", "model": "T1", "team": "A", "number": 1.0},
            r"^Init.number: 1\.0 is no whole number$",
        ),
        ({"command": "Say", "volume": 1, "message": {"base64": "!"}}, "^Say.message: .* is no"),
        ({"command": "Everything", "flag": 1}, "^Everything.flag: 1 is neither true nor false$"),
        ({"command": "Everything", "flag": True, "blob": {"base64": "!"}}, "is neither text nor"),
        ({"command": "Everything", "flag": True, "blob": "\ud800"}, "is neither text nor"),
        ({"command": "Everything", "flag": True, "note": 1}, "^Everything.note: 1 is "),
        ({"command": "Everything", "flag": True, "pair": 1}, "^Everything.pair: 1 is no array$"),
        (
            {"command": "Everything", "flag": True, "pair": [1, "2"]},
            r"^Everything.pair\[1\]: '2' is no whole number$",
        ),
        ({"command": "Everything", "flag": True, "place": 2}, r"^Everything.place: 2 is no object$"),
        (
            {"command": "Everything", "flag": True, "blob": {"base64": 5}},
            r"^Everything.blob: .* neither text nor",
        ),
        ({"command": "Frame", "actions": [1]}, r"^Frame.actions\[0\]: 1 is no object with a command$"),
        (
            {"command": "Frame", "actions": [{"command": "Init"}]},
            r"^Frame.actions\[0\]: unknown command 'Init'",
        ),
        (
            {"command": "Frame", "actions": [{"command": "Syn"}, {"command": "Beam", "x": []}]},
            r"^Frame.actions\[1\]: Beam.x: \[\] is no number$",
        ),
    ],
)
def test_command_from_json_refuses(value, reason):
    with pytest.raises(CommandError, match=reason):
        command_from_json(value, KINDS)


def test_read_commands_numbers_the_lines():
    lines = ['{"command": "Syn"}\n', " \n", '{"command": "Say", "volume": 1, "message": "a"}']
    commands = list(read_commands(lines, COMMANDS))
    assert [(number, type(command)) for number, command in commands] == [(1, Syn), (3, Say)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON: .* at column 2"),
        ("Syn", "no JSON: Expecting value at column 1"),
        ("[" * 100_000, "no JSON: .* nested too deeply"),
        ('{"command": "Beam", "x": ' + "1" * 5000 + "}", "no JSON: a number is too long|Beam"),
        ('{"command": "Beam", "x": 1}', "Beam.y is missing"),
        (r'{"command": "Say", "volume": 1, "message": "a\ud800"}', "Say.message: .* lone surrogate"),
    ],
)
def test_read_commands_names_the_line(line, reason):
    lines = read_commands(['{"command": "Syn"}', "", line], COMMANDS)
    assert next(lines) == (1, Syn())
    with pytest.raises(CommandError, match=f"^line 3: ({reason})"):
        next(lines)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (5, "int is not a dataclass"),
        (Place, "type is not a dataclass"),
        (Place(print), "builtin_function_or_method has no form"),
    ],
)
def test_event_without_a_form_in_json_is_refused(event, reason):
    with pytest.raises(TypeError, match=reason):
        event_to_json(event)
