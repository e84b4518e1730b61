# SPDX-License-Identifier: Apache-2.0
"""Which demo a command line means, and the dance and the songs as people start them."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from own_domain import claim
from waiting import PROCESS

from embodiment_bridge.cli.commands.demo import SHOWS, find_show
from embodiment_bridge.cli.demos import documents
from embodiment_bridge.cli.demos.bodies import BODIES
from embodiment_bridge.cli.demos.stage import Show
from embodiment_bridge.core.errors import ConfigError


def nothing(stage) -> int:
    return 0


TABLE = {
    "walk": Show("walks", ("sim", "mock"), nothing),
    "dance": Show("dances", ("sim", "mock"), nothing),
    "grid": Show("eats", ("grid",), nothing),
    "think": Show("thinks", ("sim",), nothing, brain="opencog"),
}


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        (("", "", ""), ("walk", "sim")),
        (("dance", "", ""), ("dance", "sim")),
        (("", "mock", ""), ("walk", "mock")),
        (("dance", "mock", "none"), ("dance", "mock")),
        (("", "grid", ""), ("grid", "grid")),
        (("", "", "opencog"), ("think", "sim")),
    ],
)
def test_the_first_that_fits_is_shown(wish, found) -> None:
    name, show, body = find_show(TABLE, *wish)
    assert (name, body) == found
    assert show is TABLE[name]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (("danse", "", ""), "unknown show 'danse'; did you mean 'dance'"),
        (
            ("dance", "grid", ""),
            "nothing to show with show dance, body grid; there is walk: body sim or mock",
        ),
        (("", "", "human"), "nothing to show with brain human"),
    ],
)
def test_what_is_not_there_is_told(wish, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        find_show(TABLE, *wish)
    assert message in str(error.value)


def test_the_table_is_whole() -> None:
    assert {body for show in SHOWS.values() for body in show.bodies} <= set(BODIES)


@pytest.mark.parametrize(
    ("wish", "show"),
    [
        (("", "virtual_servos", ""), "servos"),
        (("dance", "virtual_servos", ""), "dance"),
        (("song", "virtual_servos", ""), "song"),
        (("", "maeden", ""), "grid"),
        *(
            (("", body, "opencog"), "opencog")
            for body in ("mock", "rcsssmj", "simspark", "maeden", "virtual_servos")
        ),
    ],
)
def test_shows_of_the_bodies(wish, show: str) -> None:
    assert find_show(SHOWS, *wish)[::2] == (show, wish[1])


@pytest.mark.parametrize(
    ("elapsed", "expected", "half"),
    [(4.9, 10.0, False), (5.0, 10.0, True), (99.0, float("nan"), False), (99.0, float("inf"), False)],
)
def test_half_way(elapsed: float, expected: float, half: bool) -> None:
    stage = SimpleNamespace(feedback=SimpleNamespace(elapsed=elapsed, expected=expected))
    assert documents._is_half_way(stage) == half
    before_the_first = SimpleNamespace(elapsed=0.0, expected=float("nan"))
    assert not documents._is_half_way(SimpleNamespace(feedback=before_the_first))


COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
STARTED = (("dance", "mock"), ("dance", "rcsssmj"), ("song", "mock"))


class Demo:
    """One that runs, in a ROS domain of its own, so that it does not meet the others."""

    def __init__(self, show: str, body: str, folder: Path) -> None:
        self.said, self.told = folder / "stdout", folder / "stderr"
        env = {
            **os.environ,
            "ROS_DOMAIN_ID": str(claim()),
            "XDG_CACHE_HOME": str(folder),  # else sounds of an earlier run are not fetched again
        }
        words = [COMMAND, "demo", "--show", show, "--body", body]
        with self.said.open("w") as out, self.told.open("w") as err:
            self.process = subprocess.Popen(words, env=env, stdout=out, stderr=err)

    def outputs(self) -> tuple[str, str]:
        """Standard output and standard error, once it has ended well."""
        code = self.process.wait(PROCESS)
        assert code == 0, self.told.read_text()
        return self.said.read_text(), self.told.read_text()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    running = {}
    try:
        for one in STARTED:
            running[one] = Demo(*one, tmp_path_factory.mktemp("demo"))
        yield running
    finally:
        for demo in running.values():
            demo.close()


def test_two_songs_are_fetched_announced_and_danced_to(demos) -> None:
    out, _ = demos["song", "mock"].outputs()
    assert "outcome            SUCCEEDED" in out
    assert "1 spoken, 4 media, 5 to their end" in out
    assert "was asked 6 times" in out


@pytest.mark.parametrize("body", ["mock", "rcsssmj"])
def test_the_dance_is_paused_goes_on_and_ends_upright(body: str, demos) -> None:
    out, err = demos["dance", body].outputs()
    assert "SUCCEEDED" in out
    assert "upright" in out
    paused, went_on = (
        next(line for line in err.splitlines() if word in line) for word in ("paused at", "going on at")
    )
    assert paused.split()[3] == went_on.split()[4]
