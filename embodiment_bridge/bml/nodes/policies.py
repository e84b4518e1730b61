# SPDX-License-Identifier: Apache-2.0
"""The two policies of what has several children or iterations."""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.field import Field, Object
from embodiment_bridge.bml.fields.values import Raw, Values


@dataclass(frozen=True)
class Policy(Field):
    """A name that stands for a truth value; in tolerant reading in any case, ``SuccessOn...``, ``FailureOn...``."""

    default: bool = False
    _: KW_ONLY
    names: Mapping[str, bool]

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> bool:
        text = raw[key]
        if not isinstance(text, str):
            values.wrong_type(pointer, key, text, "the name of a policy")
            return self.default
        if text in self.names:
            return self.names[text]
        lower = re.sub("^failure", "fail", re.sub("^success", "succeed", text.lower()))
        name = next((name for name in self.names if name.lower() == lower), None)
        if name is None:
            message = values.problems.unknown(key, text, self.names)
            values.problems.error(at(pointer, key), "UNKNOWN_POLICY", message)
            return self.default
        message = f"the policy {short(text)} is read as {name}"
        values.problems.tolerated(at(pointer, key), "POLICY_SPELLING", message)
        return self.names[name]

    def write(self, value: bool) -> str:
        return next(name for name, meant in self.names.items() if meant == value)

    def schema(self) -> Object:
        return {"enum": list(self.names)}


def policies(*, usual: bool = False) -> tuple[Policy, Policy]:
    """The fields of both; ``usual``: one success is enough and all must fail, unless it is written otherwise."""
    success, failure = {"SucceedOnAll": False, "SucceedOnOne": True}, {"FailOnOne": False, "FailOnAll": True}
    return (
        Policy("successPolicy", attribute="succeed_on_one", default=usual, names=success),
        Policy("failurePolicy", attribute="fail_on_all", default=usual, names=failure),
    )
