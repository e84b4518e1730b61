# SPDX-License-Identifier: Apache-2.0
"""Virtual servos whose axes are the joints of a simulated robot, so that they carry its weight."""
