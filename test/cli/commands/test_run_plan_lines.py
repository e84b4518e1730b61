# SPDX-License-Identifier: Apache-2.0
"""The lines that `run-plan` writes for each action, also when the result arrives before the last feedback."""

from types import SimpleNamespace

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import PlanActionStatus

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.commands.run_plan import Progress
from embodiment_bridge.nodes.base import goal_client

PLAN = """<oc:action-plan xmlns:oc="http://www.opencog.org/brain" entity-id="fido" id="1">
<action name="act1" sequence="1"/></oc:action-plan>"""
WAITS, RUNS, DONE = PlanActionStatus.PENDING, PlanActionStatus.RUNNING, PlanActionStatus.DONE


def told(kind, *states):
    actions = [
        PlanActionStatus(sequence=i, name=f"act{i}", status=state) for i, state in enumerate(states, 1)
    ]
    return kind(elapsed=1.5, actions=actions)


def test_the_result_tells_what_no_feedback_told_and_nothing_twice(capsys) -> None:
    progress = Progress()
    progress.show(told(ExecuteActionPlan.Feedback, RUNS, WAITS))
    progress.show(told(ExecuteActionPlan.Feedback, DONE, RUNS))
    progress.show(told(ExecuteActionPlan.Result, DONE, DONE))
    progress.show(told(ExecuteActionPlan.Result, DONE, DONE))
    progress.show(ExecuteActionPlan.Result())  # of a plan that was refused
    lines = [line.split()[2:] for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["1", "act1", "runs"],
        ["1", "act1", "done"],
        ["2", "act2", "runs"],
        ["2", "act2", "done"],
    ]


class HastyClient:
    """Its goals have their result at once, and no feedback comes."""

    server_is_there = True

    def __class_getitem__(cls, _):
        return cls

    def __init__(self, node, kind, name) -> None:
        self.result = told(ExecuteActionPlan.Result, DONE)

    def send(self, goal, on_feedback):
        return SimpleNamespace(answered=True, result=self.result, lost="", cancel_taken=False)

    def destroy(self) -> None: ...


def test_what_no_feedback_told_is_written_at_the_end(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(goal_client, "TreeClient", HastyClient)
    path = tmp_path / "plan.xml"
    path.write_text(PLAN)
    main(["run-plan", str(path), "--wait", "1"])
    assert capsys.readouterr().out.splitlines()[0].split() == ["1.50", "s", "1", "act1", "done"]
