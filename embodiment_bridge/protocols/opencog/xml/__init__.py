# SPDX-License-Identifier: Apache-2.0
"""Codec of OpenCog's Embodiment XML: documents to events, commands to documents."""
