# SPDX-License-Identifier: Apache-2.0
"""One module for each type of node: its ``TYPE`` says all of it but how it runs. ``registry`` finds them."""
