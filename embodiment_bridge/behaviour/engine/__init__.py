# SPDX-License-Identifier: Apache-2.0
"""The engine of a behaviour tree: loading, context, control, blackboard, clock, outcomes."""
