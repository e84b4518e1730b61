# SPDX-License-Identifier: Apache-2.0
"""The lines of OpenCog's Router."""
