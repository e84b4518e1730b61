# SPDX-License-Identifier: Apache-2.0
"""The robot that a document is checked for: by body and parameter file, or one of the running graph."""
