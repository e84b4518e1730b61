# SPDX-License-Identifier: Apache-2.0
"""Whole frames of both dialects: what they say, and what of them is unknown or broken."""

import json

import pytest
from monitor_stage import SHORT, decode, slt

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.message_parts import MAX_FOULS, MAX_OTHERS
from embodiment_bridge.protocols.soccer_monitor.scene.events import (
    Ack,
    Environment,
    Foul,
    GameState,
    MonitorState,
)
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import frame
from embodiment_bridge.wire.sexpr import DEFAULT_MAX_DEPTH

GRAPH = f"(nd TRF {slt(1)}(nd SMN (load StdUnitBox)))"
REAL = f"((FieldLength 30)(play_modes BeforeKickOff PlayOn)(time 0.5)(half 1))(RSG 0 1)({GRAPH})"
DOCUMENTED = f"(((FieldLength 30)(play_modes BeforeKickOff PlayOn)(time 0.5)(half 1))(RSG 0 1)({GRAPH}))"


@pytest.mark.parametrize("text", [REAL, DOCUMENTED, REAL.replace(")(", ") \n("), f" {DOCUMENTED} "])
def test_message_of_simspark_as_sent_and_as_documented(text):
    (event,) = decode("simspark_monitor", text)
    assert event.environment == Environment({"FieldLength": 30.0}, ("BeforeKickOff", "PlayOn"))
    assert event.game == GameState(time_s=0.5, half=1)
    assert event.time_s is None
    assert (event.scene.full, event.scene.version, event.scene.depths) == (True, (0, 1), (0, 1))


def test_changes_of_simspark():
    (event,) = decode("simspark_monitor", "((time 12.34))(RDS 0 1)((nd(nd StaticMesh)))")
    assert (event.game.time_s, event.scene.full, event.scene.depths) == (12.34, False, (0, 1))


def test_lists_behind_the_graph_cost_only_themselves():
    state, first, second = decode("simspark_monitor", f"((time 1))(RSG 0 1)({GRAPH})(IMG (s 2 2))(foo)")
    assert state.scene.depths == (0, 1)
    assert [first.raw, second.raw] == [b"(IMG (s 2 2))", b"(foo)"]


GAMES = {
    "(time 6.51999)(half 2)(score_left 3)(score_right 0)(play_mode 4)": GameState(6.51999, 2, 4, 3, 0),
    "(team_left red)(team_right blue sky)": GameState(team_left="red", team_right="blue sky"),
    "(pass_mode_score_wait_left 3.5)": GameState(pass_wait_left_s=3.5),
    "(foul 7 1 1 4)(foul 8 0 2 11)": GameState(fouls=(Foul(7, 1, 1, 4), Foul(8, 0, 2, 11))),
    "(foul 3 2 5)": GameState(fouls=(Foul(None, 3, 2, 5),)),
}


@pytest.mark.parametrize("text", GAMES)
def test_game(text):
    (simspark,) = decode("simspark_monitor", f"({text})(RDS 0 1)((nd))")
    (rsmp,) = decode("rcsssmj_monitor", f"((RSMP 1 0)((gs 1 0){text}))")
    assert simspark.game == rsmp.game == GAMES[text]


def test_game_without_a_scene_and_an_ack():
    state, ack = decode("simspark_monitor", "((time 1)(half 1))", "(ack moved)")
    assert (state.game.time_s, state.scene) == (1.0, None)
    assert ack == Ack(0 + len(frame(b"((time 1)(half 1))")), "moved")


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_components_of_rsmp_in_any_order(order):
    parts = [
        "((gt 1 0)3.44)", f"((sg 1 0)full{GRAPH})", "((gs 1 0)(time 0.5)(half 1))", "((ge 1 0)(FieldLength 55))"
    ]  # fmt: skip
    (event,) = decode("rcsssmj_monitor", "((RSMP 1 0)" + "".join(parts[i] for i in order) + ")")
    assert (event.time_s, event.game.half, event.environment.values) == (3.44, 1, {"FieldLength": 55.0})
    assert event.scene.depths == (0, 1)


def test_text_between_components_costs_only_itself():
    events = decode(
        "rcsssmj_monitor", f"((RSMP 1 0)((gt 1 0)1.0)((sg 1 0)diff(nd))(more 1)((new 2 0)((a))(b)) {'x'} )"
    )
    assert isinstance(events[0], MonitorState)
    assert events[0].scene.depths == (0,)
    assert [event.raw for event in events[1:] if isinstance(event, Unknown)] == [
        b"(more 1)",
        b"((new 2 0)((a))(b))",
    ]
    assert [event.reason for event in events if isinstance(event, Malformed)] == ["brackets that do not pair"]


