# SPDX-License-Identifier: Apache-2.0
"""What a body knows of the world around it: from what a camera sees to entities in ``map`` and to markers.

The same for every protocol.
"""
