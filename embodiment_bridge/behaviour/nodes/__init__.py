# SPDX-License-Identifier: Apache-2.0
"""The nodes of a running tree, each by what it does, and how a document becomes a tree of them."""
