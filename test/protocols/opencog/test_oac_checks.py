# SPDX-License-Identifier: Apache-2.0
"""What an OAC takes: our schemas against the known verdicts, time order, order of processing; and time stamps."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.opencog.plans.plan_ledger import action_report
from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Level, MapData, Vector
from embodiment_bridge.protocols.opencog.xml.wire_values import StampClock, centiseconds, is_date_time
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.standins.oac.intake import OacIntake, validate, well_formed
from embodiment_bridge.wire.codec import Malformed

ROOT = Path(__file__).parents[3]
DATA = ROOT / "test/data/opencog"
SHARED = ROOT / "../shared/data/opencog"
with (DATA / "conformance_vectors/expected.tsv").open() as table:
    VECTORS = list(csv.DictReader(table, delimiter="\t"))


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["file"])
def test_vector(row):
    data = (DATA / "conformance_vectors" / row["file"]).read_bytes()
    assert (validate(data, "final") == []) == (row["lxml_vs_final_xsd"] == "valid")
    assert (validate(data, "final") == []) == (row["xerces_Val_Auto_with_xsd"] == "accept")
    assert (well_formed(data) == []) == (row["xerces_without_xsd"] == "accept")
    assert not [event for event in read(data) if isinstance(event, Malformed)]


def test_there_are_vectors():
    assert len(VECTORS) == len(list((DATA / "conformance_vectors").glob("*.xml"))) == 25


@pytest.mark.parametrize(("dialect", "folder"), [("final", "."), ("seed", "seed-era-2011-08-08")])
def test_our_schemas_judge_as_the_original_ones(dialect, folder):
    path = SHARED / "xsd" / folder / "BrainProxyAxon.xsd"
    if not path.is_file():
        pytest.skip("OpenCog's schemas are not here")
    original = etree.XMLSchema(etree.parse(path))
    compared = 0
    for sample in sorted(SHARED.glob("*/*.xml")):
        data = sample.read_bytes()
        root = None
        try:
            root = etree.fromstring(data)
        except etree.XMLSyntaxError:
            assert well_formed(data) != [], sample.name
            continue
        if root.tag.endswith("action-plan"):
            continue  # which no OAC is sent
        assert (validate(data, dialect) == []) == original.validate(root), sample.name
        compared += 1
    assert compared > 40


@pytest.mark.parametrize("name", sorted(path.name for path in (SHARED / "samples").glob("*.xml")) or ["none"])
def test_real_samples_are_read(name):
    if name == "none":
        pytest.skip("OpenCog's samples are not here")
    found = read((SHARED / "samples" / name).read_bytes())
    malformed = [event.reason for event in found if isinstance(event, Malformed)]
    assert bool(malformed) == name.endswith("pvpMsg4.xml"), malformed  # which is broken on purpose


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not XML"),
        (b"<oc:embodiment-msg/>", "prefix oc"),
        (b'<?xml version="1.0"?><!DOCTYPE a><a/>', "document type"),
        (b"<a>" * 300, "not XML"),
        (b"<a>\xff</a>", "not XML"),
        (b"<" * 500_000, "over the limits"),
        (b"x" * (5 << 20), "over the limits"),
    ],
)
def test_what_is_no_xml(data, words):
    assert words in validate(data, "seed")[0]
    assert words in well_formed(data)[0]


def test_encoding_of_the_declaration_is_of_no_account():
    data = write([], "seed").replace(b"UTF-8", b"utf-16")
    assert validate(data, "seed") == []


def test_unknown_dialect():
    with pytest.raises(ConfigError, match="'sed'; did you mean 'seed'"):
        validate(b"<a/>", "sed")


def at(second, fraction=0):
    return f"2011-08-20T10:00:{second:02d}.{fraction:03d}"


def blip(id_, second):
    return Blip(at(second), Entity(id_, "object"), Vector(0.0, 0.0, 0.0))


def map_of(*blips):
    return ev.MapInfo(global_position_x=0, global_position_y=0, global_position_offset=10, blips=blips)


def test_oac_takes_what_is_in_time():
    oac = OacIntake("seed")
    first = map_of(blip("1", 1), blip("2", 1))
    assert oac.take(write([first])).events == (first,)
    late = oac.take(write([map_of(blip("3", 0), blip("4", 2))]))
    assert [thing.entity.id for thing in late.events[0].blips] == ["4"]
    assert late.dropped == (f"blip of {at(0)} is older than what came before",)
    assert oac.take(write([ev.AvatarSignal("1", at(1))])).events == ()
    assert oac.take(write([ev.AvatarSignal("1", at(2))])).events != ()  # as late is in time


def test_oac_processes_in_an_order_of_its_own():
    sight = ev.AgentSensorInfo(())
    messages = [
        ev.Communication("1", at(1), "hi"),
        ev.Instruction("1", "2", at(0), "sit"),
        ev.AgentSignal("2", at(1)),
        ev.AvatarSignal("1", at(1)),
        map_of(blip("1", 1)),
    ]
    took = OacIntake("seed").take(write(messages))
    kinds = [ev.MapInfo, ev.AvatarSignal, ev.AgentSignal, ev.Instruction]
    assert [type(event) for event in took.events] == kinds
    assert took.dropped == ("Communication is left alone",)
    assert sight.perceptions == ()


def test_oac_with_its_schema_drops_the_whole_message():
    data = write([map_of(blip("1", 1))]).replace(b'type="object"', b'type="acessory"')
    assert OacIntake("seed").take(data).events == ()
    assert "acessory" in OacIntake("seed").take(data).problems[0]
    assert OacIntake("seed", validating=False).take(data).events[0].blips[0].entity.type == "accessory"


def test_fault_that_shows_late_drops_the_rest():
    data = write([map_of(blip("1", 1)), ev.AvatarSignal("1", at(2)), ev.AgentSignal("2", at(2))])
    took = OacIntake("seed").take(data.replace(b"<avatar-signal", b'<avatar-signal type="dog"'))
    assert [type(event) for event in took.events] == [ev.MapInfo]
    assert took.problems == ("avatar-signal of type 'dog'; the rest of the message is dropped",)


def test_final_oac_keeps_time_of_maps():
    oac = OacIntake("final")
    values = {"global_position_x": 0, "global_position_y": 0, "is_first_time_percept_world": True}
    one = ev.MapInfo(**values, timestamp=at(5), map_data=(MapData(),))
    assert oac.take(write([one], "final")).events == (one,)
    assert oac.take(write([ev.MapInfo(**values, timestamp=at(4))], "final")).events == ()
    assert oac.latest == centiseconds(at(5))


@pytest.mark.parametrize("data", [b"", b"<a/>", b"<oc:action-plan/>", b'<action-plan id="1"/>'])
def test_oac_takes_nothing_else(data):
    assert OacIntake("seed", validating=False).take(data).problems


def test_time_before_2008_freezes_an_oac():
    oac = OacIntake("seed", validating=False)
    data = write([ev.AvatarSignal("1", at(1), levels=(Level("a", 0.5),))])
    oac.take(data.replace(b"2011", b"2007"))
    assert oac.take(data).events == ()


TIMES = [
    ("2008-01-01T00:00:00", 0),
    ("2008-01-01T00:00:00.019Z", 1),
    ("2009-11-20T19:37:49.631", 5960026963),
    ("2009-11-20T19:37:49.631+02:00", 5959306963),
    ("2009-11-20T19:37:49-05:30", 5962006900),
    ("2007-06-18T20:15:00.000-07:00", 18446744072017281616),
    ("2009-1-2T3:4:5", 3171984500),
]


@pytest.mark.parametrize(("text", "time"), TIMES)
def test_time_of_an_oac(text, time):
    assert centiseconds(text) == time


NO_TIMES = [
    "",
    "now",
    "3242342342",
    "2009-11-20 19:37:49",
    "2009-11-20T19:37:49,5",
    "2009-13-20T19:37:49",
    "2009-11-20T19:37",
    "2009-11-20T25:37:49",
    "20090-11-20T19:37:49",
    "2009-11-20T19:37:49.1234567890",
    " 2009-11-20T19:37:49",
]


@pytest.mark.parametrize("text", NO_TIMES)
def test_text_that_is_no_time(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the text differs
        centiseconds(text)
    assert not is_date_time(text)


def test_schema_wants_all_digits():
    assert is_date_time("2009-11-20T19:37:49.631+02:00")
    assert not is_date_time("2009-1-2T3:4:5")


def test_wall_clock_is_told_as_it_is():
    assert StampClock().stamp(1_313_834_400_500_999_999) == "2011-08-20T10:00:00.500"


def test_simulated_time_counts_from_2008():
    clock = StampClock()
    assert clock.stamp(0) == "2008-01-01T00:00:00.000"
    assert clock.stamp(1_500_000_000) == "2008-01-01T00:00:01.500"


def test_clock_that_goes_back_a_little_stands_and_one_that_was_set_goes_on():
    clock = StampClock()
    assert clock.stamp(100_000_000_000) == "2008-01-01T00:01:40.000"
    assert clock.stamp(99_500_000_000) == "2008-01-01T00:01:40.000"
    assert clock.stamp(0) == "2008-01-01T00:01:40.000"
    assert clock.stamp(2_000_000_000) == "2008-01-01T00:01:42.000"


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=20))
def test_stamps_never_go_back_and_never_are_before_2008(times):
    clock = StampClock()
    stamps = [clock.stamp(time) for time in times]
    assert stamps == sorted(stamps)
    assert stamps[0] >= "2008"
    assert all(is_date_time(stamp) for stamp in stamps)
    values = [centiseconds(stamp) for stamp in stamps]
    assert values == sorted(values)


def test_report_is_taken():
    took = OacIntake("seed").take(write([action_report("1", at(1), "4", "walk", "error", 2, "why")]))
    assert took.problems == ()
    assert took.events[0].actions[0].sequence == 2
