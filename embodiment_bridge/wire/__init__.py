# SPDX-License-Identifier: Apache-2.0
"""Bytes and text: what a codec is, the events any codec may give, framing, S-expressions, JSON in and out."""
