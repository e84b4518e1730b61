# SPDX-License-Identifier: Apache-2.0
"""The packet codec: every worked packet both ways, any chunks, noise, and what is refused."""

import dataclasses
from itertools import pairwise

import pytest
from dynamixel_packets import PACKETS, STATUS_OF_TEMPERATURE
from hypothesis import example, given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.dynamixel.wire import events, packet
from embodiment_bridge.dynamixel.wire.codec import Codec
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder, fast_blocks
from embodiment_bridge.dynamixel.wire.instructions import HardwareError, Instruction, error_bits, error_code
from embodiment_bridge.dynamixel.wire.packet import POLYNOMIAL, crc16
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown

TRICKY = st.lists(st.sampled_from([0xFF, 0xFD, 0x00]), max_size=24).map(bytes)
DATA = st.one_of(TRICKY, st.binary(max_size=40))
CUTS = st.lists(st.integers(0, 400), max_size=6)
WORKED = pytest.mark.parametrize(("wire", "event"), [pytest.param(w, e, id=n) for n, w, e in PACKETS])


def pieces(stream, cuts):
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[a:b] for a, b in pairwise(edges)]


def decoded(stream, cuts=(), **options):
    decoder = PacketDecoder(**options)
    return [found for piece in pieces(stream, cuts) for found in decoder.feed(piece)]


