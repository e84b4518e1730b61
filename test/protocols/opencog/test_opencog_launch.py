# SPDX-License-Identifier: Apache-2.0
"""What `brain:=opencog` starts beside the body, and with which parameters."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.nodes.opencog import opencog_parameters
from embodiment_bridge.nodes.opencog.opencog_parameters import PARAMETERS

ROOT = Path(__file__).parents[3]


def plan(**arguments):
    path = ROOT / "launch/bringup.launch.xml"
    return read_launch(path, arguments, find_share=lambda _: ROOT, environment={})


def bridge(found):
    (node,) = [node for node in found.nodes if node.executable == "opencog_bridge"]
    values = {}
    for item in node.parameters:
        values.update({} if isinstance(item, Path) else item)
    return node, values


@pytest.mark.parametrize("brain", ["none", "bml"])
def test_other_brains_have_no_bridge(brain):
    assert "opencog_bridge" not in [node.executable for node in plan(brain=brain).nodes]


def test_bridge_and_its_parameters():
    found = plan(
        brain="opencog",
        namespace="robot1",
        router_host="192.0.2.1",
        router_port="17000",
        agent="83965",
        owner="7270",
        owner_id="suzy",
        owner_name="Suzy",
        dialect="final",
        acks="true",
        on_error="retry",
        use_sim_time="true",
    )
    node, values = bridge(found)
    assert node.namespace.strip("/") == "robot1"
    assert found.executables == ()
    assert values.pop("use_sim_time") is True
    assert values == {
        "host": "192.0.2.1",
        "port": 17000,
        "proxy_id": "PROXY",
        "agent": "83965",
        "owner": "7270",
        "owner_id": "suzy",
        "owner_name": "Suzy",
        "dialect": "final",
        "acks": True,
        "on_error": "retry",
    }
    assert set(values) <= {parameter.name for parameter in PARAMETERS}


def test_stand_in_is_started_where_it_is_asked_for():
    found = plan(brain="opencog", start_oac="true", router_port="17000", dialect="final")
    (program,) = found.executables
    words = " ".join(program.cmd)
    assert "peer oac" in words
    for part in ("17000", "fido", "PROXY", "final"):
        assert part in words


def test_parameters_have_ranges_that_their_defaults_are_in():
    for parameter in PARAMETERS:
        if isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool):
            assert parameter.lower <= parameter.default <= parameter.upper, parameter.name
        assert not parameter.choices or parameter.default in parameter.choices
    assert len({parameter.name for parameter in PARAMETERS}) == len(PARAMETERS)


DEFAULTS = {parameter.name: parameter.default for parameter in PARAMETERS}


def test_agents_and_the_bodies_that_they_have():
    values = {**DEFAULTS, "agent": "fido", "more_agents": ["rex@/robot2", ""]}
    assert opencog_parameters.agents(values) == {"fido": "", "rex": "/robot2"}


@pytest.mark.parametrize("entry", ["rex", "@/robot2", "rex@two words", "rex@/1", "fido@/robot2"])
def test_agent_that_cannot_be_read_is_named(entry):
    with pytest.raises(ValueError, match="more_agents"):
        opencog_parameters.agents({**DEFAULTS, "more_agents": [entry]})


@pytest.mark.parametrize(
    ("name", "value", "part", "text"),
    [
        ("proxy_id", "two words", "address", "Login.id"),
        ("proxy_id", "", "address", "Login.id"),
        ("told_host", "a b", "address", "Login.host"),
        ("owner", "two words", "loading", "parameter owner"),
        ("traits", "very nice", "loading", "parameter traits"),
        ("agent", "two words", "settings", "agent_id"),
    ],
)
def test_id_with_blanks_is_refused_before_anything_is_sent(name, value, part, text):
    values = {**DEFAULTS, name: value}
    more = (values["agent"], "") if part == "settings" else ()
    with pytest.raises(BridgeError, match=text):
        getattr(opencog_parameters, part)(values, *more)


def test_defaults_make_all_parts():
    assert opencog_parameters.loading(DEFAULTS) is None
    assert opencog_parameters.loading({**DEFAULTS, "owner": "1", "agent_type": "humanoid"}).type == "humanoid"
    assert opencog_parameters.rates({**DEFAULTS, "hunger_time": 0.0}).hunger == 0.0
    assert opencog_parameters.grid({**DEFAULTS, "grid_tiles": 0}) is None
    assert opencog_parameters.grid(DEFAULTS) is not None
    assert opencog_parameters.settings(DEFAULTS, "fido", "robot1").aliases == {"robot1"}
    assert opencog_parameters.address(DEFAULTS).listen_host == "127.0.0.1"
    assert opencog_parameters.wishes(DEFAULTS).on_error == "stop"
    assert opencog_parameters.habits(DEFAULTS).tick_period == 0.5
