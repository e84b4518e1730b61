# SPDX-License-Identifier: Apache-2.0
"""What a soccer player knows of its part in the team, and the documents of config/bml/team that go by it."""

from pathlib import Path

import pytest

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.loading import Rules, load
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.bml_server import start_subtrees
from embodiment_bridge.nodes.tree.values.team_feed import (
    ALONE_S,
    NOBODY_M,
    SWING_S,
    Game,
    Seen,
    TeamValues,
    phase,
)

ROOT = Path(__file__).parents[2]
TEAM = ROOT / "config/bml/team"
BALL = Seen("ball", "", 1.0, 0.0, 0.22, 0.0)
PLAY = Game("PlayOn", "left", "us")
OURS = Game("KickOff_Left", "left", "us")


def mate(x: float, *, team: str = "us", height: float = 1.2, age_s: float = 0.0, number: int = 3) -> Seen:
    return Seen(f"player_{team}_{number}", team, x, 0.0, height, age_s)


@pytest.mark.parametrize(
    ("mode", "side", "meaning"),
    [
        ("BeforeKickOff", "left", "before"),
        ("BeforeKickOff", "", "before"),
        ("PlayOn", "right", "play"),
        ("GameOver", "right", "over"),
        ("KickOff_Left", "left", "ours"),
        ("KickOff_Right", "left", "theirs"),
        ("KickOff_Right", "", ""),
        ("corner_kick_left", "right", "theirs"),
        ("goal_kick_right", "right", "ours"),
        ("Goal_Left", "left", "scored"),
        ("Goal_Left", "right", "conceded"),
        ("direct_free_kick_right", "right", "ours"),
        ("half_time", "left", ""),
    ],
)
def test_a_play_mode_means_something_for_each_side(mode: str, side: str, meaning: str) -> None:
    assert phase(mode, side) == meaning


@pytest.mark.parametrize(
    ("others", "lead", "rival", "edge"),
    [
        ([], NOBODY_M - 1.0, NOBODY_M - 1.0, NOBODY_M - 1.0),
        ([mate(1.5)], -0.5, NOBODY_M - 1.0, NOBODY_M - 0.5),
        ([mate(3.0), mate(1.25, team="them")], 1.0, -0.75, -0.75),
        ([mate(1.25), mate(1.5, team="them")], -0.75, -0.5, 0.25),
        ([mate(1.5, height=0.3)], NOBODY_M - 1.0, NOBODY_M - 1.0, NOBODY_M - 1.0),
        ([mate(1.5, age_s=21.0)], NOBODY_M - 1.0, NOBODY_M - 1.0, NOBODY_M - 1.0),
    ],
    ids=[
        "alone",
        "mate nearer",
        "mate and rival",
        "rival and nearer mate",
        "mate lies",
        "mate seen long ago",
    ],
)
def test_how_much_nearer_this_player_is(others: list[Seen], lead: float, rival: float, edge: float) -> None:
    values = TeamValues().of(PLAY, (0.0, 0.0), [BALL, *others], 0.1)
    assert (values["team.ball"], values["team.ball_x"], values["team.ball_y"]) == (1.0, 1.0, 0.0)
    assert (values["team.lead"], values["team.rival"]) == pytest.approx((lead, rival))
    assert values["team.edge"] == pytest.approx(edge)


@pytest.mark.parametrize("place", [None, (0.0, 0.0)])
def test_without_ball_or_place_only_the_phase_is_known(place: tuple[float, float] | None) -> None:
    values = TeamValues().of(PLAY, place, [BALL] if place is None else [], 0.1)
    assert {key: value for key, value in values.items() if value is not None} == {"team.phase": "play"}


