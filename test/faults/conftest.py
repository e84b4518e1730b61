# SPDX-License-Identifier: Apache-2.0
"""The contract tests know how the launch files set up each protocol."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "contract"))
