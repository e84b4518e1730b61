# SPDX-License-Identifier: Apache-2.0
"""The node that connects OpenCog brains to bodies."""
