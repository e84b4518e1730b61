# SPDX-License-Identifier: Apache-2.0
"""The line protocol of OpenCog's Router."""
