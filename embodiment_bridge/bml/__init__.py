# SPDX-License-Identifier: Apache-2.0
"""BML, the behaviour language: documents as data, no robot and no ROS.

``read`` makes a ``Document`` of text, ``check`` compares it with a body, ``analyse`` estimates its times,
``to_json`` writes it. Nothing here raises on a bad document; what is wrong with it are ``Problem``s with
JSON pointers.
"""

from embodiment_bridge.bml.analysis import Analysis, Estimate, analyse
from embodiment_bridge.bml.checker import check
from embodiment_bridge.bml.document import Document, Problem
from embodiment_bridge.bml.limits import Limits
from embodiment_bridge.bml.reader import Result, read
from embodiment_bridge.bml.url_policy import UrlPolicy
from embodiment_bridge.bml.writer import to_data, to_json

__all__ = [
    "Analysis",
    "Document",
    "Estimate",
    "Limits",
    "Problem",
    "Result",
    "UrlPolicy",
    "analyse",
    "check",
    "read",
    "to_data",
    "to_json",
]
