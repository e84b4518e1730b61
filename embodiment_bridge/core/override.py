# SPDX-License-Identifier: Apache-2.0
"""``typing.override``, which Python has since 3.12: says that a method is one of the base class, which documents it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import override
elif sys.version_info >= (3, 12):
    from typing import override
else:
    Method = TypeVar("Method", bound=Callable[..., object])

    def override(method: Method) -> Method:
        """Return the method as it is."""
        return method


__all__ = ["override"]