BAD = {
    "simspark_monitor": [
        "(RSG 0 1)", "((time 1))(RSG 0 1)", "((time 1))(RSG 0 1)((nd)", "((time 1)(RSG 0 1)((nd))", "(((", ")", " ",
        "((time 1))(RSG 0 1)((nd)))", "((half 99999999999999999999))(RSG 0 1)((nd))", "((foul 1 2))", "((time (1)))",
    ],
    "rcsssmj_monitor": [
        "((RSMP 1 0)", "((RSMP 1 0)((gt 1 0)))", "((RSMP 1 0)((sg 1 0)all(nd)))", "((RSMP 1 0)((sg 1 0)full(nd))",
        "((RSMP 1 0)((sg 1 0)full(nd))))", "((RSMP 1 0)((gs 1 0)(score_left x)))", "((RSMP 1 0)((gs 1 0)(foul 1)))",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("protocol", "text"), [(name, text) for name, texts in BAD.items() for text in texts]
)
def test_broken_frames_are_told_and_the_next_is_read(protocol, text):
    good = "((time 2))(RDS 0 1)((nd))" if protocol == "simspark_monitor" else "((RSMP 1 0)((gs 1 0)(time 2)))"
    *events, last = decode(protocol, text, good)
    assert any(isinstance(event, Malformed) for event in events)
    assert last.game.time_s == 2.0


@pytest.mark.parametrize("protocol", SHORT)
@pytest.mark.parametrize(
    "text", ["(" * 10**6, "(nd" * 3 * 10**5, ")" * 10**6, "a" * 10**6, "(a " * 3 * 10**5]
)
def test_a_million_levels_in_any_place_are_refused(protocol, text):
    heads = {
        "simspark_monitor": ["", "((time 1))(RSG 0 1)(", "(("],
        "rcsssmj_monitor": ["", "((RSMP 1 0)((sg 1 0)full"],
    }
    for head in heads[protocol]:
        events = decode(protocol, (head + text)[: 1 << 20])
        assert any(isinstance(event, Malformed) for event in events)
        assert len(events) <= 1001


@pytest.mark.parametrize("protocol", SHORT)
def test_decode_shows_a_recording(protocol, capsys):
    assert main(["decode", protocol, str(SHORT[protocol])]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["event"] for row in rows} == {"MonitorState"}
    assert rows[0]["scene"]["full"] is True
    assert rows[0]["environment"]["play_modes"][3] == "PlayOn"


def test_cut_frame_is_told(tmp_path, capsys):
    path = tmp_path / "cut.bin"
    path.write_bytes(SHORT["simspark_monitor"].read_bytes()[:-3])
    assert main(["decode", "simspark_monitor", str(path)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["event"] == "Truncated"


def test_codecs_are_found():
    for name in SHORT:
        assert registry.spec(name).name == name


GS = "((RSMP 1 0)((gt 1 0)1.0)((gs 1 0)(half 1){})((sg 1 0)full(nd)))"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(half 1 2)", Malformed),
        ("(play_mode)", Malformed),
        ("()", Unknown),
        ("(foo 1)", Unknown),
        ("foo", Malformed),
    ],
)
def test_list_of_the_game_that_is_not_understood_costs_only_itself(text, kind):
    state, told = decode("rcsssmj_monitor", GS.format(text))
    assert state.game == GameState(half=1)
    assert isinstance(told, kind)


def test_fouls_of_one_message_are_limited():
    (state,) = decode("rcsssmj_monitor", GS.format("(foul 7 1 1 4)" * (MAX_FOULS + 1)))
    assert len(state.game.fouls) == MAX_FOULS


def test_unknown_attributes_in_a_scene_are_told():
    state, told = decode("simspark_monitor", "((time 1))(RSG 0 1)((nd SMN (glow 1)))")
    assert state.scene.depths == (0,)
    assert told.raw == b"(glow 1)"


@pytest.mark.parametrize("text", [
    "(foo)" * (MAX_OTHERS + 1),
    f"({'(foo)' * (MAX_OTHERS + 1)})(RSG 0 1)((nd SMN (glow 1)))",
    f"({'(foo)' * (MAX_OTHERS + 1)})(RSG 0 1)(",
])  # fmt: skip
def test_what_is_told_of_a_frame_is_limited(text):
    told = [event for event in decode("simspark_monitor", text) if isinstance(event, Malformed | Unknown)]
    assert len(told) == MAX_OTHERS


@pytest.mark.parametrize("protocol", SHORT)
def test_frames_that_are_no_text_or_too_long_are_told(protocol):
    codec = registry.codec(protocol)
    (text,) = codec.feed(frame(b"(time \xff)"))
    assert "not UTF-8, at byte 6" in text.reason
    (long,) = codec.feed(b"\x7f\xff\xff\xff")
    assert isinstance(long, Malformed)


def test_lists_that_do_not_stand_in_one_list_are_told():
    *_, told = decode("simspark_monitor", "((time 1)))((half 1))(RSG 0 1)((nd))")
    assert "no list before the header" in told.reason


@pytest.mark.parametrize("protocol", SHORT)
def test_lists_of_no_message_that_are_nested_deeply_are_told(protocol):
    deep = "(" * (DEFAULT_MAX_DEPTH + 1) + ")" * (DEFAULT_MAX_DEPTH + 1)
    told, ack = decode(protocol, f"{deep}(ack 7)")
    assert isinstance(told, Malformed)
    assert ack == Ack(0, "7")
