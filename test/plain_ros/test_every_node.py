# SPDX-License-Identifier: Apache-2.0
"""What every ROS node shall take, for every node of this package: on a real graph, with real arguments."""

import pytest
import rclpy
from every_node import BROKEN, NODES, make, on_graph, words_of
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from waiting import spin_until

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime

OWN = {"use_sim_time", "start_type_description_service"}  # parameters that rclpy declares
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE
GLOBAL = ("/clock", "/diagnostics", "/parameter_events", "/rosout", "/tf", "/tf_static", "/said")


@pytest.fixture
def runtime():
    with Runtime() as runtime:
        yield runtime


def settled(runtime: Runtime, node) -> set[str]:
    """What is on the graph once all that the node made itself has been told."""
    spin_until(
        runtime, lambda: len(list(node.publishers)) <= sum(n.startswith("pub") for n in on_graph(node))
    )
    return on_graph(node)


@pytest.mark.parametrize("executable", NODES)
def test_namespace_and_name_and_remap(executable, runtime, tmp_path) -> None:
    here = f"/robot_{executable}"
    rules = (f"__ns:={here}", "__node:=other", "/diagnostics:=health", "link_state:=how_it_is")
    node = make(runtime, executable, words_of(executable, tmp_path, *rules))
    spin_until(runtime, lambda: node.active)
    assert node.get_fully_qualified_name() == f"{here}/other"
    spin_until(runtime, lambda: f"pub {here}/health" in on_graph(node))
    names = {entry.split()[1] for entry in on_graph(node)}
    assert not {"/diagnostics", f"{here}/link_state"} & names
    outside = {name for name in names if not name.startswith(f"{here}/")}
    assert outside <= set(GLOBAL)


@pytest.mark.parametrize("executable", NODES)
def test_lifecycle_by_hand_twice_round_leaves_nothing(executable, runtime, tmp_path) -> None:
    node = make(runtime, executable, words_of(executable, tmp_path, autostart=False))
    asker = runtime.add(rclpy.create_node("asker", context=runtime.context))
    state = asker.create_client(GetState, f"{node.get_fully_qualified_name()}/get_state")
    spin_until(runtime, state.service_is_ready)
    answer = state.call_async(GetState.Request())
    spin_until(runtime, answer.done)
    assert answer.result().current_state.id == State.PRIMARY_STATE_UNCONFIGURED
    before = settled(runtime, node)
    full = None
    for _ in range(2):
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == SUCCESS
        if full is None:
            full = settled(runtime, node)
        spin_until(runtime, lambda full=full: on_graph(node) == full)
        assert node.trigger_deactivate() == SUCCESS
        assert node.trigger_activate() == SUCCESS  # and back, without configuring again
        assert node.trigger_deactivate() == SUCCESS
        assert node.trigger_cleanup() == SUCCESS
        spin_until(runtime, lambda: on_graph(node) == before)
    assert node.trigger_configure() == SUCCESS
    assert node.trigger_activate() == SUCCESS
    assert node.trigger_shutdown() == SUCCESS
    assert not node.active
    spin_until(runtime, lambda: on_graph(node) == before)


@pytest.mark.parametrize("executable", BROKEN)
def test_a_configure_that_fails_leaves_nothing_and_can_be_repeated(executable, runtime, tmp_path) -> None:
    node = make(runtime, executable, words_of(executable, tmp_path, autostart=False, **BROKEN[executable]))
    spin_until(runtime, lambda: not node._starter or node._starter.is_canceled())
    before = settled(runtime, node)
    for _ in range(2):
        assert node.trigger_configure() == FAILURE
        assert node.refused
        spin_until(runtime, lambda: on_graph(node) == before)


@pytest.mark.parametrize("executable", NODES)
def test_what_was_made_before_a_failure_is_taken_off(executable, runtime, tmp_path, monkeypatch) -> None:
    """The last thing of a configure fails, whatever it made before."""
    from embodiment_bridge.core.errors import ConfigError

    node = make(runtime, executable, words_of(executable, tmp_path, autostart=False))
    before = settled(runtime, node)
    configure = node.configure

    def fail_at_the_end() -> None:
        node.create_service(GetState, "~/made_before", lambda request, response: response)
        node.create_publisher(Clock, "~/made_before_too", 1)
        raise ConfigError("no")

    monkeypatch.setattr(node, "configure", fail_at_the_end)
    assert node.trigger_configure() == FAILURE
    spin_until(runtime, lambda: on_graph(node) == before)
    monkeypatch.setattr(node, "configure", configure)
    assert node.trigger_configure() == SUCCESS


