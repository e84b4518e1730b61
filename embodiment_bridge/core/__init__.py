# SPDX-License-Identifier: Apache-2.0
"""What every layer may use: errors, units, rotations, parameters; it imports no other folder of ours."""
