# SPDX-License-Identifier: Apache-2.0
"""Walks that go somewhere: to a place or a thing, behind a ball, at a commanded velocity."""
