# SPDX-License-Identifier: Apache-2.0
"""A stand-in for an OpenCog OAC with its Router and Spawner, for trying a body without OpenCog (docs/opencog.md)."""
