#!/usr/bin/env bash
# Runs a command as on a machine without the parts that tools/debian_parts.sh installs (a browser, a voice, GStreamer,
# iproute2, check_urdf, off-screen rendering) and without openssl, whether they are here or not. Needs no rights.
#
# Programs: each folder of the PATH that has one of them is replaced by links to all else in it. Libraries, typelibs
# and a voice's data: empty files and folders that are found first and cannot be loaded. A program that is called by
# an absolute path is not hidden.
set -euo pipefail

programs="chromium chromium-browser espeak-ng speak-ng espeak speak gst-launch-1.0 gst-inspect-1.0 gst-play-1.0
    ip ss bridge tc check_urdf urdf_to_graphviz urdf_to_graphiz openssl"
libraries="libEGL.so.1 libOSMesa.so.8 libespeak-ng.so.1 libespeak-ng.so libgstreamer-1.0.so.0 libgirepository-1.0.so.1"
typelibs="Gst-1.0.typelib GstBase-1.0.typelib GstAudio-1.0.typelib"

[ $# -gt 0 ] || { echo "usage: tools/bare.sh COMMAND..." >&2; exit 2; }
hidden=$(mktemp -d "${TMPDIR:-/tmp}/embodiment_bridge_bare.XXXXXX")
trap 'rm -rf "$hidden"' EXIT

mkdir "$hidden/lib" "$hidden/typelib" "$hidden/voices"
for name in $libraries; do : >"$hidden/lib/$name"; done
for name in $typelibs; do : >"$hidden/typelib/$name"; done

# The folder to look in instead of this one: itself, where it has nothing to hide.
without() {
    local folder=$1 copy name
    for name in $programs; do
        [ -e "$folder/$name" ] || continue
        copy=$hidden/bin${folder//\//_}
        if mkdir "$copy" 2>/dev/null; then  # /bin may be another name of /usr/bin
            find "$folder/" -mindepth 1 -maxdepth 1 -exec ln -sf -t "$copy" {} +
            (cd "$copy" && rm -f $programs)
        fi
        echo "$copy"
        return
    done
    echo "$folder"
}

path=""
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    if [ -d "$folder" ]; then path=$path:$(without "$(cd "$folder" && pwd -P)"); fi
done

# By their own paths: a build keeps the path of its compiler, and the links are gone afterwards.
CC=${CC:-$(command -v cc || true)} CXX=${CXX:-$(command -v c++ || true)}
[ -z "$CC" ] || export CC
[ -z "$CXX" ] || export CXX
export PATH=${path#:}
export LD_LIBRARY_PATH=$hidden/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export GI_TYPELIB_PATH=$hidden/typelib ESPEAK_DATA_PATH=$hidden/voices
"$@"
