#!/bin/sh
# Says in one line what this machine lacks for `make venv`, with the command that installs it (Debian, Ubuntu).
python=${PYTHON:-python3}

need() {
    echo "embodiment_bridge: $1 is missing; install it with: apt-get install $2" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 || need "$python (3.11 or newer)" "python3 python3-venv python3-dev"
"$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' || {
    echo "embodiment_bridge: $("$python" --version) has no ROS wheels; use Python 3.10 to 3.13: make PYTHON=python3.12" >&2
    exit 1
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || need "Python's venv module" python3-venv
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || need "Python.h" python3-dev
command -v c++ >/dev/null 2>&1 || need "a C++ compiler" g++
case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) ;;
    *)
        echo "embodiment_bridge: there are no ROS wheels for $(uname -s) $(uname -m); build with colcon in a ROS 2 installation instead" >&2
        exit 1
        ;;
esac
