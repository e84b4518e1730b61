# SPDX-License-Identifier: Apache-2.0
"""Requests of nodes to their run: noted during a pass over the tree, and carried out after it."""

from collections.abc import Callable
from dataclasses import dataclass

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.journal import Origin


@dataclass(frozen=True, slots=True)
class StopAsked:
    """A stop node was reached at run time ``t`` (s).

    target: name of the nodes to end; empty: the whole run.
    is_late: whether a node above it was over before ``t``, which only the end of the pass shows.
    answer: tells the stop node that it was done, with a text for people.
    """

    target: str
    t: float
    origin: Origin
    is_late: Callable[[], bool]
    answer: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Replaced:
    """The ``tree`` of a fetched document, a ``Node``, takes the place of the run's from run time ``t`` (s) on.

    Its class is not named here: a node knows the context of its run, which has these requests.
    """

    tree: Behaviour
    t: float
    origin: Origin
