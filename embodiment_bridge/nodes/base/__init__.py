# SPDX-License-Identifier: Apache-2.0
"""The parts of every node: lifecycle, parameters, QoS, executor, deferred answers."""
