#!/bin/sh
# A path in N parts on the processors of this machine, with GNU parallel.
#   sh parallel.sh N DATA [options of pare path]     the result is path.json and path.html
set -e
parts=$1
shift
seq "$parts" | parallel --halt now,fail=1 --quote \
    "${PARE:-pare}" path "$@" --threads 1 --quiet --shard "{}/$parts" --checkpoint "shard-{}.txt"
"${PARE:-pare}" merge $(seq -f 'shard-%g.txt' "$parts") -o path.json --report path.html