def bitwise_crc(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ (POLYNOMIAL if value & 0x8000 else 0)
            value &= 0xFFFF
    return value


@WORKED
def test_worked_packet_is_written(wire, event):
    assert Codec().encode(event) == bytes.fromhex(wire)


@WORKED
def test_worked_packet_is_read(wire, event):
    assert Codec().feed(bytes.fromhex(wire)) == [event]


@pytest.mark.parametrize(
    ("made", "event"),
    [
        (packet.clear(1, "turns"), events.Clear(1, "turns")),
        (packet.clear(1, "errors"), events.Clear(1, "errors")),
        (packet.backup(1, "store"), events.Backup(1, "store")),
        (packet.backup(1, "restore"), events.Backup(1, "restore")),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_the_driver_writes_the_codec_writes_and_reads(made, event):
    assert Codec().encode(event) == made
    assert Codec().feed(made) == [event]


def test_an_instruction_that_protocol_1_lacks_is_unknown_in_it():
    wire = packet.instruction(1, Instruction.CLEAR, protocol=1)
    assert Codec().feed(wire) == [Unknown(0, wire)]


def test_crc_has_its_catalogue_value():
    assert crc16(b"123456789") == 0xFEE8


@given(st.binary(max_size=300), st.integers(0, 300))
def test_crc_is_that_of_its_definition_also_in_parts(data, place):
    assert crc16(data) == bitwise_crc(data)
    assert crc16(data[place:], crc16(data[:place])) == crc16(data)


def test_answer_of_protocol_1_is_known_by_its_question():
    codec = Codec()
    codec.feed(packet.read(1, 43, 1, protocol=1))
    assert codec.feed(STATUS_OF_TEMPERATURE) == [events.Status(1, data=(0x20,), protocol=1, offset=8)]


def test_answers_of_protocol_1_to_a_bulk_read_are_known_by_it():
    question = packet.bulk_read([(1, 30, 2), (2, 36, 1)], protocol=1)
    found = Codec().feed(
        question + packet.status(1, 0, b"\0\2", protocol=1) + packet.status(2, 32, b"\7", protocol=1)
    )
    assert found[1:] == [
        events.Status(1, data=(0, 2), protocol=1, offset=13),
        events.Status(2, "overload", data=(7,), protocol=1, offset=21),
    ]


@pytest.mark.parametrize("event", [events.Clear(1, "errors"), events.Status(1, "error_100")])
def test_rare_packet_comes_back(event):
    assert Codec().feed(Codec().encode(event)) == [event]


def test_answer_to_all_without_a_block_is_unknown():
    body = b"\xff\xff\xfd\0\xfe\4\0\x55\0"
    wire = body + bitwise_crc(body).to_bytes(2, "little")
    assert Codec().feed(wire) == [Unknown(0, wire)]


def test_id_of_no_servo_is_refused():
    (found, *_) = decoded(b"\xff\xff\xfd\0\xfd\3\0\1\0\0")
    assert found.reason == "no servo has this id"


def test_half_of_a_header_of_protocol_1_is_kept_for_the_rest():
    decoder = PacketDecoder("instruction", (1,))
    for byte in packet.ping(1, protocol=1)[:-1]:
        assert decoder.feed(bytes([byte])) == []
    (found,) = decoder.feed(packet.ping(1, protocol=1)[-1:])
    assert found.id == 1


def test_question_of_protocol_1_that_is_repeated_is_no_answer():
    question = packet.read(1, 36, 2, protocol=1)
    kinds = [
        type(event).__name__
        for event in Codec().feed(question * 2 + packet.status(1, 0x02, b"\0\2", protocol=1))
    ]
    assert kinds == ["Read", "Read", "Status"]


@given(TRICKY)
def test_unstuffing_undoes_stuffing(body):
    stuffed = packet.stuff(body)
    assert packet.unstuff(stuffed) == body
    assert b"\xff\xff\xfd" not in stuffed.replace(b"\xff\xff\xfd\xfd", b"\1")


@given(st.integers(0, 252), st.integers(0, 65535), DATA.filter(len), CUTS)
def test_any_write_comes_back(id, address, data, cuts):
    wire = packet.write(id, address, data)
    (found,) = decoded(wire, cuts, kind="instruction")
    assert (found.id, found.instruction, found.parameters) == (id, 3, address.to_bytes(2, "little") + data)
    assert found.raw == wire


@given(st.integers(0, 252), st.integers(0, 255).filter(lambda code: code != 0x55), DATA, CUTS)
@example(0, 255, b"\xff\xfd", [])  # as for a status, of an instruction that no servo knows
def test_any_instruction_comes_back(id, code, parameters, cuts):
    (found,) = decoded(packet.instruction(id, code, parameters), cuts, kind="instruction")
    assert (found.id, found.instruction, found.parameters) == (id, code, parameters)


@given(st.integers(0, 252), st.integers(0, 255), DATA, CUTS)
@example(0, 255, b"\xff\xfd", [])  # the error byte and the data together are what has to be stuffed
@example(1, 255, b"\xff\xfd\xfd", [9])
def test_any_status_comes_back(id, error, data, cuts):
    wire = packet.status(id, error, data)
    assert packet.quick_status(id, error, data) == wire
    (found,) = decoded(wire, cuts)
    assert (found.id, found.error, found.parameters) == (id, error, data)


@given(
    st.lists(st.tuples(st.integers(0, 255), st.integers(0, 252), DATA.filter(len)), min_size=1, max_size=6),
    CUTS,
)
def test_any_fast_status_comes_back(parts, cuts):
    wire = packet.fast_status([(id, error, data) for error, id, data in parts])
    (found,) = decoded(wire, cuts)
    blocks = fast_blocks(found.raw, [(id, len(data)) for _, id, data in parts])
    assert [(block.error, block.id, block.data) for block in blocks] == parts


@given(TRICKY, TRICKY, TRICKY, CUTS)
def test_good_packets_are_found_between_noise(before, data, after, cuts):
    one, other = packet.status(5, 0, data), packet.status(6, 0, b"\1\2")
    stream = before + one + after + b"\x55" + other
    found = [each for each in decoded(stream, cuts) if isinstance(each, Packet)]
    assert found[-1].raw == other
    assert [each.raw for each in found] in ([one, other], [other])
    if not before:
        assert found[0].raw == one
    assert list(map(repr, decoded(stream, cuts))) == list(map(repr, decoded(stream)))


@given(st.binary(max_size=600), CUTS)
def test_any_bytes_are_survived_in_any_chunks(data, cuts):
    for kind in ("status", "instruction", "both"):
        whole = decoded(data, kind=kind, protocols=(1, 2))
        assert list(map(repr, decoded(data, cuts, kind=kind, protocols=(1, 2)))) == list(map(repr, whole))


def test_every_single_damage_is_noticed():
    wire = packet.status(1, 0, b"\1\2\3\4")
    for place in range(len(wire)):
        for bit in range(8):
            bad = bytearray(wire)
            bad[place] ^= 1 << bit
            assert not [each for each in decoded(bytes(bad)) if isinstance(each, Packet)]


def test_a_packet_that_breaks_off_does_not_swallow_the_next():
    good = packet.status(2, 0, b"\1\2\3\4")
    for size in range(1, len(good)):
        found = decoded(packet.status(1, 0, b"\xff" * 4)[:size] + good)
        assert [each.raw for each in found if isinstance(each, Packet)] == [good]


def test_what_dynamixel_sdk_does_not_stuff_is_refused():
    stream = bytes.fromhex("FF FF FD 00 04 0B 00 03 66 00 FF FF FD FF FF FF DD D7")
    decoder = PacketDecoder("instruction")
    assert isinstance(decoder.feed(stream)[0], Malformed)
    assert decoder.rejected["stuffing"] == 1


@pytest.mark.parametrize("length", [0, 1, 2, 4090, 65535])
def test_a_length_that_cannot_be_is_refused_at_once(length):
    decoder = PacketDecoder()
    found = decoder.feed(
        b"\xff\xff\xfd\x00\x01" + length.to_bytes(2, "little") + b"\x55\0\0" + packet.status(1, 0)
    )
    assert [type(each) for each in found] == [Malformed, Packet]
    assert not decoder.pending


def test_an_endless_packet_is_not_kept():
    decoder = PacketDecoder("both", (1, 2))
    for _ in range(300):
        decoder.feed(b"\xff\xff\xfd\x00\x01\xf0\x0f\x03" + bytes(4000))
        assert len(decoder.pending) <= packet.MAX_PACKET


def test_reset_begins_anew():
    decoder = PacketDecoder()
    decoder.feed(packet.status(1, 0)[:7])
    decoder.reset()
    (found,) = decoder.feed(packet.status(1, 0))
    assert found.offset == 7


def test_fast_blocks_of_an_answer_that_broke_off():
    wire = packet.fast_status([(1, 0, b"ab"), (2, 0x80, b"cd"), (3, 0, b"ef")])
    items = [(1, 2), (2, 2), (3, 2)]
    assert [len(fast_blocks(wire[:end], items)) for end in (7, 13, 14, 19, 20, 25, 26)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
    ]
    assert [block.id for block in fast_blocks(wire, [(1, 2), (3, 2)])] == [1]
    damaged = wire[:16] + b"?" + wire[17:]
    assert [block.id for block in fast_blocks(damaged, items)] == [1]


def test_protocols_on_one_wire():
    stream = (
        packet.ping(1) + packet.ping(2, protocol=1) + packet.read(3, 0, 2) + packet.read(4, 0, 2, protocol=1)
    )
    found = decoded(stream, kind="instruction", protocols=(1, 2))
    assert [(each.protocol, each.id) for each in found] == [(2, 1), (1, 2), (2, 3), (1, 4)]
    only = decoded(stream, kind="instruction", protocols=(2,))
    assert [each.id for each in only if isinstance(each, Packet)] == [1, 3]


def test_codec_tells_unknown_malformed_and_truncated():
    codec = Codec()
    strange = packet.instruction(1, 0x31, b"\1")
    assert codec.feed(strange + packet.instruction(1, 0x02, b"\1") + packet.ping(1)[:4]) == [
        Unknown(0, strange),
        Malformed(11, "wrong parameters for 'read'", "ff ff fd 00 01 04 00 02 01 a2 7e"),
    ]
    assert codec.close() == [Truncated(22, 4)]


def test_instruction_that_protocol_1_does_not_have_is_unknown():
    clear = bytes([0xFF, 0xFF, 1, 2, 0x10, 0xEC])
    assert Codec("1.0").feed(clear) == [Unknown(0, clear)]


def test_dialect_is_one_of_three():
    assert [type(event) for event in Codec("2.0").feed(packet.ping(1, protocol=1))] == [Malformed]
    with pytest.raises(ConfigError, match=r"unknown dialect '3.0'"):
        Codec("3.0")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: packet.ping(253), "id is 253"),
        (lambda: packet.ping(255), "id is 255"),
        (lambda: packet.read(254, 0, 1), "id is 254"),
        (lambda: packet.read(1, 70000, 1), "address is 70000"),
        (lambda: packet.read(1, 0, 0), "size is 0"),
        (lambda: packet.write(1, 0, [256]), "data is"),
        (lambda: packet.write(1, 0, 5), "data is 5"),
        (lambda: packet.write(1, 0, bytes(5000)), "too long"),
        (lambda: packet.factory_reset(1, 3), "scope is 3"),
        (lambda: packet.sync_read(0, 4, []), "ids are"),
        (lambda: packet.sync_read(0, 4, [1, 1]), "none of them twice"),
        (lambda: packet.sync_write(0, 4, {}), "ids are"),
        (lambda: packet.sync_write(0, 4, {1: b"\0"}), "data of id 1 has 1 bytes; size is 4"),
        (lambda: packet.sync_write(0, 1, {254: b"\0"}), "ids is 254"),
        (lambda: packet.status(1, 256), "error is 256"),
        (lambda: packet.read(1, 256, 1, protocol=1), "address is 256"),
        (lambda: packet.write(1, 0, bytes(254), protocol=1), "too many"),
        (lambda: packet.sync_write(0, 4, {1: b"\0"}, protocol=1), "data of id 1 has 1 bytes; size is 4"),
        (lambda: Codec().encode(Unknown(0, b"\xff\xff")), "Unknown.raw"),
        (lambda: Codec().encode(Unknown(0, "FF FF")), "Unknown.raw is 'FF FF'"),
        (lambda: Codec().encode(events.FactoryReset(1, 2, 1)), "scope is 2; protocol 1 knows 255"),
        (lambda: Codec().encode(events.Status(1, alert=True, protocol=1)), "alert is True"),
        (lambda: Codec().encode(events.Clear(1, "all")), "what is 'all'"),
        (lambda: Codec().encode(events.Backup(1, ["store"])), r"what is \['store'\]"),
        (lambda: Codec().encode(events.Status(1, "acces")), "did you mean 'access'"),
        (lambda: Codec().encode(dataclasses.replace(events.Ping(1), protocol=3)), "protocol is 3"),
    ],
)
def test_what_cannot_be_sent_is_named(make, words):
    with pytest.raises(CommandError, match=words):
        make()


