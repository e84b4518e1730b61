# SPDX-License-Identifier: Apache-2.0
"""``sequence``: one child after the other until one fails."""

from embodiment_bridge.bml.nodes.ordered import OrderedType


class SequenceType(OrderedType):
    """Children in order."""

    name = "sequence"
    meaning = "children in order"
    colour = "#dbe9ff"


TYPE = SequenceType()
