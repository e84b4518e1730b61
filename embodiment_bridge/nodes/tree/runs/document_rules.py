# SPDX-License-Identifier: Apache-2.0
"""Rules and guards for documents from the parameters of the behaviour-tree node, for the node and for the tools.

Nothing in this file needs ROS, so `bml validate --params FILE` works where ROS is not installed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.bml.base.conditions import Compare, Value, describe, holds
from embodiment_bridge.bml.rules.operator_rules import (
    CHANNELS_FORM,
    GUARD_FORM,
    Table,
    allowed_fetched,
    allowed_to,
    parse_guard,
    parse_table,
)
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import CONTROL_PARAMETER, SkillInfo, with_control_actions
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.fetching import FetchRules
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS as FETCH_PARAMETERS
from embodiment_bridge.nodes.sound.fetch_parameters import fetch_rules
from embodiment_bridge.nodes.sound.media_parameters import PARAMETERS as MEDIA_PARAMETERS
from embodiment_bridge.nodes.sound.media_parameters import with_media_roots
from embodiment_bridge.nodes.tree.values.blackboard_sources import PARAMETERS as BLACKBOARD_PARAMETERS
from embodiment_bridge.nodes.tree.values.blackboard_sources import Source, parse_sources

MAX_GUARDS = 20
VETOED = "VETOED"
SAFETY_PARAMETERS = (
    Parameter(
        "max_run_time",
        0.0,
        "The longest that a document or plan may take on its clock, s; then it is ended. 0: any time.",
        0.0,
        1e9,
        safety=True,
    ),
    Parameter(
        "max_starts",
        50.0,
        "How many leaves of a run may begin something in a second (Hz); more wait their turn. 0: any number.",
        0.0,
        10_000.0,
        safety=True,
    ),
    Parameter(
        "dead_man",
        0.5,
        "So long without a tick of this node, the body holds what was begun by it, s; 0: never.",
        0.0,
        60.0,
        safety=True,
    ),
    Parameter(
        "guards",
        [""],
        f"What must hold for documents and plans to run: {GUARD_FORM}. Names are those of blackboard.",
        safety=True,
    ),
    Parameter(
        "source_channels", [""], f"What the documents of a source may drive: {CHANNELS_FORM}.", safety=True
    ),
    Parameter(
        "max_age",
        0.0,
        "A document whose req_time is further from now is refused, s; 0: none is.",
        0.0,
        1e9,
        safety=True,
    ),
)


def parse_guards(texts: list[str], known: list[str]) -> list[Compare]:
    """The parameter ``guards``; empty texts are left out.

    Args:
        texts: as ``battery >= 0.15``.
        known: names that the parameter ``blackboard`` gives values to.

    Raises:
        ConfigError: one has another form, or speaks of no such value; or there are too many.
    """
    guards = [parse_guard(text) for text in texts if text]
    if len(guards) > MAX_GUARDS:
        raise ConfigError(f"parameter guards has {len(guards)} entries; there may be {MAX_GUARDS}")
    for guard in guards:
        if guard.key not in known:
            text = unknown("value of the parameter blackboard", guard.key, known)
            raise ConfigError(f"parameter guards: {text}")
    return guards


def unknown_guard(guards: Sequence[Compare], values: Mapping[str, Value]) -> bool:
    """Whether the value of a guard is not known."""
    return any(values.get(guard.key) is None for guard in guards)


def guard_refusal(guards: Sequence[Compare], values: Mapping[str, Value], troubles: Mapping[str, str]) -> str:
    """Say why nothing may run now; empty when it may. A guard whose value is not known does not hold.

    troubles: why a value is not there, by its name.
    """
    for guard in guards:
        if holds(guard, values.get):
            continue
        now = values.get(guard.key)
        why = troubles.get(guard.key) or "no message of late"
        found = f"it is {now!r}" if now is not None else f"it is not known ({why})"
        return f"{VETOED}: parameter guards wants {describe(guard)}; {found}"
    return ""


PARAMETERS = (
    Parameter(
        "missing_channel",
        "skip",
        "What an action does that moves what the body lacks: skip takes its time and succeeds.",
        choices=("skip", "fail"),
    ),
    Parameter(
        CONTROL_PARAMETER,
        False,
        "Whether documents have the body actions PAUSE, RESUME (freeze motions, go on) and STOP (to the rest pose).",
    ),
    *BLACKBOARD_PARAMETERS,
    *MEDIA_PARAMETERS,
    *FETCH_PARAMETERS,
    *SAFETY_PARAMETERS,
)


@dataclass(frozen=True, slots=True)
class DocumentRules:
    """Holds the rules for documents.

    urls, fetch: what they may name and fetch. channels: what the documents of each source may drive. speaks: whether
    text can become sound. settings: of each run. sources: values of topics by name. guards: what must hold for a
    document to run. max_age: s by which a ``req_time`` may differ from now; 0: it is not looked at. control_actions:
    whether there are the body actions PAUSE, RESUME and STOP.
    """

    urls: UrlPolicy
    fetch: FetchRules
    channels: Table
    speaks: bool
    settings: Settings
    sources: tuple[Source, ...]
    guards: tuple[Compare, ...]
    max_age: float
    control_actions: bool

    def of(
        self,
        skills: Mapping[str, SkillInfo],
        source: str,
        *,
        strict: bool = False,
        subtrees: Mapping[str, str] | None = None,
    ) -> Rules:
        """Return the rules of a document that ``source`` sends to a body with ``skills``."""
        return Rules(
            with_control_actions(skills) if self.control_actions else skills,
            self.urls,
            strict=strict,
            subtrees=subtrees or {},
            allowed=allowed_to(self.channels, source),
            allowed_fetched=allowed_fetched(self.channels, source),
        )


def document_rules(values: NodeValues) -> DocumentRules:
    """Return the rules that the values of ``PARAMETERS`` give.

    Raises:
        ConfigError: a value cannot be used; the text names the parameter.
    """
    fetch = fetch_rules(values)
    sources = parse_sources(values["blackboard"])
    return DocumentRules(
        urls=with_media_roots(fetch.policy, values),
        fetch=fetch,
        channels=parse_table(values["source_channels"]),
        speaks=values["speech"] != "none",
        settings=Settings(
            missing_channel=values["missing_channel"],
            prefetch_s=values["prefetch"],
            max_chain=values["max_chain"],
            max_run_s=values["max_run_time"],
            max_starts=values["max_starts"],
        ),
        sources=tuple(sources),
        guards=tuple(parse_guards(values["guards"], [source.name for source in sources])),
        max_age=values["max_age"],
        control_actions=values[CONTROL_PARAMETER],
    )
