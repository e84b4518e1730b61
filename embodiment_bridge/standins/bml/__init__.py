# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the service that directs a robot by BML: documents, sounds, the next link; and servers gone wrong."""
