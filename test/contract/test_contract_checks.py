# SPDX-License-Identifier: Apache-2.0
"""The checks of this folder find the faults that they are for: each codec here has one."""

from dataclasses import dataclass

import contract_checks as check
import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.dummy.codec import HeadCodec
from embodiment_bridge.protocols.dummy.events import SetJoints
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import LineFramer

STREAM = b"hello head\njoint pan 1 tilt 2 t 3\nbattery 80\n"
BAD = b"joint pan 1\nhello head\n"
COMMANDS = [SetJoints(1.0, 2.0)]


class Raises(HeadCodec):
    def feed(self, data):
        data.decode("ascii")
        return super().feed(data)


class ForgetsUnfinished(HeadCodec):
    def feed(self, data):
        self._lines = LineFramer()
        return super().feed(data)


class TellsNoEnd(HeadCodec):
    def close(self):
        return []


class MiscountsEnd(HeadCodec):
    def close(self):
        return [Truncated(event.offset, event.received + 1) for event in super().close()]


class Hoards(HeadCodec):
    def __init__(self):
        super().__init__()
        self.all = bytearray()

    def feed(self, data):
        self.all += data
        return super().feed(data)


class Shares(HeadCodec):
    lines = LineFramer()

    def __init__(self):
        self._lines = self.lines


class Rewrites(HeadCodec):
    def encode(self, command):
        sent = super().encode(command)
        return sent.upper() if isinstance(command, Unknown) else sent


class StopsAtMalformed(HeadCodec):
    stopped = False

    def feed(self, data):
        events = [] if self.stopped else super().feed(data)
        bad = next((i for i, event in enumerate(events) if isinstance(event, Malformed)), None)
        self.stopped = self.stopped or bad is not None
        return events if bad is None else events[: bad + 1]


class Reorders(HeadCodec):
    def feed(self, data):
        return super().feed(data)[::-1]


class ShowsObjects(HeadCodec):
    def feed(self, data):
        @dataclass(frozen=True)
        class Odd:
            offset: int
            thing: object

        return [Odd(event.offset, object()) for event in super().feed(data)]


class SendsAnything(HeadCodec):
    def encode(self, command):
        return repr(command).encode()


class RaisesOnNan(HeadCodec):
    def encode(self, command):
        return b"set %d\n" % int(command.pan_deg)


class HidesTheField(HeadCodec):
    def encode(self, command):
        try:
            return super().encode(command)
        except CommandError:
            raise CommandError("no") from None


FAULTS = [
    (Raises, lambda make: check.check_survives(make, b"\xff\n")),
    (Reorders, lambda make: check.check_survives(make, STREAM)),
    (ShowsObjects, lambda make: check.check_json(make, STREAM)),
    (ForgetsUnfinished, lambda make: check.check_chunks(make, STREAM, [3])),
    (Shares, lambda make: check.check_two_connections(make, STREAM)),
    (TellsNoEnd, lambda make: check.check_close(make, STREAM, 3)),
    (MiscountsEnd, lambda make: check.check_close(make, STREAM, 3)),
    (Hoards, lambda make: check.check_bounded(make, b"", STREAM)),
    (Hoards, lambda make: check.check_bounded(make, STREAM[:3], b"a")),
    (Rewrites, lambda make: check.check_unknown(make, STREAM)),
    (HeadCodec, lambda make: check.check_unknown(make, STREAM[:11])),
    (StopsAtMalformed, lambda make: check.check_malformed(make, BAD)),
    (HeadCodec, lambda make: check.check_malformed(make, STREAM)),
    (SendsAnything, lambda make: check.check_command(make, COMMANDS, 0)),
    (SendsAnything, lambda make: check.check_no_command(make)),
    (RaisesOnNan, lambda make: check.check_command(make, COMMANDS, 0)),
    (HidesTheField, lambda make: check.check_command(make, COMMANDS, 0)),
]


@pytest.mark.parametrize(("codec", "run"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_fault_is_found(codec, run):
    with pytest.raises((Exception, pytest.fail.Exception)):
        run(codec)


@pytest.mark.parametrize(
    "run",
    [
        lambda make: check.check_survives(make, STREAM + BAD),
        lambda make: check.check_chunks(make, STREAM + BAD, [3, 17]),
        lambda make: check.check_two_connections(make, STREAM),
        lambda make: check.check_close(make, STREAM, 3),
        lambda make: check.check_bounded(make, b"", STREAM),
        lambda make: check.check_unknown(make, STREAM),
        lambda make: check.check_malformed(make, BAD),
        lambda make: check.check_command(make, COMMANDS, 0),
        lambda make: check.check_no_command(make),
    ],
)
def test_sound_codec_passes(run):
    run(HeadCodec)
