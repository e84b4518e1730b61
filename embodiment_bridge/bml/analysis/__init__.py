# SPDX-License-Identifier: Apache-2.0
"""Estimates the duration of a document and the channels it drives."""
