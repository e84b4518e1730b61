# SPDX-License-Identifier: Apache-2.0
"""Transports: links that carry bytes of any protocol."""
