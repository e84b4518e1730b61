# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the programs at the other end of a protocol, for tests, demos and first tries."""
