# SPDX-License-Identifier: Apache-2.0
"""The client of an action, which follows each goal to its end, whatever becomes of its server."""

import time
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import KeyValue
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from typing_extensions import override
from unique_identifier_msgs.msg import UUID

from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml, ExecuteSkill
from embodiment_bridge.nodes.base.action_server import KEEP_S

F = TypeVar("F")  # feedback of the action
R = TypeVar("R")  # its result

# s of wall time, all of them. An answer that DDS lost never comes; on a busy computer it takes some seconds.
ANSWER_WITHIN: Final = 15.0
LOOK_S: Final = 0.1  # between two looks at the server
# A server is out of sight when the lease of its process is over (config/fastdds_loopback.xml), and gone if it stays so.
GONE_AFTER: Final = 0.3
# A look so long after the one before tells that this process stood still. It has lost the others, and finds them anew.
LATE_S, ANEW_S = 1.5, 1.0
FIRST_S: Final = 2.0  # without an answer, after which the server is asked again
LONGEST_S: Final = 30.0  # between two questions; each stays open until the goal ends, so they become fewer
MOST_LOST: Final = 100  # goals that were given up, and are canceled when their server is in sight again
# The answer does not tell the two apart. A client that stood still, or was told late that its goal was accepted, may
# ask after that time.
NOT_KNOWN: Final = (
    f"knows no result: it was started anew, or was asked for the result more than {KEEP_S} s after the end"
)


class _Repeat:
    """Says when a question without an answer is asked again: at once, after FIRST_S, then less and less often."""

    def __init__(self) -> None:
        self._pause, self._due = FIRST_S / 2.0, 0.0

    def asked(self, now: float) -> None:
        """Wait for FIRST_S."""
        self._pause, self._due = FIRST_S, now + FIRST_S

    def is_due(self, now: float) -> bool:
        """Whether to ask now; the next pause is then twice as long."""
        if now <= self._due:
            return False
        self._pause = min(2.0 * self._pause, LONGEST_S)
        self._due = now + self._pause
        return True


class SentGoal(Generic[F, R]):
    """Represents a goal that was sent. ``result`` is set when it has ended.

    Attributes:
        result: of the server; one that tells why there is none, if the goal was refused or lost.
        lost: why nothing more will be heard of it; empty while that is not so.
        answered: whether the server has accepted or refused it.
        cancel_taken: whether the server has said that it will cancel it.
        cancel_awaited: whether it was asked for that, and has not answered.
        handle: of the goal, once it was accepted.

    address: of the goal, by which also one is canceled that was accepted without our hearing of it.
    """

    def __init__(
        self,
        client: "GoalClient[F, R]",
        address: ClientGoalHandle,
        on_feedback: Callable[[F], None],
        on_end: Callable[["SentGoal[F, R]"], None],
    ) -> None:
        self.result: R | None = None
        self.lost = ""
        self.answered = self.cancel_taken = self.cancel_awaited = False
        self.handle: ClientGoalHandle | None = None
        self._client, self._address = client, address
        self._on_feedback, self._on_end = on_feedback, on_end
        self._early: list[F] = []  # feedback that was faster than the answer
        self._sent = self._heard = time.monotonic()
        self._result_again, self._cancel_again = _Repeat(), _Repeat()

    @property
    def is_open(self) -> bool:
        """Whether the server is still to be asked for its result, or its end."""
        return self.result is None or bool(self.lost and self.cancel_awaited)

    def cancel(self) -> None:
        """Ask for the end, now or when the goal is accepted; the result follows when the body is at rest."""
        self.cancel_awaited = True
        if self.handle is not None:
            self._cancel_again.asked(time.monotonic())
            self._ask_for_end()

    def look(self, now: float, seen: float) -> None:
        """Give the goal up if its server is gone or does not answer; ask again for what it has not told.

        ``seen``: when the server was in sight last.
        """
        if self.result is None:
            if now - max(seen, self._heard) > GONE_AFTER:
                self._give_up("is gone")
            elif not self.answered and now - self._sent > ANSWER_WITHIN:
                self._give_up(f"did not answer within {ANSWER_WITHIN:g} s")
            elif self.handle is not None and self._result_again.is_due(now):
                self._ask()
        if not self.cancel_awaited or (self.handle is None and not self.lost):
            return
        if seen < now:
            self._cancel_again = _Repeat()  # what is asked now is lost
        elif self._cancel_again.is_due(now):
            self._ask_for_end()

    def take_answer(self, answer: "Future") -> None:
        """Take the server's answer: accepted or refused."""
        handle: ClientGoalHandle = answer.result()
        self.answered = True
        if not handle.accepted:
            self._end(self._client.failure(f"{self._client.server} refused the goal", refused=True))
            return
        self.handle = handle
        self._hear()
        self._ask()
        if self.cancel_awaited or self.lost:
            self.cancel()
        early, self._early = self._early, []
        for feedback in early if self.result is None else ():
            self._on_feedback(feedback)

    def take_feedback(self, message: Any) -> None:
        """Take feedback; it is passed on once the goal is known to be accepted."""
        self._hear()
        if self.result is not None:
            return
        if self.answered:
            self._on_feedback(message.feedback)
        else:
            self._early.append(message.feedback)

    def _hear(self) -> None:
        self._heard = time.monotonic()
        self._result_again.asked(self._heard)

    def _ask(self) -> None:
        """Ask for the result. A server that was started anew is as ready as before, and says that it knows none."""
        if self.handle is not None:
            self.handle.get_result_async().add_done_callback(self._told)

    def _told(self, answer: "Future") -> None:
        response = answer.result()
        if response.status == GoalStatus.STATUS_UNKNOWN:
            self._lose(NOT_KNOWN)
        else:
            self._end(response.result)

    def _ask_for_end(self) -> None:
        self._address.cancel_goal_async().add_done_callback(self._canceling)

    def _canceling(self, answer: "Future") -> None:
        self.cancel_awaited = False
        self.cancel_taken = self.cancel_taken or bool(answer.result().goals_canceling)

    def _give_up(self, why: str) -> None:
        """Nobody looks after it any more: a server that is there after all, or again, is to end it."""
        self._lose(why)
        self.cancel()

    def _lose(self, why: str) -> None:
        if self.result is None:
            self.lost = f"{self._client.server} {why}"
            self._end(self._client.failure(self.lost))

    def _end(self, result: R) -> None:
        if self.result is None:
            self.result = result
            self._on_end(self)


