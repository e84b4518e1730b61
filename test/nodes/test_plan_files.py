# SPDX-License-Identifier: Apache-2.0
"""Which plan file a body gets: the one that is named, its own, or the usual one."""

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.plan_server import PlanFiles


def files(share, **values):
    return PlanFiles({"plan_file": "", "plan_turn": "file", **values}, share)


@pytest.fixture
def share(tmp_path):
    folder = tmp_path / "config/plans"
    folder.mkdir(parents=True)
    for name in ("walking", "maeden"):
        (folder / f"{name}.yaml").write_text("turn: absolute\nactions: {drop: [{skill: drop}]}\n")
    (tmp_path / "secret.yaml").write_text("actions: {}\n")
    return lambda: tmp_path


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("maeden", "maeden.yaml"),
        ("t1", "walking.yaml"),
        ("", "walking.yaml"),
        ("../../secret", "walking.yaml"),
    ],
)
def test_file_of_a_body(share, body, name):
    assert files(share).of(body).name == name


def test_meaning_of_turn_can_be_changed(share):
    assert files(share, plan_turn="relative").of("t1").relative_turn
    assert not files(share, plan_turn="absolute").of("t1").relative_turn


def test_package_that_is_not_installed_needs_a_parameter():
    def nowhere():
        raise LookupError("no such package")

    with pytest.raises(ConfigError, match="parameter plan_file is needed: no such package"):
        files(nowhere).of("t1")
