# SPDX-License-Identifier: Apache-2.0
"""How a document names an argument of a subtree: a text that is exactly ``${name}``."""

import re

ARGUMENT = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")
