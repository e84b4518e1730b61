# SPDX-License-Identifier: Apache-2.0
"""Files of sound: found or fetched, kept, their length, loudness and marks."""
