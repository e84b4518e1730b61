# SPDX-License-Identifier: Apache-2.0
"""The node of a body that is simulated in its own process, by MuJoCo."""
