# SPDX-License-Identifier: Apache-2.0
"""A Model Context Protocol server in front of one robot, for language models. Needs the package `mcp` (extra `mcp`)."""
