# SPDX-License-Identifier: Apache-2.0
"""An element of an OpenCog network: connections to and from the Router, what is to be sent, who is there. No ROS."""
