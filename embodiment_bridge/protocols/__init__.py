# SPDX-License-Identifier: Apache-2.0
"""One folder a protocol: events, codec, converter, and a constant ``SPEC`` that names them as data."""
