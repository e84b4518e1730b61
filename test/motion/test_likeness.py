# SPDX-License-Identifier: Apache-2.0
"""A body file that is like another one, and says only what differs."""

from pathlib import Path

import pytest
from motion_stage import SMALL, SMALL_FILE

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.core.errors import ConfigError

OTHER = """
like: small.yaml
body: other
skills:
  nod: {kind: motion, channels: [head], nominal_s: 3.0, min_s: 1.0, keyframes: [{at: 1.0, yaw: 0.2}]}
  shake: {kind: motion, channels: [head], nominal_s: 3.0, min_s: 1.0, keyframes: [{at: 1.0, yaw: 0.2}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(SMALL_FILE)
    return tmp_path


def other(folder: Path, text: str = OTHER):
    (folder / "other.yaml").write_text(text)
    return read_body(folder / "other.yaml")


def test_keys_are_those_of_the_other_file_but_for_its_own(folder: Path) -> None:
    body = other(folder)
    assert (body.name, body.joints, body.channels) == ("other", SMALL.joints, SMALL.channels)
    assert list(body.skills) == [*SMALL.skills, "shake"]
    assert body.skills["nod"].nominal_s == 3.0
    assert body.skills["look"] == SMALL.skills["look"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("like: nobody.yaml\nbody: other\n", "other.yaml: like: .*nobody.yaml: cannot be read"),
        ("like: other.yaml\nbody: other\n", "like: 'other.yaml' is not a file without the key 'like'"),
        ("like: 3\nbody: other\n", "like: 3 is not"),
        ("like: small.yaml\ngame: 3\n", "unknown key 'game'"),
        ("like: small.yaml\nskills: 3\n", "skills: 3 is not a mapping"),
    ],
)
def test_a_fault_is_named(folder: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        other(folder, text)


def test_a_text_without_a_file_is_like_no_other() -> None:
    with pytest.raises(ConfigError, match="is not possible for a body that is read from a file"):
        parse_body(OTHER, "other.yaml")
