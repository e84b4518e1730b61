# SPDX-License-Identifier: Apache-2.0
"""What a run did, written down and read again."""
