# SPDX-License-Identifier: Apache-2.0
"""One module per command of the command line: ``add(subparsers)`` declares it, ``run(arguments)`` runs it."""
