# SPDX-License-Identifier: Apache-2.0
"""The demos of `embodiment_bridge demo`: one module each with a constant ``SHOW``, and a row in ``SHOWS``."""

from typing import Final

# In order of preference: of several that fit the command line, the first is shown.
SHOWS: Final = ("first_steps", "servos", "push", "grid", "dance", "song", "opencog", "mcp")
