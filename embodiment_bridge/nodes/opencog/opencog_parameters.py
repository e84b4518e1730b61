# SPDX-License-Identifier: Apache-2.0
"""Parameters of the OpenCog bridge, and their conversion into settings of its parts."""

import re

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.nodes.opencog.opencog_plans import PlanWishes
from embodiment_bridge.plans.plan_document import ON_ERROR
from embodiment_bridge.protocols.opencog.network.element import Address
from embodiment_bridge.protocols.opencog.network.proxy import Habits, Loading
from embodiment_bridge.protocols.opencog.router.codec import Codec
from embodiment_bridge.protocols.opencog.router.wire import PROXY_PORT, ROUTER_PORT, Login
from embodiment_bridge.protocols.opencog.world.feelings import Rates
from embodiment_bridge.protocols.opencog.world.settings import SPEECH, Settings
from embodiment_bridge.protocols.opencog.world.visibility import MOST_TILES, VisibilityGrid
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS

WORD = re.compile(r"[!-~]{1,200}")
NAMESPACE = re.compile(r"/?([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?")

NETWORK = (
    Parameter(
        "host", "127.0.0.1", "Host of the OpenCog Router. Only from its address the bridge is dialled."
    ),
    Parameter("port", ROUTER_PORT, "TCP port of the Router.", 1, 65535),
    Parameter(
        "proxy_id",
        "PROXY",
        "Id of the bridge in the network; a real OAC accepts its PROXY_ID only.",
    ),
    Parameter(
        "listen_host", "127.0.0.1", "Where the Router dials back; another than loopback lets others in."
    ),
    Parameter("listen_port", 0, "TCP port for it; 0 takes a free one, 16315 is the convention.", 0, 65535),
    Parameter("told_host", "", "What the Router is told to dial; empty: listen_host."),
    Parameter("acks", False, "Whether the Router is in ack mode (its NO_ACK_MESSAGES false)."),
    Parameter("silence", 60.0, "The Router counts as lost after this silence, s; 0: never.", 0.0, 86400.0),
    Parameter("repeat_refused", False, "Send a report again that the Router refused (ack mode only)."),
)
BRAIN = (
    Parameter("agent", "fido", "Id of the OAC, which is that of its agent."),
    Parameter("more_agents", [""], "Further OACs, each as ID@NAMESPACE of another body."),
    Parameter("agent_name", "", "Name of the agent for people; empty: its id."),
    Parameter("owner", "", "Owner of the agents, for LOAD_AGENT; empty: the OACs are there already."),
    Parameter("owner_id", "", "Id of the agents' owner on the map; empty: owner."),
    Parameter("owner_name", "", "Name of the agents' owner on the map; empty: its id."),
    Parameter("agent_type", "pet", "What the agent is.", choices=("pet", "avatar", "humanoid")),
    Parameter("traits", "maxie", "Word for the agent's character, for LOAD_AGENT."),
    Parameter("load_timeout", 60.0, "An OAC that was not loaded is asked for again, s.", 1.0, 3600.0),
    Parameter("dialect", "seed", "Generation of the OAC.", choices=DIALECTS),
    Parameter("tick_period", 0.5, "Time between ticks, at which the OAC thinks, s; 0 sends none.", 0.0, 60.0),
    Parameter("speech", "raw", "How speech is sent to the OAC.", choices=SPEECH),
    Parameter("echo_own_actions", False, "Tell the OAC of its own actions as of those of others."),
)
WORLD = (
    Parameter("units_per_metre", 0.0, "Units of length of the OAC in 1 m; 0: of the dialect.", 0.0, 1e6),
    Parameter("compass", False, "Yaw counts clockwise from y, as in worlds of 2008."),
    Parameter("map_x", -32.0, "Corner of the OAC's map with the smallest x, m.", -1e5, 1e5),
    Parameter("map_y", -32.0, "Corner of the OAC's map with the smallest y, m.", -1e5, 1e5),
    Parameter("map_side", 64.0, "Side of that square map, m.", 0.1, 1e5),
    Parameter("own_x", 0.0, "Where a body without pose is, m in map.", -1e5, 1e5),
    Parameter("own_y", 0.0, "Where a body without pose is, m in map.", -1e5, 1e5),
    Parameter("own_yaw", 0.0, "Heading of a body without pose, rad.", -6.3, 6.3),
    Parameter("own_length", 0.3, "Extent of the body along its front, m.", 0.01, 100.0),
    Parameter("own_width", 0.3, "Extent of the body along its left, m.", 0.01, 100.0),
    Parameter("own_height", 0.6, "Height of the body, m.", 0.01, 100.0),
    Parameter("things_file", "", "Path of a YAML file of things that are always there; empty: none."),
    Parameter("map_rate", 10.0, "Most messages on the map in a second, Hz.", 0.1, 1000.0),
    Parameter(
        "grid_tiles", 64, "Tiles on a side of the OAC's map of what was seen; 0: not told.", 0, MOST_TILES
    ),
    Parameter("fov", 2.0, "Field of view of a body without local_grid, rad; 0: sees nothing.", 0.0, 6.3),
    Parameter("sight", 6.0, "How far it sees, m.", 0.1, 1000.0),
)
MOOD = (
    Parameter(
        "feelings_to_emotions",
        [""],
        "Feelings that move the body: FEELING=EMOTION or FEELING>0.6=EMOTION each, or usual; empty: none do.",
    ),
    Parameter("emotion_rest", 5.0, "Time between two emotions, s.", 0.0, 86400.0),
)
NEEDS = (
    Parameter("hunger_time", 7200.0, "How long until hunger is 1, s; 0: there is no hunger.", 0.0, 1e7),
    Parameter("thirst_time", 5400.0, "How long until thirst is 1, s; 0: there is no thirst.", 0.0, 1e7),
)
PLANS = (
    Parameter("on_error", "stop", "What a plan does after an action that failed.", choices=ON_ERROR),
    Parameter("retries", 3, "How often an action is begun again with on_error retry.", 1, 255),
    Parameter(
        "plan_timeout", 0.0, "Longest time of one action, s; 0: that of the behaviour tree.", 0.0, 86400.0
    ),
    Parameter("priority", 0, "Plans never replace what has a higher one.", -1000, 1000),
)
PARAMETERS = (*NETWORK, *BRAIN, *WORLD, *MOOD, *NEEDS, *PLANS)