def test_the_player_that_took_a_kick_leaves_the_ball_to_the_others_for_a_while() -> None:
    taker, other = TeamValues(), TeamValues()
    at_ball, behind = (0.8, 0.0), (-2.0, 0.0)

    def leads(game: Game, dt: float, *more: Seen) -> list[object]:
        return [
            taker.of(game, at_ball, [BALL, mate(-2.0), *more], dt)["team.lead"],
            other.of(game, behind, [BALL, mate(0.8, number=2), *more], dt)["team.lead"],
        ]

    assert leads(OURS, 0.1) == pytest.approx([2.8, -2.8])
    assert leads(PLAY, 0.1) == pytest.approx([2.8, NOBODY_M - 3.0])  # it still swings its foot
    assert leads(PLAY, SWING_S + 0.1) == pytest.approx([-NOBODY_M, NOBODY_M - 3.0])
    assert leads(PLAY, 0.1) == pytest.approx([-NOBODY_M, NOBODY_M - 3.0])
    assert leads(PLAY, 0.1, mate(1.3, team="them")) == pytest.approx([2.8, -2.8])
    leads(OURS, 0.1)
    leads(PLAY, 0.1)
    assert leads(PLAY, ALONE_S + 0.1) == pytest.approx([2.8, -2.8])


def test_nobody_took_a_kick_whose_time_was_over() -> None:
    values, far = TeamValues(), (-5.0, 0.0)
    values.of(OURS, far, [BALL, mate(-7.0)], 0.1)
    values.of(PLAY, far, [BALL, mate(-7.0)], 0.1)
    assert values.of(PLAY, far, [BALL, mate(-7.0)], SWING_S + 0.1)["team.lead"] == pytest.approx(2.0)


def rules(body: str, simulator: str) -> Rules:
    skills = {info.name: info for info in read_body(ROOT / f"config/bodies/{body}.yaml").skill_infos()}
    files = {"player": "player", "keeper": "keeper", "shoot": f"shoot_{simulator}"}
    return Rules(skills, subtrees={name: (TEAM / f"{file}.json").read_text() for name, file in files.items()})


@pytest.mark.parametrize(("body", "simulator"), [("t1", "rcsssmj"), ("k1", "rcsssmj"), ("nao", "simspark")])
def test_each_player_has_a_document_that_its_body_can_do(body: str, simulator: str) -> None:
    able = rules(body, simulator)
    for number in range(1, 12):
        field = "_simspark" if simulator == "simspark" else ""
        load((TEAM / f"{number}{field}.json").read_text(), able, speech=False)


class Body(VirtualSkills):
    """Keeps the names of the skills that were begun since the last look."""

    def __init__(self, skills):
        super().__init__(skills)
        self.begun: list[str] = []
        self.parameters: dict[str, dict[str, float | str]] = {}

    def start(self, request):
        self.begun.append(request.name)
        self.parameters[request.name] = dict(request.parameters)
        super().start(request)


def play(run: Run, body: Body, seconds: float, begin: float = 0.0) -> None:
    for tick in range(int(5 * seconds)):
        body.advance_to(begin + 0.2 * tick)
        run.tick(begin + 0.2 * tick)