def test_error_codes():
    for bits in (
        HardwareError.VOLTAGE,
        HardwareError.OVERHEATING,
        HardwareError.OVERLOAD,
        HardwareError.ENCODER,
    ):
        assert error_bits(error_code(bits)) == bits
    assert error_bits(0) == error_bits(9) == error_bits(18) == 0  # nothing, a warning, the bus watchdog
    assert error_bits(99) == HardwareError.ENCODER  # not in the manual: a fault all the same


@pytest.mark.parametrize(
    ("error", "data"), [(0, b""), (0x83, b"abc"), (0xFF, b"\xfd"), (0, b"\xff\xff\xfd"), (0, bytes(201))]
)
def test_status_that_is_made_quickly_is_the_same(error, data):
    assert packet.quick_status(1, error, data) == packet.status(1, error, data)


def test_packet_of_an_unknown_instruction_is_sent_again_as_it_came():
    raw = packet.ping(1)
    assert Codec().encode(Unknown(0, raw)) == raw


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (packet.ping(1, protocol=1)[:-1] + b"\x00", "checksum"),
        (b"\xff\xff\x01\x1e", "broken off"),  # before the next packet
        (b"\xff\xff\xff\x02", ""),  # no servo has the id 255
        (b"\xff\xff\x01\x01", ""),  # shorter than any packet
    ],
)
def test_broken_packet_of_protocol_1_does_not_swallow_the_next(broken, reason):
    *told, last = PacketDecoder("both", (1, 2)).feed(broken + packet.ping(1))
    assert isinstance(last, Packet)
    assert last.raw == packet.ping(1)
    assert reason in "".join(one.reason for one in told)
