# SPDX-License-Identifier: Apache-2.0
"""Where a walk goes: to a place or a thing, behind a ball, at a commanded velocity."""
