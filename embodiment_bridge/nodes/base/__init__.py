# SPDX-License-Identifier: Apache-2.0
"""What every node has: lifecycle, parameters, QoS, executor, answers that come later."""
