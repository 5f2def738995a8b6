#!/usr/bin/env bash
# The library has no mutable state: none of its objects defines anything in a writable section, but
# process.c, which keeps what other libraries have once per process: BLAS's threads, OpenMP's pool.
# Constant tables of pointers may stay: they are relocated once and then read-only (.data.rel.ro).
. "$(dirname "$0")/../cli/harness.sh"

case_begin "no object of the library holds writable data"
run_ok "objdump" objdump -t "$BUILD/libpare.a"
check "libpare.a holds no objects" grep -q 'file format' "$SCRATCH/.stdout"
while read -r name section object; do
    [[ $object == process.c.* && $name == process ]] ||
        fail "$object: $name is in $section"
done < <(awk -F'\t' '
    / file format / { object = $1; sub(/:.*/, "", object) }
    NF == 2 {
        section = $1; sub(/.* /, "", section)
        name = $2; sub(/.* /, "", name)
        writable = section ~ /^(\.data|\.bss|\.tdata|\.tbss|\.ldata|\.lbss|\*COM\*)/
        if (writable && section !~ /^\.data\.rel\.ro/ && name !~ /^\./) print name, section, object
    }' "$SCRATCH/.stdout")
