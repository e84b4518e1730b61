# SPDX-License-Identifier: Apache-2.0
"""BML, the behaviour language: documents as data, no robot and no ROS.

``read`` makes a ``Document`` of text, ``check`` compares it with a body, ``analyse`` estimates its times,
``to_json`` writes it. Nothing here raises on a bad document; what is wrong with it are ``Problem``s with
JSON pointers.
"""

from embodiment_bridge.bml.analysis.estimate import Analysis, Estimate, analyse
from embodiment_bridge.bml.authoring.json_form import to_data, to_json
from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.nodes.other_documents import Request
from embodiment_bridge.bml.reading.reader import Result, read
from embodiment_bridge.bml.rules.checker import check
from embodiment_bridge.bml.rules.url_policy import UrlPolicy

__all__ = [
    "Analysis",
    "Document",
    "Estimate",
    "Limits",
    "Problem",
    "Request",
    "Result",
    "UrlPolicy",
    "analyse",
    "check",
    "read",
    "to_data",
    "to_json",
]