@pytest.mark.parametrize("executable", NODES)
def test_parameters_say_what_they_are(executable, runtime, tmp_path) -> None:
    node = make(runtime, executable, words_of(executable, tmp_path))
    spin_until(runtime, lambda: node.active)
    names = [name for name in node.get_parameters_by_prefix("") if name not in OWN]
    assert len(names) > 1
    for name in names:
        about = node.describe_parameter(name)
        assert about.description, name
        number = about.type in (Parameter.Type.INTEGER.value, Parameter.Type.DOUBLE.value)
        if number and not name.startswith("qos_overrides."):
            assert about.integer_range or about.floating_point_range, name


@pytest.mark.parametrize("executable", NODES)
def test_parameters_change_before_configure_and_not_after(executable, runtime, tmp_path) -> None:
    node = make(runtime, executable, words_of(executable, tmp_path, autostart=False))
    assert node.trigger_configure() == SUCCESS
    fixed = [one.name for one in node._declared if one.fixed]
    for name in fixed:
        (result,) = node.set_parameters([node.get_parameter(name)])
        assert not result.successful
        assert f"parameter {name} is read when" in result.reason
    assert node.trigger_cleanup() == SUCCESS
    for name in fixed:
        (result,) = node.set_parameters([node.get_parameter(name)])
        assert result.successful, result.reason


@pytest.mark.parametrize("executable", NODES)
def test_every_topic_has_qos_overrides(executable, runtime, tmp_path) -> None:
    """Published and subscribed ones, where one is given; else there are no such parameters."""
    node = make(runtime, executable, words_of(executable, tmp_path, "__ns:=/plain"))
    spin_until(runtime, lambda: node.active)
    assert not [name for name in node.get_parameters_by_prefix("") if name.startswith("qos_overrides.")]
    wanted = {}
    for kind, topics in (("publisher", node.publishers), ("subscription", node.subscriptions)):
        for topic in {topic.topic_name for topic in topics}:
            if not topic.endswith(("/rosout", "/parameter_events", "/clock", "/diagnostics")):
                wanted[f"qos_overrides.{topic.replace('/plain/', '/given/')}.{kind}.depth"] = 7
    folder = tmp_path / "given"
    folder.mkdir()
    node = make(runtime, executable, words_of(executable, folder, "__ns:=/given", **wanted))
    spin_until(runtime, lambda: node.active)
    declared = {
        name: value.value for name, value in node.get_parameters_by_prefix("").items() if name in wanted
    }
    assert declared == wanted


@pytest.mark.parametrize(("word", "good"), [("best_effort", True), ("bets_effort", False)])
@pytest.mark.parametrize("kind", ["publisher", "subscription"])
def test_qos_from_a_parameter_file(kind, word, good, runtime, tmp_path, capfd) -> None:
    here = f"/{kind}_{word}"
    topic = here + {"publisher": "/joint_states", "subscription": "/say"}[kind]
    values = {f"qos_overrides.{topic}.{kind}.reliability": word, f"qos_overrides.{topic}.{kind}.depth": 3}
    node = make(runtime, "mock_body", words_of("mock_body", tmp_path, f"__ns:={here}", **values))
    spin_until(runtime, lambda: node.active or node.refused)
    assert node.active == good
    if good:
        look = getattr(node, f"get_{kind}s_info_by_topic")
        spin_until(runtime, lambda: len(look(topic)) == 1)
        (info,) = look(topic)
        assert info.qos_profile.reliability.name == "BEST_EFFORT"
    else:
        out, err = capfd.readouterr()
        assert "not configured: topic" in out + err
        assert "bets_effort" in out + err


@pytest.mark.parametrize("executable", NODES)
def test_two_in_one_process(executable, runtime, tmp_path) -> None:
    nodes = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        nodes.append(make(runtime, executable, words_of(executable, folder, f"__ns:=/{executable}{number}")))
    spin_until(runtime, lambda: all(node.active for node in nodes))

    def relative(node) -> set[str]:
        return {name.replace(node.get_namespace(), "") for name in on_graph(node)}

    spin_until(runtime, lambda: relative(nodes[0]) == relative(nodes[1]))
    assert len(relative(nodes[0])) > 5


@pytest.mark.parametrize("executable", NODES)
def test_use_sim_time(executable, runtime, tmp_path) -> None:
    node = make(runtime, executable, words_of(executable, tmp_path, use_sim_time=True))
    clock = node.create_publisher(Clock, "/clock", profile("sensor"), qos_overriding_options=None)

    def told() -> bool:
        message = Clock()
        message.clock.sec = 1234
        clock.publish(message)
        return node.active and node.get_clock().now().nanoseconds == 1234 * 10**9

    spin_until(runtime, told)
