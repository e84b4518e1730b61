# SPDX-License-Identifier: Apache-2.0
"""What the monitor ports of RoboCup's 3D soccer servers have in common: one vocabulary, of two dialects.

``simspark_monitor`` and ``rcsssmj_monitor`` are the dialects; the words here are theirs.
"""
