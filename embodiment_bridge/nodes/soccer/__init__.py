# SPDX-License-Identifier: Apache-2.0
"""The node that shows ground truth of a soccer simulator."""
