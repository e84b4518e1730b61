#!/bin/sh
# Generates tf2_msgs into the environment $1, unless it is there already.
set -e
venv=$(cd "$1" && pwd)
"$venv/bin/python" -c 'from tf2_msgs.msg import TFMessage' 2>/dev/null && exit 0
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
export AMENT_PREFIX_PATH="$venv" CMAKE_PREFIX_PATH="$venv" LD_LIBRARY_PATH="$venv/lib" PYTHONPATH="$site"
export PATH="$venv/bin:$PATH"
tree="$venv/build_tf2_msgs"
{
    cmake -S "$(dirname "$0")/../vendor/tf2_msgs" -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$venv" -DPython3_EXECUTABLE="$venv/bin/python" -DBUILD_TESTING=OFF
    cmake --build "$tree"
    cmake --install "$tree"
} > "$venv/tf2_msgs.log" 2>&1 || { tail -n 40 "$venv/tf2_msgs.log"; exit 1; }
rm -rf "$tree"
