# SPDX-License-Identifier: Apache-2.0
"""Whatever a port does wrong ends the node that met it, and nothing else."""

import pytest
from virtual_run import Script, VirtualRun, body, delay, par, play, player, request, sel, seq

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.core.errors import CommandError

URL = "http://cloud.example/next"


def breaking(port, method, error=None):
    """The port, with one method that raises."""

    def fail(*_):
        raise error or RuntimeError("out of order")

    setattr(port, method, fail)
    return port


@pytest.mark.parametrize("method", ["start", "report"])
@pytest.mark.parametrize(
    ("root", "port"),
    [(body(), "skills"), (play(), "media"), (request(URL), "requests")],
    ids=["body", "play", "request"],
)
def test_an_exception_of_a_port_is_a_failure_with_its_text(root, port, method):
    ports = {"skills": Script(), "media": VirtualMedia({}), "requests": VirtualRequests({})}
    stage = VirtualRun(sel(root, delay(1)), **{port: breaking(ports[port], method)})
    stage.to(1.0)
    assert stage.ended == ("SUCCEEDED", 1.0)  # the selector went on
    failure = next(e for e in stage.events if e.event == "failure")
    assert (failure.origin.pointer, failure.message) == ("/0", "RuntimeError: out of order")


def test_our_own_errors_speak_for_themselves():
    stage = VirtualRun(play(), media=breaking(VirtualMedia({}), "start", CommandError("no player here")))
    stage.tick(0.0)
    assert stage.run.ending.reason == "no player here"


def test_a_command_that_breaks():
    stage = VirtualRun(player("pause"), media=breaking(VirtualMedia({}), "command"))
    stage.tick(0.0)
    assert stage.run.ending.reason == "RuntimeError: out of order"


def test_siblings_of_a_broken_leaf_are_halted():
    skills = Script()
    stage = VirtualRun(par(body(), play()), skills=skills, media=breaking(VirtualMedia({}), "start"))
    stage.tick(0.0)
    assert stage.ended == ("FAILED", 0.0)
    assert skills.calls == [("start", "head_shake", 0.0), ("cancel", "head_shake")]


def test_a_skill_that_can_no_longer_be_followed_is_canceled():
    skills = Script()
    stage = VirtualRun(seq(body()), skills=skills)
    stage.tick(0.0)
    breaking(skills, "report")
    stage.tick(0.1)
    assert skills.calls[-1] == ("cancel", "head_shake")


def test_a_cancel_that_breaks_does_not_keep_the_others_from_it():
    skills = breaking(Script(), "cancel")
    stage = VirtualRun(par(play(), body(), delay(1), succeed_on_one=True), skills=skills)
    stage.to(2.9)
    assert stage.ended is None  # the body has not said that it rests
    assert stage.media.next_time() == float("inf")
    stage.tick(3.0)
    assert stage.ended == ("SUCCEEDED", 3.0)
    codes = [line.split(": ")[1] for line in stage.run.warnings]
    assert codes == ["PORT_ERROR", "HALT_FORCED"]


def test_a_report_that_breaks_while_halting_counts_as_rest():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(), delay(1), succeed_on_one=True), skills=skills)
    stage.to(1.0)
    breaking(skills, "report")
    stage.tick(1.1)
    assert stage.ended == ("SUCCEEDED", 1.1)


def test_a_report_that_breaks_while_pausing():
    skills = Script()
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    breaking(skills, "report")
    stage.run.pause()
    assert stage.tick(0.1) is RunState.PAUSED


def test_a_fault_of_the_engine_brings_the_body_to_rest(monkeypatch):
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(), seq(delay(1), delay(1))), skills=skills)
    stage.tick(0.0)

    def fault(*_):
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(Node, "finish", fault)
    assert stage.tick(1.0) is RunState.STOPPING
    assert skills.calls[-1] == ("cancel", "head_shake")
    monkeypatch.undo()
    skills.end("head_shake")
    stage.tick(1.1)
    assert stage.ended[0] == "ERROR"
    assert stage.run.ending.reason == "ZeroDivisionError: a mistake"


def test_a_fault_while_stopping_ends_the_run(monkeypatch):
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    stage.run.cancel()
    monkeypatch.setattr(Node, "drop", lambda *_: 1 / 0)
    skills.end("head_shake")
    assert stage.tick(0.1) is RunState.ENDED
    assert stage.ended[0] == "ERROR"


def test_keyboard_interrupts_are_not_swallowed():
    stage = VirtualRun(body(), skills=breaking(Script(), "start", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        stage.tick(0.0)
