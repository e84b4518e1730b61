# SPDX-License-Identifier: Apache-2.0
"""The node that runs behaviour trees, and its clients."""
