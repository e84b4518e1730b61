# SPDX-License-Identifier: Apache-2.0
"""Motion of joints: pure, stepped with what the body senses; it runs on the session's thread."""
