# SPDX-License-Identifier: Apache-2.0
"""Which plan file a body gets: the one that is named, its own, or the usual one."""

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.plan_server import PlanServer


class Host:
    """A behaviour-tree node as far as plan files are concerned."""

    def __init__(self, body, **values):
        self.body = body
        self.values = {"plan_file": "", "plan_turn": "file", **values}

    def plan_body(self):
        return self.body


def server(host, share):
    made = PlanServer.__new__(PlanServer)
    made._node = made._host = host
    made._share, made._file, made._of_body = share, None, {}
    return made


@pytest.fixture
def share(tmp_path):
    folder = tmp_path / "config/plans"
    folder.mkdir(parents=True)
    for name in ("default", "maeden"):
        (folder / f"{name}.yaml").write_text("turn: absolute\nactions: {drop: [{skill: drop}]}\n")
    (tmp_path / "secret.yaml").write_text("actions: {}\n")
    return lambda: tmp_path


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("maeden", "maeden.yaml"),
        ("t1", "default.yaml"),
        ("", "default.yaml"),
        ("../../secret", "default.yaml"),
    ],
)
def test_file_of_a_body(share, body, name):
    assert server(Host(body), share)._plan_file().name == name


def test_meaning_of_turn_can_be_changed(share):
    assert server(Host("t1", plan_turn="relative"), share)._plan_file().relative_turn
    assert not server(Host("t1", plan_turn="absolute"), share)._plan_file().relative_turn


def test_package_that_is_not_installed_needs_a_parameter():
    def nowhere():
        raise LookupError("no such package")

    with pytest.raises(ConfigError, match="parameter plan_file is needed: no such package"):
        server(Host("t1"), nowhere)._plan_file()
