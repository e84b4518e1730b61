# SPDX-License-Identifier: Apache-2.0
"""What a robot's files say about its servos."""
