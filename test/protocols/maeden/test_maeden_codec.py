# SPDX-License-Identifier: Apache-2.0
"""Lines to events and commands to lines, in every dialect."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maeden_recordings import RECORDINGS, STREAMS

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.protocols.maeden.codec import MAX_LINE, Codec
from embodiment_bridge.protocols.maeden.command_writer import is_heard, read_heard, sentence_of, text_of
from embodiment_bridge.protocols.maeden.events import (
    Act,
    AgentId,
    Ending,
    Join,
    Message,
    NoPacket,
    Percept,
    SayCommand,
    SayQuestion,
)
from embodiment_bridge.protocols.maeden.packets import MAX_ITEMS, write_json, write_lines
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown

EMPTY_ROW = "(() () () () ())"
VIEW_T = '((() () () () ())(() () ("0") () ())(() () ("K") () ())' + EMPTY_ROW * 3 + '(() ("+") () () ()))'
PACKET_T = ["8", "f", '("T")', VIEW_T, '("K" "$")', "()", "1999", "ok", "4"]
VIEW_J = [[[], [], [], [], []] for _ in range(7)]
VIEW_J[1][2], VIEW_J[2][2], VIEW_J[6][1] = ["0"], ["K"], ["+"]
PACKET_J = ["CONTINUE", "f", ["T"], VIEW_J, ["K", "$"], None, 1999, "ok", 4]

ACT_WORDS = [
    (Act("forward"), "f"),
    (Act("backward"), "b"),
    (Act("left"), "l"),
    (Act("right"), "r"),
    (Act("grab"), "g"),
    (Act("grab", "K"), "g K"),
    (Act("drop", "+"), "d +"),
    (Act("use", "T"), "u T"),
    (Act("wait"), "w"),
    (Act("attack"), "a"),
    (Act("kill"), "k"),
    (SayCommand("talk", "lead", "+", 1000), "talk command lead + 1000"),
    (SayQuestion("shout", "where", "K"), "shout question where K"),
    (SayQuestion("talk", "where", "K", "left"), "talk question where K left"),
]


def text(lines, end="\n"):
    return "".join(line + end for line in lines).encode()


def array(**changes):
    names = ("status", "smell", "inventory", "view", "ground", "messages", "energy", "result", "time")
    values = [changes.get(name, value) for name, value in zip(names, PACKET_J, strict=True)]
    return json.dumps(values).encode() + b"\n"


def fed(data, dialect="auto"):
    return Codec(dialect).feed(data)


def same(percept):
    """A percept without what differs between dialects."""
    return dataclasses.replace(percept, offset=0, dialect="", raw="")


def strings(values):
    return json.dumps(values).encode() + b"\n"


SAME_IN_ALL = {
    "T": text(["0", *PACKET_T]),
    "T with CRLF": text(["0", *PACKET_T], "\r\n"),
    "T with odd blanks": text(
        ["0", *[line.replace(") (", ")(").replace(")", " )").replace("( ", "(") for line in PACKET_T]]
    ),
    "T without quotes": text(["0", *[line.replace('"', " ") for line in PACKET_T]]),
    "J1": b"0\n" + strings([*PACKET_T[1:5], "[]", "1999", "ok", "4"]),
    "J2, J4": b"0\n" + array(),
    "J3": b"0\n" + array(view=VIEW_J[::-1]),
    "numbers as strings": b"0\n" + array(energy="1999", time="4"),
    "messages as a list": b"0\n" + array(messages=[]),
}


@pytest.mark.parametrize("name", SAME_IN_ALL)
def test_every_dialect_says_the_same(name):
    agent, percept = fed(SAME_IN_ALL[name])
    assert agent == AgentId(0, "0")
    expected = fed(SAME_IN_ALL["T"])[1]
    assert same(percept) == same(expected)
    assert (percept.inventory, percept.ground, percept.energy, percept.world_time) == (
        ("T",),
        ("K", "$"),
        1999,
        4,
    )
    assert (percept.view[1][2], percept.view[2][2], percept.view[6][1]) == (("0",), ("K",), ("+",))


def test_a_packet_is_read_as_it_was_written():
    """The stand-in writes by the table by which the codec reads."""
    line = "((0 here talk (command lead +) 1000)(1 here shout (question where K)))"
    (percept,) = fed(text([*PACKET_T[:5], line, *PACKET_T[6:]]))
    assert write_lines(percept) == percept.raw.split("\n")
    silent = dataclasses.replace(percept, messages=())
    for written in (write_json(percept), write_json(percept, reversed_rows=True)):
        assert same(fed(text(["0", written]))[1]) == same(silent)


@pytest.mark.parametrize(
    ("word", "ending"), [("die", "DIE"), ("success", "SUCCESS"), ("End", "END"), ("DIE", "DIE")]
)
def test_endings_in_any_case(word, ending):
    assert fed(text(["3", word]))[-1] == Ending(2, ending)


@pytest.mark.parametrize("status", ["DIE", "SUCCESS", "END", "continue"])
def test_status_of_an_array(status):
    assert fed(b"0\n" + array(status=status, energy=-1))[1].status == status.upper()


def test_ids_have_many_digits_and_unknown_things_pass():
    view = VIEW_T.replace('"0"', '"123" "%" "alien"')
    agent, percept = fed(text(["123", *PACKET_T[:3], view, *PACKET_T[4:6], "-7", *PACKET_T[7:]]))
    assert agent.id == "123"
    assert percept.view[1][2] == ("123", "%", "alien")
    assert percept.energy == -7


def test_an_agent_may_have_the_id_8():
    told = fed(text(["8", *PACKET_T]))
    assert [type(event) for event in told] == [AgentId, Percept]
    assert told[0].id == "8"


@pytest.mark.parametrize("offset", [1, 2, 3, 4, 5, 6, 8, 9])
def test_two_first_packets_that_mix_come_apart(offset):
    """The second runs ``offset`` lines behind the first."""
    later = [*PACKET_T[:8], "5"]
    lines = []
    for number in range(9 + offset):
        lines += PACKET_T[number : number + 1]
        lines += later[number - offset : number - offset + 1] if number >= offset else []
    told = fed(text(["0", *lines]))
    assert [event.world_time for event in told[1:]] == [4, 5]
    assert same(told[1]) == dataclasses.replace(same(told[2]), world_time=4)


HEARD = [
    ("((0 here talk (command lead +) 1000))", ("0", "here", "talk", "command", ("lead", "+"), 1000)),
    ("((1 left shout (question where K)))", ("1", "left", "shout", "question", ("where", "K"), None)),
    ("((1 back t (question where K left)))", ("1", "back", "t", "question", ("where", "K", "left"), None)),
    ("((0 here talk (command ) () 1))", ("0", "here", "talk", "command", (")", "("), 1)),
]


@pytest.mark.parametrize(("line", "parts"), HEARD)
def test_messages(line, parts):
    message = fed(text(["0", *PACKET_T[:5], line, *PACKET_T[6:]]))[1].messages[0]
    assert (message.sender, message.direction, message.volume, message.category) == parts[:4]
    assert (message.words, message.payment) == parts[4:]


def test_where_the_shapes_do_not_tell_the_packets_apart_the_next_one_is_read():
    """A count line behind the result looks like a time of 8."""
    mixed = ["0", *PACKET_T[:8], "8", "4", *PACKET_T[1:8], "5"]
    told = fed(text([*mixed, *PACKET_T[:8], "77"]))
    assert (told[1].world_time, told[-1].world_time) == (8, 77)
    assert any(isinstance(event, Malformed) for event in told)


def test_several_messages_follow_each_other_without_a_blank():
    line = "((0 here talk (command lead +) 1000)(1 here shout (question where K)))"
    messages = fed(text(["0", *PACKET_T[:5], line, *PACKET_T[6:]]))[1].messages
    assert [message.sender for message in messages] == ["0", "1"]


@pytest.mark.parametrize(("command", "words"), ACT_WORDS)
def test_commands_in_words_and_as_objects(command, words):
    for dialect in ("auto", "text", "j1", "j2"):
        assert Codec(dialect).encode(command) == words.encode() + b"\n"
    first, *rest = words.split()
    line = Codec("json").encode(command)
    assert json.loads(line) == {"command": first, "arguments": rest}
    assert line.endswith(b"}\n")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("T", b"l\n"),
        ("J1", b"l\n"),
        ("J3", b'{"command":"l","arguments":[]}\n'),
        ("J2, J4", b'{"command":"l","arguments":[]}\n'),
    ],
)
def test_auto_answers_in_the_dialect_that_it_heard(name, line):
    codec = Codec()
    codec.feed(SAME_IN_ALL[name])
    assert codec.encode(Act("left")) == line


def test_j2_takes_words_though_it_sends_arrays():
    codec = Codec("j2")
    codec.feed(b"0\n" + array(view=VIEW_J[::-1]))
    assert codec.encode(Act("left")) == b"l\n"


REFUSED = [
    (Act("fly"), "fly"),
    (Act("grab", "="), "Act.thing"),
    (Act("grab", "A"), "Act.thing"),
    (Act("forward", "K"), "Act.thing"),
    (Join("emperor"), "role"),
    (SayCommand("yell", "lead", "+", 1), "volume"),
    (SayCommand("talk", "", "+", 1), "name"),
    (SayCommand("talk", "two words", "+", 1), "name"),
    (SayCommand("talk", "lead", "(", 1), "subject"),
    (SayCommand("talk", "lead", '"', 1), "subject"),
    (SayCommand("talk", "lead", "a\nk", 1), "subject"),
    (SayCommand("talk", "lead", "+", "much"), "payment"),
    (SayQuestion("talk", "where", "K", "a b"), "answer"),
    (Unknown(0, b"two\nlines"), "one line"),
    ("f", "str"),
]


@pytest.mark.parametrize(("command", "reason"), REFUSED)
def test_what_would_stall_or_kill_is_refused(command, reason):
    with pytest.raises(CommandError, match=reason):
        Codec("text").encode(command)


def test_no_role_is_told_to_a_json_server():
    with pytest.raises(CommandError, match="role"):
        Codec("json").encode(Join("base"))


def test_unknown_dialect_is_refused():
    with pytest.raises(ConfigError, match="klingon"):
        Codec("klingon")


BAD = {
    "no JSON": b"[1,2\n",
    "five values": b"[1,2,3,4,5]\n",
    "status": array(status="MAYBE"),
    "smell": array(smell="x"),
    "inventory": array(inventory="K"),
    "view of six rows": array(view=VIEW_J[:6]),
    "row of four": array(view=[row[:4] for row in VIEW_J]),
    "cell of numbers": array(ground=[1]),
    "energy": array(energy=1.5),
    "huge": array(energy=10**30),
    "number of too many digits": array().replace(b"1999", b"9" * 5000),
    "result": array(result="perhaps"),
    "eight numbers": b"[1,2,3,4,5,6,7,8]\n",
    "eight values, one of them broken": b"[1.5,2,3,4,5,6,7,8]\n",
    "deep": b"[" * 2000 + b"]" * 2000 + b"\n",
    "no UTF-8": b"\xff\xfe\n",
    "lone surrogate": array(ground=["\ud800"]),
    "lone surrogate in J1": array(ground=["K"]).replace(b'"K"', b'"\\uDFff"'),
    "lone surrogate in an object": b'{"a": "\\ud800"}\n',
    "long": b"x" * (MAX_LINE + 1) + b"\n",
    "text out of place": b"(()\n",
    "view in T": text([*PACKET_T[:3], "(())", "("]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_line_is_told_and_the_next_packet_is_read(name):
    told = fed(b"0\n" + array() + BAD[name] + array(time=9))
    assert any(isinstance(event, Malformed) and event.reason for event in told)
    assert isinstance(told[-1], Percept)
    assert told[-1].world_time == 9


BROKEN_LINES = {
    "not there": lambda line: [],
    "twice": lambda line: [line, line],
    "cut": lambda line: [line[: len(line) // 2]],
    "something else": lambda line: ["((("],
    "a number": lambda line: ["77"],
}


@pytest.mark.parametrize("how", BROKEN_LINES)
@pytest.mark.parametrize("place", range(9))
@pytest.mark.parametrize("numbers", [("1999", "4"), ("999", "44")], ids=["", "like counts"])
def test_packet_with_a_broken_line_costs_no_other(how, place, numbers):
    """Energy and time may look like the count line of a packet."""
    lines = [*PACKET_T[:6], numbers[0], "ok", numbers[1]]
    broken = [*lines[:place], *BROKEN_LINES[how](lines[place]), *lines[place + 1 :]]
    good = [[*lines[:8], time] for time in ("101", "102", "103")]
    told = fed(text(["0", *lines, *broken, *(line for packet in good for line in packet)]))
    percepts = [event for event in told if isinstance(event, Percept)]
    assert [percept.world_time for percept in percepts][-3:] == [101, 102, 103]
    assert {percept.view for percept in percepts} == {percepts[0].view}


@pytest.mark.parametrize("place", [2, 5, 6])
def test_lists_of_any_depth_are_read_or_told(place):
    """Also those that are just not too deep for the reader of JSON, and are for what is done with them."""
    values = [json.dumps(value) for value in PACKET_J]
    for depth in range(850, 1000):
        values[place] = "[" * depth + "]" * depth
        (event,) = fed(f"[{','.join(values)}]\n".encode())
        assert isinstance(event, Malformed | Percept)


def test_dict_and_strange_word_are_unknown_with_their_bytes():
    told = fed(b'0\n{"a": 1}\nrestart\n')
    assert [event.raw for event in told[1:]] == [b'{"a": 1}', b"restart"]


def test_packet_without_an_id_before_it():
    (percept,) = fed(text(PACKET_T))
    assert percept.world_time == 4


def test_count_and_then_the_end_of_the_episode():
    told = fed(b"0\n8\nDIE\n")
    assert [type(event) for event in told] == [AgentId, NoPacket, Ending]


def test_nothing_on_the_ground_may_be_null():
    assert fed(array(ground=None))[-1].ground == ()


def test_messages_of_an_array_in_any_form():
    line = "(0 here talk (command lead +) 1)"
    assert fed(array(messages=f"({line})"))[-1].messages[0].words == ("lead", "+")
    heard = fed(array(messages=[line, "", {"a": 1}]))[-1].messages
    assert [message.raw for message in heard] == [line, "", '{"a": 1}']


def test_unknown_line_is_sent_again_as_it_came():
    assert Codec().encode(Unknown(0, b"restart")) == b"restart\n"


def test_ends_of_streams():
    assert Codec().close() == []
    lone = Codec()
    told = lone.feed(b"0\n8\n8\n8\n") + lone.close()
    assert [type(event) for event in told] == [AgentId, NoPacket, NoPacket, NoPacket]
    first = Codec()
    told = first.feed(b"8\n") + first.close()
    assert [(type(event), event.offset) for event in told] == [(NoPacket, 0)]
    begun = Codec()
    told = begun.feed(b"8\n(") + begun.close()
    assert told == [Truncated(0, 3)]
    cut = Codec()
    cut.feed(text(["0", *PACKET_T[:4]]))
    (left,) = cut.close()
    assert isinstance(left, Truncated)


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}-{path.name[:-8]}")
def test_recorded_streams_have_nothing_malformed_in_any_chunks(path):
    data = path.read_bytes()
    whole, pieces = Codec(), Codec()
    told = whole.feed(data) + whole.close()
    assert {type(event) for event in told} <= {AgentId, Percept, Ending, NoPacket}
    again = [
        event for i in range(0, len(data), 61) for event in pieces.feed(data[i : i + 61])
    ] + pieces.close()
    assert again == told


def test_bursts_of_recorded_first_connections_come_apart():
    """Lines of a first connection: (number, how many, lines); each is an id and one or two packets."""
    count = doubled = 0
    for path in RECORDINGS.glob("*/connect_race_*.transcript.txt"):
        for row in path.read_text().splitlines():
            if row.startswith("[") and isinstance(value := json.loads(row)[2], list):
                told = fed(text(value))
                assert {type(event) for event in told} == {AgentId, Percept}
                count += 1
                doubled += len(told) == 3
    assert count > 20
    assert doubled > 20


SOME = [path for path in STREAMS if path.name.startswith(("eat", "messages", "odd_messages", "bad_input"))]


@settings(max_examples=100, deadline=None)
@given(
    path=st.sampled_from(SOME),
    changes=st.lists(st.tuples(st.integers(0, 8000), st.binary(min_size=1, max_size=5)), max_size=8),
    size=st.integers(1, 500),
)
def test_changed_recordings_are_survived_in_the_same_way_in_any_chunks(path, changes, size):
    data = bytearray(path.read_bytes())
    for place, piece in changes:
        data[place % len(data) : place % len(data) + len(piece)] = piece
    whole, pieces = Codec(), Codec()
    told = whole.feed(bytes(data)) + whole.close()
    chunks = [bytes(data[i : i + size]) for i in range(0, len(data), size)]
    assert [event for chunk in chunks for event in pieces.feed(chunk)] + pieces.close() == told


ROW = "(() () () () ())"


def percepts(inventory: str = "()", view: str = f"({ROW * 7})") -> list[Percept]:
    lines = ["0", "8", "f", inventory, view, "()", "()", "2000", "ok", "1"]
    events = Codec().feed("".join(f"{line}\n" for line in lines).encode())
    return [event for event in events if isinstance(event, Percept)]


@pytest.mark.parametrize(
    ("text", "items"),
    [("()", ()), ('("K" "T")', ("K", "T")), ("(K T)", ("K", "T")), ('( "a b"c )', ("a b", "c"))],
)
def test_list_of_items(text: str, items: tuple[str, ...]) -> None:
    assert [percept.inventory for percept in percepts(text)] == [items]


@pytest.mark.parametrize(
    "text",
    ["", "K", "(K", "(K))", "()()", '("K', '("")', "((K))", "(((((K)))))", "(" + "K " * MAX_ITEMS + ")"],
)
def test_what_is_no_list_of_items(text: str) -> None:
    assert not percepts(text)


@pytest.mark.parametrize(
    "rows", [[ROW] * 6, [ROW] * 6 + ["()"], [ROW] * 6 + ["K"], [ROW] * 6 + ["(K () () () ())"]]
)
def test_what_is_no_view(rows: list[str]) -> None:
    assert not percepts(view=f"({''.join(rows)})")


SENTENCES = [
    ("command lead + 1000", SayCommand("talk", "lead", "+", 1000)),
    ("shout command lead + 5", SayCommand("shout", "lead", "+", 5)),
    ("question where K", SayQuestion("talk", "where", "K")),
    ("talk question where K left", SayQuestion("talk", "where", "K", "left")),
    ("Hello there", SayCommand("talk", "say", "Hello_there", 0)),
    ("shout fire", SayCommand("shout", "say", "fire", 0)),
    ("command lead +", SayCommand("talk", "say", "command_lead_+", 0)),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_text_becomes_a_sentence(text, sentence):
    assert sentence_of(text) == sentence


@pytest.mark.parametrize("text", ["", "  ", "a (b)", 'say "no"', "bell\x07", "x" * 300])
def test_what_cannot_be_said_is_refused(text):
    with pytest.raises(CommandError):
        sentence_of(text)


TOLD = [
    ("((0 here talk (command say Hello_there) 0))", "Hello there"),
    ("((0 here talk (command lead +) 1000))", "command lead + 1000"),
    ("((1 left shout (question where K left)))", "question where K left"),
    ("((0 here talk (command ) (", "(0 here talk (command ) ("),
    ("((3 back ))", "(3 back )"),
    ("(Message1 Message2)", "Message1 Message2"),
]


@pytest.mark.parametrize(("line", "text"), TOLD)
def test_what_was_said_is_told_to_people(line: str, text: str) -> None:
    (message,) = read_heard(line)
    assert text_of(message) == text


@pytest.mark.parametrize("line", ["()", "", "( ) "])
def test_nothing_was_heard(line: str) -> None:
    assert read_heard(line) == ()


def test_what_cannot_be_read_keeps_its_words() -> None:
    assert read_heard("((3 back talk hm))") == (
        Message("3", "back", "talk", "", (), None, "(3 back talk hm)"),
    )


@pytest.mark.parametrize(
    ("line", "whether"),
    [("()", True), ("((0 here))", True), ("(Message1 Message2)", True), ('("K")', False), ("", False)],
)
def test_line_of_messages_is_told_by_its_parentheses(line: str, *, whether: bool) -> None:
    assert is_heard(line) is whether
