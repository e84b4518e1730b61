# SPDX-License-Identifier: Apache-2.0
"""What plays sound: the sound device, or nothing in the same time."""
