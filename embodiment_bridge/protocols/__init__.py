# SPDX-License-Identifier: Apache-2.0
"""One room per protocol: events, codec, converter, and a ROOM constant that names them as data."""
