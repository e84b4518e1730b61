# SPDX-License-Identifier: Apache-2.0
"""OpenCog's Embodiment XML: documents to events, commands to documents."""
