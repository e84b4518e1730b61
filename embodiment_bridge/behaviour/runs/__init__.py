# SPDX-License-Identifier: Apache-2.0
"""Trees that run: built from a document, driven to an outcome, and several of them for one robot."""
