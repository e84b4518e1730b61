# SPDX-License-Identifier: Apache-2.0
"""What the log says of a link: once that it is joined, and why not."""

import logging

import pytest
from rclpy.node import Node

from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body import status_publishers
from embodiment_bridge.nodes.body.status_publishers import LinkPublisher


@pytest.fixture
def told(monkeypatch, caplog):
    """(publish a phase and a reason, caplog)."""
    caplog.set_level(logging.INFO)
    with Runtime() as runtime:
        node = runtime.add(Node("body", context=runtime.context))
        monkeypatch.setattr(node, "get_logger", lambda: logging.getLogger("body"))
        publisher = LinkPublisher(node)

        def publish(phase, reason=""):
            publisher.publish(LinkStatus(phase, "the peer", reason))

        yield publish, caplog


def test_a_link_is_joined_once_whatever_else_it_has_to_say(told) -> None:
    publish, log = told
    for reason in ("no answer from head_yaw", "", "emergency stop"):
        publish(Phase.READY, reason)
    assert log.messages == ["joined the peer"]


def test_a_link_that_was_silent_is_heard_again_and_not_joined(told) -> None:
    publish, log = told
    publish(Phase.READY)
    for _ in range(2):
        publish(Phase.SILENT, "nothing has come for 2 s")
        publish(Phase.READY)
    silent = ["the peer: nothing has come for 2 s", "the peer is heard again"]
    assert log.messages == ["joined the peer", *silent, *silent]


def test_a_link_that_is_lost_says_why_once_and_is_joined_again(told) -> None:
    publish, log = told
    publish(Phase.READY)
    for _ in range(3):
        publish(Phase.BACKOFF, "gone")
        publish(Phase.CONNECTING)
    publish(Phase.READY)
    publish(Phase.BACKOFF, "gone")
    again = "gone; trying again until it works"
    assert log.messages == ["joined the peer", again, "joined the peer", again]


def test_a_peer_that_is_not_there_yet_is_no_warning_at_first(told, monkeypatch) -> None:
    publish, log = told
    for reason in ("refused", "refused", "no answer", "no answer"):
        publish(Phase.BACKOFF, reason)
        publish(Phase.CONNECTING)
    assert {record.levelname for record in log.records} == {"INFO"}
    assert log.messages == ["refused; waiting for it", "no answer; waiting for it"]
    log.clear()
    monkeypatch.setattr(status_publishers, "STARTING_S", 0.0)
    for _ in range(2):
        publish(Phase.BACKOFF, "no answer")
    assert [record.levelname for record in log.records] == ["WARNING"]


def test_a_link_that_ends_after_its_topic_is_off_the_graph_tells_nothing_more(caplog) -> None:
    caplog.set_level(logging.INFO)
    with Runtime() as runtime:
        node = runtime.add(Node("body", context=runtime.context))
        publisher = LinkPublisher(node)
        publisher.destroy()
        publisher.publish(LinkStatus(Phase.READY, "the peer", ""))
    assert caplog.messages == []
