# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a running graph: each from a picture made up, and the most likely ones on a real graph."""

from dataclasses import replace

import pytest
import rclpy
from lxml import etree
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String
from waiting import spin_until

from embodiment_bridge.cli.doctor import running, security
from embodiment_bridge.cli.doctor.finding import Verdict
from embodiment_bridge.cli.doctor.running import Picture, check_running
from embodiment_bridge.cli.doctor.security import NodeUse, policy
from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime

GOAL = "/_action/send_goal"
# The shape of sros2's policies, version 0.2.0, as a RELAX NG schema of our own.
SHAPE = """
<element name="policy" xmlns="http://relaxng.org/ns/structure/1.0">
  <attribute name="version"><value>0.2.0</value></attribute>
  <element name="enclaves"><oneOrMore><element name="enclave"><attribute name="path"/>
    <element name="profiles"><oneOrMore><element name="profile"><attribute name="ns"/><attribute name="node"/>
      <zeroOrMore><choice>
        <element name="topics">
          <choice><attribute name="publish"><value>ALLOW</value></attribute>
                  <attribute name="subscribe"><value>ALLOW</value></attribute></choice>
          <oneOrMore><element name="topic"><text/></element></oneOrMore></element>
        <element name="services">
          <choice><attribute name="reply"><value>ALLOW</value></attribute>
                  <attribute name="request"><value>ALLOW</value></attribute></choice>
          <oneOrMore><element name="service"><text/></element></oneOrMore></element>
        <element name="actions">
          <choice><attribute name="execute"><value>ALLOW</value></attribute>
                  <attribute name="call"><value>ALLOW</value></attribute></choice>
          <oneOrMore><element name="action"><text/></element></oneOrMore></element>
      </choice></zeroOrMore>
    </element></oneOrMore></element>
  </element></oneOrMore></element>
</element>
"""
GOOD = Picture(
    nodes=["/mock_body", "/behavior_tree"],
    services={f"/execute_bml{GOAL}": 1, "/execute_skill" + GOAL: 1},
    publishers={"/skills": 1, "/clock": 1},
    subscribers={"/clock": 2},
)


def said(picture: Picture, domain: int = 0, others: tuple[int, ...] = ()) -> list[str]:
    return [str(finding) for finding in check_running(picture, domain, others)]


def test_a_good_graph_and_none() -> None:
    assert said(GOOD) == ["ok    running graph: 2 nodes in domain 0, nothing wrong with them"]
    assert said(Picture(), 7) == ["ok    running graph: no nodes in domain 7"]


def test_the_wrong_domain() -> None:
    (line,) = said(Picture(), 0, (42, 7))
    assert line.startswith(
        "warn  running graph: no nodes in domain 0, but this machine has programs in domain 7, 42"
    )
    assert line.endswith("export ROS_DOMAIN_ID=7 if yours are there")


@pytest.mark.parametrize(
    ("changes", "verdict", "text"),
    [
        ({"nodes": ["/a/mock_body", "/a/mock_body"]}, "fail", "node names: two nodes have the name /a/mock_body;"),
        ({"services": {f"/r/execute_skill{GOAL}": 2}}, "fail", "two nodes serve /r/execute_skill: a goal goes to both"),
        ({"publishers": {"/skills": 1}}, "fail", "/clock: 2 nodes have use_sim_time, but nothing publishes the time"),
        ({"publishers": {"/skills": 1, "/clock": 2}}, "fail", "/clock: 2 nodes publish it"),
        ({"publishers": {"/clock": 1}}, "warn", "bodies: /execute_bml has no body in its namespace; there is no body"),
        ({"publishers": {"/r/skills": 1, "/clock": 1}}, "warn", "has no body in its namespace; bodies are in /r"),
        ({"mismatches": {"/pose": "a to b: reliability"}}, "warn", "do not fit: /pose (a to b"),
        ({"troubles": {"/agent_bridge": "BACKOFF: refused"}}, "warn", "nodes: /agent_bridge: BACKOFF: refused; is the"),
    ],
)  # fmt: skip
def test_mistakes(changes, verdict, text) -> None:
    fields = {name: getattr(GOOD, name) for name in GOOD.__slots__}
    (line,) = said(Picture(**{**fields, **changes}))
    assert line.startswith(verdict)
    assert text in line


