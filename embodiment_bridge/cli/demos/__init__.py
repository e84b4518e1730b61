# SPDX-License-Identifier: Apache-2.0
"""What `embodiment_bridge demo` can show: one module each, with a constant ``SHOW``. To add one is a file and a row."""

from typing import Final

# In this order: of several that fit a wish, the first is shown.
SHOWS: Final = ("first_steps", "dance", "song", "servos", "grid", "opencog")
