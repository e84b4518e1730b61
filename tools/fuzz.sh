#!/bin/sh
# Looks for examples that break a property: fuzz.sh MINUTES PYTHON [pytest's words]. The property tests run with random
# examples until so many minutes are over (a round that was begun ends), or one fails. What is found belongs into an
# @example beside the test; test/fuzz writes it into test/fuzz/corpus.
set -eu
end=$(date +%s | awk -v minutes="$1" '{ printf "%d", $1 + minutes * 60 }') python=$2
case $1 in *[!0-9.]* | "") echo "fuzz.sh: MINUTES is a number such as 30 or 0.5, not '$1'" >&2; exit 2 ;; esac
shift 2
files=$(grep -rl --include='test_*.py' '^from hypothesis import' test)
round=0
while [ "$(date +%s)" -lt "$end" ]; do
    round=$((round + 1))
    echo "fuzz: round $round"
    EMBODIMENT_BRIDGE_EXAMPLES=random "$python" -m pytest -q -m "hypothesis and not soak" -n 4 --dist loadfile $files "$@"
done
