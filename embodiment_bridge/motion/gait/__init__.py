# SPDX-License-Identifier: Apache-2.0
"""How legs walk: joint angles as a function of time, command and the sensed balance."""
