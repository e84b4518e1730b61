# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a service that sends BML to a robot: documents, sounds, links to the next one, and faulty replies."""
