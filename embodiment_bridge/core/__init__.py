# SPDX-License-Identifier: Apache-2.0
"""What every layer may use: errors, units, rotations, parameters. It imports no other folder of this package."""
