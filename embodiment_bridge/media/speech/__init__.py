# SPDX-License-Identifier: Apache-2.0
"""Speech: by programs, a service or silence; and the store that speaks each text once."""
