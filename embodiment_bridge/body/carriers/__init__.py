# SPDX-License-Identifier: Apache-2.0
"""One module for each way of moving over the floor: it reads the section of a body file that has the module's name."""
