# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the host of a language model: a script with the real client of the protocol, and no model."""
