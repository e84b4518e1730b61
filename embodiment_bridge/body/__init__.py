# SPDX-License-Identifier: Apache-2.0
"""What a body is: its state, its description, and the readers of a body file."""
