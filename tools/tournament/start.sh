#!/usr/bin/env bash
# Starts a team at a server elsewhere for a whole game: tools/tournament/start.sh HOST PORT [ARGUMENT:=VALUE ...]
#
# The last arguments are those of team.launch.xml, such as team:=ours or body_file:=/home/ours/t1.yaml, and win. Needs no
# network but the connections to HOST PORT. Runs until Ctrl-C: players whose server is gone, as between the halves, join
# again by themselves, and a program that ended is started again.
set -uo pipefail

[ $# -ge 2 ] || { echo "usage: tools/tournament/start.sh HOST PORT [ARGUMENT:=VALUE ...]" >&2; exit 2; }
host=$1 port=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
program=$here/../../.venv/bin/embodiment_bridge
[ -x "$program" ] || program=$(command -v embodiment_bridge) || { echo "no embodiment_bridge: make venv" >&2; exit 3; }

child=
# Not INT: a program in the background ignores it until it handles signals itself, a second after its start.
trap 'trap - INT TERM; [ -z "$child" ] || { kill -TERM "$child" 2>/dev/null; wait "$child"; }; exit 0' INT TERM
while :; do
    begun=$SECONDS
    "$program" up team.launch.xml play:=true players:=7 monitor_port:=0 host:="$host" port:="$port" "$@" &
    child=$!
    wait "$child"
    status=$?
    # A wrong argument ends it at once, each time.
    [ $((SECONDS - begun)) -ge 5 ] || { echo "the team ended at once, with status $status" >&2; exit "$status"; }
    echo "the team ended with status $status; it is started again" >&2
done
