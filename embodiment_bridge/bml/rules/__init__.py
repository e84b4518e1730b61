# SPDX-License-Identifier: Apache-2.0
"""Whether a body can and may do what a document says."""
