# SPDX-License-Identifier: Apache-2.0
"""Rules for documents from the parameters of the behaviour-tree node, for the node and for the tools.

Nothing in this file needs ROS, so `bml validate --params FILE` works where ROS is not installed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.bml.rules.operator_rules import Table, allowed_fetched, allowed_to, parse_table
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import CONTROL_PARAMETER, SkillInfo, with_control_actions
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.fetching import FetchRules
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS as FETCH_PARAMETERS
from embodiment_bridge.nodes.sound.fetch_parameters import fetch_rules
from embodiment_bridge.nodes.sound.media_parameters import PARAMETERS as MEDIA_PARAMETERS
from embodiment_bridge.nodes.sound.media_parameters import with_media_roots
from embodiment_bridge.nodes.tree.runs.safety import PARAMETERS as SAFETY_PARAMETERS
from embodiment_bridge.nodes.tree.runs.safety import parse_guards
from embodiment_bridge.nodes.tree.values.blackboard_sources import PARAMETERS as BLACKBOARD_PARAMETERS
from embodiment_bridge.nodes.tree.values.blackboard_sources import Source, parse_sources

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
