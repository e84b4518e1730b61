# SPDX-License-Identifier: Apache-2.0
"""JSON text to a typed document, with all problems named."""