def test_lines_stay_short() -> None:
    (line,) = said(Picture(nodes=["/a"], troubles={f"/node{n}": "x" for n in range(100)}))
    assert "..." in line
    assert len(line) < 200


@pytest.fixture
def graph():
    with Runtime() as runtime:
        yield runtime


def spin(runtime: Runtime, condition) -> None:
    spin_until(runtime, condition)


def test_a_real_graph_with_many_mistakes(graph, monkeypatch) -> None:
    """Two robots in one namespace, that wait for a clock which nobody publishes, and a listener that does not fit."""
    common = {"context": graph.context, "namespace": "/twice"}
    sim = [Parameter("use_sim_time", value=True)]
    nodes = [graph.add(mock_body(parameter_overrides=sim, **common)) for _ in range(2)]
    lone = graph.add(behavior_tree(context=graph.context, namespace="/alone"))
    asker = graph.add(rclpy.create_node("asker", context=graph.context, namespace="/x"))
    asker.create_publisher(String, "said", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    asker.create_subscription(String, "said", lambda _: None, 1)
    spin(graph, lambda: all(node.active for node in (*nodes, lone)))
    ours = (
        "/twice/",
        "/alone/",
        "/x/",
        "/clock",
    )  # a node of an earlier test may still be known to the middleware

    def only(names):
        return {name: number for name, number in names.items() if name.startswith(ours)}

    texts = (
        "two nodes have the name /twice/mock_body",
        "two nodes serve /twice/execute_skill",
        "/clock: 2 nodes have use_sim_time",
        "/alone/execute_bml has no body in its namespace; bodies are in /twice",
        "/x/said (asker to asker: ",
    )
    for _ in range(10):  # a busy machine may not have found all of it
        picture = while_spinning(graph, running.picture)
        picture = replace(
            picture,
            nodes=[name for name in picture.nodes if name.startswith(ours)],
            services=only(picture.services),
            publishers=only(picture.publishers),
            mismatches=only(picture.mismatches),
        )
        lines = said(picture)
        missing = [text for text in texts if not any(text in line for line in lines)]
        if not missing:
            break
    assert not missing, lines


class Appearing:
    """A graph whose nodes become known one by one, as on a busy computer, and the runtime that looks at it."""

    def __init__(self, *at: float) -> None:
        self.now, self.at = 0.0, at

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        return [(f"node{time}", "/") for time in self.at if time <= self.now]

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return []

    get_service_names_and_types = get_topic_names_and_types

    def spin(self, until) -> None:
        while not until():
            self.now += 0.1


@pytest.mark.parametrize(
    ("at", "end"),
    [((0.0, 0.5), 2.1), ((0.0, 1.5, 3.0, 4.5), 6.1), (tuple(range(100)), running.LONGEST_S)],
)
def test_it_looks_until_the_graph_has_been_found(at, end) -> None:
    graph = Appearing(*at)
    running._wait(graph, graph, running.LOOK_S, lambda: graph.now)
    assert graph.now == pytest.approx(end, abs=0.15)


def while_spinning(runtime: Runtime, do):
    """The graph in which somebody looks lives on a thread of its own."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(do)
        runtime.spin(found.done)
        return found.result()


UDP = "sl local_address\n  1: 0100007F:{:04X} 00000000:0000 07\n"


@pytest.mark.parametrize(
    ("port", "domains"),
    [(7400, {0}), (7410, {0}), (7411, set()), (7401, set()), (17900, {42}), (17912, {42}), (7399, set()), (53, set()),
     (32768, set()), (40000, set())],
)  # fmt: skip
def test_domains_by_ports(port, domains, tmp_path) -> None:
    (tmp_path / "udp").write_text(UDP.format(port))
    assert running.domains_in_use(tmp_path / "udp") == domains
    assert running.domains_in_use(tmp_path / "absent") == set()


def test_our_own_domain_is_in_use(graph) -> None:
    import os

    graph.add(rclpy.create_node("here", context=graph.context))
    assert int(os.environ["ROS_DOMAIN_ID"]) in running.domains_in_use()


def test_permissions_of_a_real_graph_are_complete_and_of_the_right_shape(graph) -> None:
    common = {"context": graph.context, "namespace": "/permitted"}
    nodes = [graph.add(mock_body(**common)), graph.add(behavior_tree(**common))]
    spin(graph, lambda: all(node.active for node in nodes))
    found = while_spinning(graph, lambda: running.uses(5.0))
    root = etree.fromstring(policy(found).encode())
    shape = etree.RelaxNG(etree.fromstring(SHAPE))
    assert shape.validate(root), shape.error_log
    profiles = {p.get("node"): p for p in root.iter("profile") if p.get("ns") == "/permitted"}
    assert set(profiles) == {"mock_body", "behavior_tree"}

    def allowed(node: str, rule: str) -> set[str]:
        return {item.text for group in profiles[node].iterfind(f"*[@{rule}='ALLOW']") for item in group}

    assert {"/permitted/joint_states", "/tf", "/diagnostics", "/rosout"} <= allowed("mock_body", "publish")
    assert {"/permitted/cmd_vel", "/permitted/say"} <= allowed("mock_body", "subscribe")
    assert allowed("mock_body", "execute") == {
        "/permitted/execute_skill",
        "/permitted/follow_joint_trajectory",
    }
    assert allowed("behavior_tree", "call") == {"/permitted/execute_skill"}
    assert {"/permitted/execute_bml", "/permitted/execute_action_plan"} <= allowed("behavior_tree", "execute")
    assert "/permitted/behavior_tree/stop" in allowed("behavior_tree", "reply")
    for node in nodes:  # everything that the node itself knows to have
        topics = {p.topic_name for p in node.publishers}
        assert topics <= allowed(node.get_name(), "publish")
        assert {s.topic_name for s in node.subscriptions} <= allowed(node.get_name(), "subscribe")
        own = {s.srv_name if hasattr(s, "srv_name") else s.service_name for s in node.services}
        replies = {name.rpartition("/")[2] for name in allowed(node.get_name(), "reply")}
        assert {name.rpartition("/")[2] for name in own} <= replies


def test_policy_merges_nodes_of_one_name_and_keeps_enclaves_apart() -> None:
    text = policy(
        [
            NodeUse("/one", "/", "a", publishes=frozenset({"/x", "/act/_action/feedback"})),
            NodeUse("/one", "/", "a", serves=frozenset({"/act/_action/send_goal"}), calls=frozenset({"/s<"})),
            NodeUse("/two", "/", "b"),
        ]
    )
    root = etree.fromstring(text.encode())
    assert [e.get("path") for e in root.iter("enclave")] == ["/one", "/two"]
    assert [(e.tag, e.text) for e in root.iter("topic", "service", "action")] == [
        ("topic", "/x"), ("service", "/s<"), ("action", "/act"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("env", "verdict", "text"),
    [
        ({}, Verdict.OK, "off: every program"),
        ({"ROS_SECURITY_ENABLE": "TRUE"}, Verdict.WARN, "only `true` is on"),
        ({"ROS_SECURITY_ENABLE": "true"}, Verdict.FAIL, "has no folder enclaves"),
        (
            {"ROS_SECURITY_ENABLE": "true", "ROS_SECURITY_KEYSTORE": "KEYS"},
            Verdict.FAIL,
            "without DDS-Security",
        ),
    ],
)
def test_security_variables(env, verdict, text, tmp_path) -> None:
    (tmp_path / "enclaves").mkdir()
    (tmp_path / "libfastrtps.so").write_bytes(b"\0nothing here\0")
    env = {name: value.replace("KEYS", str(tmp_path)) for name, value in env.items()}
    finding = security.check_security(env, [tmp_path])
    assert finding.verdict is verdict
    assert text in str(finding)


@pytest.mark.parametrize(("strategy", "verdict"), [("Enforce", Verdict.OK), ("", Verdict.WARN)])
def test_security_that_works(strategy, verdict, tmp_path) -> None:
    (tmp_path / "enclaves").mkdir()
    (tmp_path / "libfastdds.so").write_bytes(b"..dds.sec.auth.builtin.PKI-DH..")
    env = {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_KEYSTORE": str(tmp_path),
        "ROS_SECURITY_STRATEGY": strategy,
    }
    assert security.check_security(env, [tmp_path]).verdict is verdict
