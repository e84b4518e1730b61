# SPDX-License-Identifier: Apache-2.0
"""The knowledge of a body about the world: from pictures of a camera to entities in ``map`` and markers.

The same for every protocol.
"""
