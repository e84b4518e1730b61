#!/bin/sh
# Installs the Debian packages that some tests and features use when they are there: a browser, network namespaces,
# check_urdf, off-screen rendering. Without root, or without apt-get, it says so and leaves the machine as it is.
packages="chromium iproute2 liburdfdom-tools libegl1 libgl1-mesa-dri"

missing=""
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "embodiment_bridge: not installed, so some tests are skipped:$missing" >&2
    exit 0
fi
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >/dev/null ||
    echo "embodiment_bridge: apt-get could not install all of:$missing; some tests are skipped" >&2
