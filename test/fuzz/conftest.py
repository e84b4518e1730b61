# SPDX-License-Identifier: Apache-2.0
"""Recordings for the fuzzing of bags are those of the tests of bags."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bags"))
