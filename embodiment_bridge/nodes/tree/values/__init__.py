# SPDX-License-Identifier: Apache-2.0
"""Values of topics that conditions of documents and guards look at."""
