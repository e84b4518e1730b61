# SPDX-License-Identifier: Apache-2.0
"""Whatever a host says, a virtual bus neither breaks nor grows, and says only what is a packet."""

from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_stage import VirtualServos

from embodiment_bridge.dynamixel.virtual.faults import WIRE
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder
from embodiment_bridge.dynamixel.wire.instructions import Instruction

IDS = st.sampled_from([0, 1, 2, 3, 252, 254])
CODES = st.one_of(st.sampled_from([int(code) for code in Instruction]), st.integers(0, 255))
ADDRESSES = st.one_of(
    st.integers(0, 700), st.sampled_from([7, 8, 11, 12, 20, 63, 64, 98, 100, 102, 104, 116, 168, 224])
)
SPANS = st.tuples(ADDRESSES, st.integers(0, 140)).map(lambda s: b"".join(n.to_bytes(2, "little") for n in s))
PARAMETERS = st.one_of(
    st.binary(max_size=30),
    st.tuples(ADDRESSES, st.binary(max_size=8)).map(lambda s: s[0].to_bytes(2, "little") + s[1]),
    st.tuples(SPANS, st.binary(max_size=12)).map(b"".join),
    st.just(packet.TURNS),
    st.just(packet.STORE),
)
SAID = st.one_of(
    st.tuples(IDS, CODES, PARAMETERS).map(lambda s: packet.instruction(*s)),
    st.tuples(IDS, CODES, PARAMETERS).map(lambda s: packet.instruction(*s, protocol=1)),
    st.binary(max_size=20),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(SAID, st.sampled_from([0.0, 0.001, 0.5])), max_size=25))
def test_any_instructions_are_survived(said):
    stage = VirtualServos("xm430_w350", "xl330_m288", "ax_12a", voltage=6.5)
    decoder = PacketDecoder("both", (1, 2))
    for data, seconds in said:
        stage.bus.receive(data)
        stage.clock.advance(seconds)
        found = decoder.feed(stage.bus.transmit())
        assert all(isinstance(each, Packet) for each in found)
    shot = stage.bus.snapshot()
    assert len(stage.bus.servos.chain) == 3
    for servo in stage.bus.servos.chain:
        item = servo.table.item("goal_position")
        assert item.lower <= shot[servo.id]["goal_position"] <= item.upper or servo.protocol == 2
        assert len(servo.memory.bytes) == servo.table.size


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(WIRE)), st.floats(0, 1)), max_size=6),
    st.lists(SAID, max_size=15),
    st.integers(0, 1000),
)
def test_any_faults_are_survived(faults, said, seed):
    stage = VirtualServos("xm430_w350", "xm430_w350", seed=seed)
    for kind, probability in faults:
        stage.bus.inject(kind, probability=probability)
    for data in said:
        stage.bus.receive(data)
        stage.clock.advance(0.002)
        stage.bus.transmit()
    stage.bus.heal()
    stage.clock.advance(60.0)
    stage.bus.transmit()
    stage.bus.update()
    assert len(stage.bus.snapshot()) <= 2
