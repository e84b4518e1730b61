# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the Maeden simulator: rules of several of its builds, three dialects, and faults on demand.

Written from what the builds send, not from their code; its packets are written by the protocol's table.
"""
