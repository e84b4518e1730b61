#!/bin/sh
# Says what this machine lacks for `make venv`, a line a thing, with the command that installs it (Debian, Ubuntu).
python=${PYTHON:-python3}
versions="Python 3.11 to 3.13"
missing=0

lack() {
    echo "embodiment_bridge: $1" >&2
    missing=1
}

need() {
    lack "$1 is missing; install it with: apt-get install $2"
}

if ! command -v "$python" >/dev/null 2>&1; then
    need "$python ($versions)" "python3 python3-venv python3-dev"
elif ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
    lack "$("$python" --version) has no ROS wheels; use $versions: make PYTHON=python3.12"
else
    "$python" -c 'import ensurepip, venv' 2>/dev/null || need "Python's venv module" python3-venv
    "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
        need "Python.h" python3-dev
    "$python" -c 'import platform, sys; name, version = platform.libc_ver(); sys.exit(name != "glibc" or tuple(map(int, version.split("."))) < (2, 28))' ||
        lack "the ROS wheels need glibc 2.28 or newer; build with colcon in a ROS 2 installation instead"
fi
command -v "${CC:-cc}" >/dev/null 2>&1 || need "a C compiler (${CC:-cc})" gcc
command -v "${CXX:-c++}" >/dev/null 2>&1 || need "a C++ compiler (${CXX:-c++})" g++
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
    lack "there are no ROS wheels for $(uname -s) $(uname -m); build with colcon in a ROS 2 installation instead"
free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024) }')
[ "${free:-9999}" -ge 1500 ] || lack "$free MB are free here, and 1500 are needed"
exit $missing
