# SPDX-License-Identifier: Apache-2.0
"""The servos of one robot, driven in cycles over their buses."""
