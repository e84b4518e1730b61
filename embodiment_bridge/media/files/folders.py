# SPDX-License-Identifier: Apache-2.0
"""The folders in which this user's sounds are kept."""

import os
from pathlib import Path


def usual_cache() -> Path:
    """The default folder of the media cache."""
    return _our_caches() / "media"


def preprocessed_folder() -> Path:
    """The default folder for the sounds of `bml preprocess`; a media root of the robot of the same user.

    Absolute, without symbolic links. It is not part of the cache, because a kept document needs its sounds.
    """
    return (_our_caches() / "preprocessed").resolve()


def _our_caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "embodiment_bridge"