class GoalClient(Generic[F, R]):
    """Sends goals of one action.

    Args:
        node: must be served; all callbacks come on the thread that serves it.
        kind: the action.
        name: of the action.
        server: what people call the node that serves it.
    """

    def __init__(self, node: Node, kind: Any, name: str, server: str) -> None:
        self._node, self._kind, self.server = node, kind, server
        self._client = ActionClient(node, kind, name)
        self._goals: list[SentGoal[F, R]] = []
        self._seen = self._looked = 0.0
        self._timer = node.create_timer(LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()

    @property
    def server_is_there(self) -> bool:
        """Whether a node serves the action."""
        ready: bool = self._client.server_is_ready()
        return ready

    def failure(self, reason: str, *, refused: bool = False) -> R:
        """Make a result of the reason why a goal was refused or lost (for subclasses)."""
        raise NotImplementedError

    def send(
        self,
        goal: Any,
        on_feedback: Callable[[F], None] = lambda _: None,
        on_end: Callable[[SentGoal[F, R]], None] = lambda _: None,
    ) -> SentGoal[F, R]:
        """Send a goal and follow it; ``on_end(sent)`` is called when its result is set."""
        name = UUID(uuid=list(uuid.uuid4().bytes))
        address = ClientGoalHandle(self._client, name, self._kind.Impl.SendGoalService.Response())
        sent = SentGoal(self, address, on_feedback, on_end)
        self._goals.append(sent)
        answer = self._client.send_goal_async(goal, feedback_callback=sent.take_feedback, goal_uuid=name)
        answer.add_done_callback(sent.take_answer)
        if self._timer.is_canceled():
            self._looked = time.monotonic()  # not at every goal: a pause of this process must stay to be seen
            self._timer.reset()
        return sent

    def destroy(self) -> None:
        """Take the client off the graph."""
        self._node.destroy_timer(self._timer)
        self._client.destroy()

    def _look(self) -> None:
        now = time.monotonic()
        if self.server_is_there:
            self._seen = max(self._seen, now)
        elif now - self._looked > LATE_S:
            self._seen = now + ANEW_S
        self._looked = now
        for goal in self._goals:
            goal.look(now, self._seen)
        lost = [goal for goal in self._goals if goal.result is not None and goal.is_open]
        self._goals = [goal for goal in self._goals if goal.result is None] + lost[-MOST_LOST:]
        if not self._goals:
            self._timer.cancel()


class TreeClient(GoalClient[F, R]):
    """Sends goals of an action of the behaviour tree, whose results have an outcome and a reason."""

    def __init__(self, node: Node, kind: Any, name: str) -> None:
        super().__init__(node, kind, name, "the behaviour-tree node")

    @override
    def failure(self, reason: str, *, refused: bool = False) -> R:
        result: R = self._kind.Result(outcome="REJECTED" if refused else "ERROR", reason=reason)
        return result


BmlGoal = SentGoal[ExecuteBml.Feedback, ExecuteBml.Result]
PlanGoal = SentGoal[ExecuteActionPlan.Feedback, ExecuteActionPlan.Result]
SkillGoal = SentGoal[ExecuteSkill.Feedback, ExecuteSkill.Result]


EMPTY: Final[Mapping[str, str]] = MappingProxyType({})


def document_goal(
    document: str,
    *,
    source: str,
    values: Mapping[str, str] = EMPTY,
    subtrees: Mapping[str, str] = EMPTY,
    **others: object,
) -> ExecuteBml.Goal:
    """Return a goal of `execute_bml`.

    values: for its blackboard, JSON by key. subtrees: documents by name. others: more fields of the goal.
    """
    goal = ExecuteBml.Goal(document=document, source=source, **others)
    goal.values = [KeyValue(key=key, value=value) for key, value in values.items()]
    goal.subtrees = [KeyValue(key=key, value=value) for key, value in subtrees.items()]
    return goal


class DocumentClient(TreeClient[ExecuteBml.Feedback, ExecuteBml.Result]):
    """Sends goals of `execute_bml`."""

    def __init__(self, node: Node, name: str = "execute_bml") -> None:
        super().__init__(node, ExecuteBml, name)


class PlanClient(TreeClient[ExecuteActionPlan.Feedback, ExecuteActionPlan.Result]):
    """Sends goals of `execute_action_plan`."""

    def __init__(self, node: Node, name: str = "execute_action_plan") -> None:
        super().__init__(node, ExecuteActionPlan, name)


class SkillClient(GoalClient[ExecuteSkill.Feedback, ExecuteSkill.Result]):
    """Sends goals of `execute_skill`."""

    def __init__(self, node: Node, name: str = "execute_skill") -> None:
        super().__init__(node, ExecuteSkill, name, "the body's node")

    @override
    def failure(self, reason: str, *, refused: bool = False) -> ExecuteSkill.Result:
        return ExecuteSkill.Result(status=ExecuteSkill.Result.FAILED, reason=reason)