def address(values: NodeValues) -> Address:
    """Return the addresses of the bridge and the Router.

    Raises:
        CommandError: an id or a host cannot be sent to the Router.
    """
    told = values["told_host"] or values["listen_host"]
    Codec().encode(Login(values["proxy_id"], told, values["listen_port"] or PROXY_PORT))
    return Address(
        values["proxy_id"],
        values["host"],
        values["port"],
        values["listen_host"],
        values["listen_port"],
        values["told_host"],
    )


def habits(values: NodeValues) -> Habits:
    """Return the timing of the conversation with the OACs."""
    return Habits(values["tick_period"], values["load_timeout"], values["repeat_refused"])


def loading(values: NodeValues) -> Loading | None:
    """Return the way in which OACs are loaded; None if they run already.

    Raises:
        ConfigError: owner or traits are more than one word.
    """
    for name in ("owner", "traits"):
        if not WORD.fullmatch(values[name] or "-"):
            raise ConfigError(f"parameter {name}: {values[name]!r} is not one word of printable ASCII")
    kind = "humanoid" if values["agent_type"] == "humanoid" else "pet"
    return Loading(values["owner"], kind, values["traits"]) if values["owner"] else None


def wishes(values: NodeValues) -> PlanWishes:
    """Read how plans are executed."""
    return PlanWishes(values["on_error"], values["retries"], values["priority"], values["plan_timeout"])


def rates(values: NodeValues) -> Rates:
    """Return the growth rates of the needs."""
    hunger, thirst = (1.0 / time if time else 0.0 for time in (values["hunger_time"], values["thirst_time"]))
    return Rates(hunger, thirst)


def settings(values: NodeValues, agent: str, alias: str) -> Settings:
    """Read how one body is described to its OAC; ``alias`` is another name of it in ROS.

    Raises:
        ConfigError: a value cannot be used.
    """
    return Settings(
        agent,
        agent_type=values["agent_type"],
        agent_name=values["agent_name"] or agent,
        owner_id=values["owner_id"] or values["owner"],
        owner_name=values["owner_name"] or values["owner_id"] or values["owner"],
        aliases=frozenset({alias} - {""}),
        dialect=values["dialect"],
        units_per_metre=values["units_per_metre"],
        compass=values["compass"],
        map_x=values["map_x"],
        map_y=values["map_y"],
        map_side=values["map_side"],
        pose=(values["own_x"], values["own_y"], 0.0, values["own_yaw"]),
        size=(values["own_length"], values["own_width"], values["own_height"]),
        speech=values["speech"],
        echo_own_actions=values["echo_own_actions"],
    )


def grid(values: NodeValues) -> VisibilityGrid | None:
    """Return the map of seen cells; None if it is not sent."""
    tiles = values["grid_tiles"]
    return VisibilityGrid(tiles, values["map_x"], values["map_y"], values["map_side"]) if tiles else None


def agents(values: NodeValues) -> dict[str, str]:
    """Return the ids of all OACs, with the namespace of the body of each; empty means that of the node.

    Raises:
        ConfigError: an entry cannot be read, or an id comes twice.
    """
    found = {values["agent"]: ""}
    for entry in filter(None, values["more_agents"]):
        name, mark, namespace = entry.partition("@")
        if not (name and mark and NAMESPACE.fullmatch(namespace)):
            raise ConfigError(f"parameter more_agents: {entry!r} is not ID@NAMESPACE, such as rex@/robot2")
        if name in found:
            raise ConfigError(f"parameter more_agents: the agent {name!r} comes twice")
        found[name] = namespace
    return found
