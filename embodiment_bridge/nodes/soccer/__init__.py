# SPDX-License-Identifier: Apache-2.0
"""The node that publishes the ground truth of a soccer simulator."""
