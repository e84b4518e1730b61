# SPDX-License-Identifier: Apache-2.0
"""Bytes and text: the base class of codecs, common events, framing, S-expressions, JSON in and out."""
