# SPDX-License-Identifier: Apache-2.0
"""The node behind which an OpenCog brain is."""
