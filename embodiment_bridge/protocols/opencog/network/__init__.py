# SPDX-License-Identifier: Apache-2.0
"""An element of an OpenCog network: connections to and from the Router, outgoing messages, presence. No ROS."""
