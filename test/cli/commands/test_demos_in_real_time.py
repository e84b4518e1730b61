# SPDX-License-Identifier: Apache-2.0
"""The dance and the songs as people start them, in real time; side by side, because each mostly waits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_domain import claim
from waiting import PROCESS

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
SHOWS = (("dance", "mock"), ("dance", "rcsssmj"), ("song", "mock"))


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
        for one in SHOWS:
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
