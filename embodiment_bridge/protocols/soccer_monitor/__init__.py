# SPDX-License-Identifier: Apache-2.0
"""The common parts of the monitor ports of RoboCup's 3D soccer servers: one vocabulary, of two dialects.

``simspark_monitor`` and ``rcsssmj_monitor`` are the dialects; the words here are theirs.
"""