@pytest.mark.parametrize(
    ("number", "values", "begun"),
    [
        (2, {"phase": "before"}, ["beam"]),
        (2, {"phase": "scored"}, ["beam"]),
        (2, {"phase": "conceded"}, ["beam"]),
        (2, {"phase": "theirs", "ball": 5.0, "lead": 2.0}, ["stand"]),
        (2, {}, ["stand"]),
        (2, {"phase": "play", "ball": 5.0, "lead": 2.0, "rival": 9.0}, ["find", "kick"]),
        (2, {"phase": "ours", "ball": 5.0, "lead": 2.0, "rival": 9.0}, ["find", "kick"]),
        (2, {"phase": "play", "ball": 5.0, "lead": -2.0, "rival": 9.0}, ["find", "go_to"]),
        (2, {"phase": "play", "ball": 2.0, "lead": 2.0, "rival": -1.0}, ["go_to"]),
        (1, {"phase": "conceded"}, ["beam"]),
        (1, {"phase": "play", "ball": 9.0, "lead": 2.0}, ["go_to", "find"]),
        (1, {"phase": "play", "ball": 2.0, "lead": 2.0}, ["find", "kick"]),
        (1, {"phase": "theirs", "ball": 2.0, "lead": 2.0}, ["go_to", "find"]),
    ],
)
def test_a_player_does_what_its_part_is(number: int, values: dict[str, object], begun: list[str]) -> None:
    known = rules("t1", "rcsssmj")
    body, board = Body(known.skills), Blackboard({f"team.{key}": value for key, value in values.items()})
    document = (TEAM / f"{number}.json").read_text()
    run = Run(document, Ports(body, VirtualMedia({}), VirtualRequests({})), known, blackboard=board)

    play(run, body, 6.0)
    assert list(dict.fromkeys(body.begun)) == begun


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({}, {"thing": "ball", "towards": "own_goal", "distance": 4.0}),
        ({"ball_x": 23.0}, {"thing": "ball", "distance": 2.5}),  # there is little room before the goal
        ({"phase": "ours"}, {"thing": "ball", "distance": 2.5}),  # the rules of a kick-off forbid it
        ({"edge": -0.5}, {"thing": "ball", "distance": 2.5}),  # the opponents have the ball
    ],
)
def test_who_leaves_the_ball_to_a_mate_waits_ahead_of_it(
    change: dict[str, Value], place: dict[str, float | str]
) -> None:
    known = rules("t1", "rcsssmj")
    values = {"phase": "play", "ball": 5.0, "ball_x": 0.0, "lead": -2.0, "rival": 9.0, "edge": 0.5} | change
    body, board = Body(known.skills), Blackboard({f"team.{key}": value for key, value in values.items()})
    run = Run(
        (TEAM / "2.json").read_text(),
        Ports(body, VirtualMedia({}), VirtualRequests({})),
        known,
        blackboard=board,
    )
    play(run, body, 2.0)
    assert body.parameters["go_to"] == place


def test_a_goal_ends_what_a_player_does() -> None:
    known = rules("t1", "rcsssmj")
    body, board = Body(known.skills), Blackboard({"team.phase": "play", "team.lead": 2.0})
    run = Run(
        (TEAM / "2.json").read_text(),
        Ports(body, VirtualMedia({}), VirtualRequests({})),
        known,
        blackboard=board,
    )
    play(run, body, 2.0)
    board.write("team.phase", "scored")
    play(run, body, 2.0, begin=2.0)
    assert body.begun[-1] == "beam"


@pytest.mark.parametrize("change", [{"phase": "theirs"}, {"phase": "over"}, {"ball": 6.0}, {"lead": -1.0}])
def test_the_keeper_goes_back_to_its_goal_when_the_ball_is_not_its_own_any_more(
    change: dict[str, Value],
) -> None:
    known = rules("t1", "rcsssmj")
    body = Body(known.skills)
    board = Blackboard({"team.phase": "play", "team.ball": 2.0, "team.lead": 2.0})
    run = Run(
        (TEAM / "1.json").read_text(),
        Ports(body, VirtualMedia({}), VirtualRequests({})),
        known,
        blackboard=board,
    )
    play(run, body, 1.0)
    begun = list(body.begun)
    for key, value in change.items():
        board.write(f"team.{key}", value)
    play(run, body, 1.0, begin=1.0)
    assert (begun[-1], body.begun[-1]) == ("kick", "go_to")


def test_documents_of_a_start_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    assert start_subtrees({"start_subtrees": [""]}) == {}
    assert start_subtrees({"start_subtrees": [f"a={path}"]}) == {"a": "{}"}


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (["a"], "'a' is not of the form name=path"),
        (["a=/no/such.json"], "start_subtrees: /no/such.json: .*No such file"),
        (["a={path}", "a={path}"], "'a' stands twice"),
    ],
)
def test_a_document_of_a_start_that_cannot_be_used(tmp_path: Path, items: list[str], reason: str) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    with pytest.raises(ConfigError, match=reason):
        start_subtrees({"start_subtrees": [item.format(path=path) for item in items]})
